import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Cluster, type ClusterNode } from '../cluster/cluster.ts';
import { freePort } from '../cluster/free-port.ts';
import { scale } from '../support/scale.ts';

const STRANGERS = scale({ sample: 300, soak: 10_000 });
const LOGGED_MAX = 10;
/** An address of this machine that the server is not told to listen on. */
const OTHER_ADDRESS = '127.0.0.2';

let cluster: Cluster;
let primary: ClusterNode;
let token: string;

beforeAll(async () => {
  cluster = await Cluster.create();
  primary = await cluster.node('primary');
  await primary.startPrimary();
  token = await primary.http.signIn();
});
afterAll(() => cluster[Symbol.asyncDispose]());

async function isOpen(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * The first call of a handshake, by somebody who was never registered. Answers the status of gRPC.
 */
async function challenge(port: number, count: number): Promise<readonly unknown[]> {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  const uid = Buffer.from('nobody');
  const nonce = Buffer.alloc(32, 7);
  const message = Buffer.concat([
    Buffer.from([0x0a, uid.length]),
    uid,
    Buffer.from([0x12, nonce.length]),
    nonce,
  ]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  const statuses: unknown[] = [];
  try {
    for (let i = 0; i < count; i++) {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/trellis.replication.v1.Replication/Challenge',
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      let status: unknown;
      stream.on('response', (headers) => (status ??= headers['grpc-status']));
      stream.on('trailers', (headers) => (status ??= headers['grpc-status']));
      stream.end(Buffer.concat([head, message]));
      stream.resume();
      await once(stream, 'close');
      statuses.push(status);
    }
  } finally {
    session.close();
  }
  return statuses;
}

test('the port for replicas listens where HTTP does, or where it is told to', async () => {
  expect(await isOpen('127.0.0.1', primary.replicationPort)).toBe(true);
  expect(await isOpen(OTHER_ADDRESS, primary.replicationPort)).toBe(false);
  const other = await cluster.node('other');
  await other.startPrimary({ MSK_REPLICATION_HOST: OTHER_ADDRESS });
  expect(await isOpen('127.0.0.1', other.replicationPort)).toBe(false);
  expect(await isOpen(OTHER_ADDRESS, other.replicationPort)).toBe(true);
  await other.process.stop();
});

test('strangers do not fill the log, however often they call', async () => {
  const statuses = await challenge(primary.replicationPort, STRANGERS);
  expect(new Set(statuses)).not.toContain('0');
  const wrong = {
    replicaUID: '1111111111111111111112',
    publicAddress: 'http://127.0.0.1:1',
    serverAddress: 'http://127.0.0.1:1',
    epoch: '',
    sequence: 0,
    version: '1',
    masterKeyProof: 'ab'.repeat(32),
    time: Date.now(),
    nonce: 'ab'.repeat(32),
    proof: 'ab'.repeat(32),
  };
  for (let i = 0; i < LOGGED_MAX * 3; i++) {
    const { status } = await primary.http.send({ path: '/api/replicas/register', body: wrong });
    expect(status).toBe(401);
  }
  const { log } = primary.process;
  expect(log.match(/failed connection of a replica .*not registered/g)?.length).toBeLessThanOrEqual(
    LOGGED_MAX,
  );
  expect(log.match(/failed connection of a replica .*invalid secret/g)).toHaveLength(LOGGED_MAX);
});

test('a registration that was recorded is good for nothing, also after the primary was started again', async () => {
  const recorded: string[] = [];
  // Between the replica and its primary.
  const listener = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', async () => {
      const body = Buffer.concat(parts).toString();
      recorded.push(body);
      const answer = await primary.http.send({ path: request.url ?? '', body });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text);
    });
  });
  const port = await freePort();
  listener.listen(port, '127.0.0.1');
  const replica = await cluster.node('replica');
  const channel = (await cluster.link(primary)).channel;
  await replica.startReplica({ address: `http://127.0.0.1:${port}`, channel });
  await replica.process.stop();
  listener.close();
  expect(recorded).toHaveLength(1);

  const replay = async (body: string) =>
    primary.http.send({ path: '/api/replicas/register', body });
  const [body = ''] = recorded;
  expect(await replay(body)).toMatchObject({
    status: 401,
    json: { error: { code: 'replication_not_authenticated' } },
  });
  // Written in another way, the proof is the same.
  const { proof, ...told } = JSON.parse(body) as { proof: string };
  for (const other of [proof.toUpperCase(), `${proof}zz`]) {
    const { status } = await replay(JSON.stringify({ ...told, proof: other }));
    expect(status).toBeGreaterThanOrEqual(400);
  }
  const listed = await primary.http.send({ path: '/api/replicas', token });
  expect(listed.text.match(/"replicaUID"/g)).toHaveLength(1);

  await primary.process.stop();
  await primary.startPrimary();
  const again = await replay(body);
  expect([again.status, again.headers.get('retry-after')]).toEqual([503, '1']);
  const after = await primary.http.send({ path: '/api/replicas', token });
  expect(after.text).not.toContain('"replicaUID"');
});
