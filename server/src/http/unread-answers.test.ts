import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { ANSWER_SLICE_BYTES, ANSWERS_UNREAD_BYTES_PER_CALLER_MAX } from '#base/limits.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

const RUN = '/api/cce/large';
/** More than a connection takes by itself. */
const LARGE = JSON.stringify('x'.repeat(8 * 1024 * 1024));

/** A client that asks and reads nothing by itself. */
async function asking(at: TestServer, as: 'admin') {
  const { port, hostname } = new URL(at.url);
  const socket = connect(Number(port), hostname);
  socket.pause();
  await once(socket, 'connect');
  socket.write(
    `POST ${RUN} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${at.tokens[as]}\r\nContent-Length: 0\r\n\r\n`,
  );
  return socket;
}

/** Unread answers of the administrator until the next call is refused. */
async function fill(at: TestServer, runs: () => number) {
  const sockets = [];
  for (let i = 0; i * LARGE.length <= ANSWERS_UNREAD_BYTES_PER_CALLER_MAX / 2; i++) {
    sockets.push(await asking(at, 'admin'));
    await expect.poll(runs).toBe(i + 1);
  }
  return sockets;
}

function serving(at: TestServer, body: string): { readonly runs: () => number } {
  let runs = 0;
  vi.spyOn(at.services.endpoints, 'run').mockImplementation(() => {
    runs++;
    return Promise.resolve({ status: 200, body });
  });
  return { runs: () => runs };
}

it.each([ANSWER_SLICE_BYTES - 2, ANSWER_SLICE_BYTES - 1, ANSWER_SLICE_BYTES, 1_000_000])(
  'an answer of %i letters and its quotes arrives whole',
  async (length) => {
    await using at = await startTestServer();
    const text = 'é'.repeat(length);
    serving(at, JSON.stringify(text));
    const { status, json, headers } = await at.request('POST', RUN, {
      as: 'admin',
      headers: { 'accept-encoding': 'identity' },
    });
    expect([status, json]).toEqual([200, text]);
    expect(headers.get('content-length')).toBe(String(2 * length + 2));
  },
);

it('a caller has so many bytes of answers waiting and no more; others have theirs', async () => {
  await using at = await startTestServer();
  const { runs } = serving(at, LARGE);
  const sockets = await fill(at, runs);
  const refused = await at.request('POST', RUN, { as: 'admin' });
  expect([refused.status, Object(refused.json).error.code]).toEqual([429, 'too_many_requests']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await at.request('POST', RUN, { as: 'run-token' })).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => (await at.request('POST', RUN, { as: 'admin' })).status).toBe(200);
});

it('an answer that its client does not take is cut off', async () => {
  await using at = await startTestServer({ timeouts: { answerUnread: 2_000 } });
  const { runs } = serving(at, LARGE);
  const cuts: Promise<unknown>[] = [];
  const note = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket };
    cuts.push(once(socket, 'close'));
  };
  subscribe('net.server.socket', note);
  const silent = await fill(at, runs);
  unsubscribe('net.server.socket', note);
  expect(cuts).toHaveLength(silent.length);
  expect((await at.request('POST', RUN, { as: 'admin' })).status).toBe(429);
  // One that is read from before it is cut is not: it arrives whole.
  await Promise.all(cuts);
  expect((await at.request('POST', RUN, { as: 'admin' })).status).toBe(200);
  for (const socket of silent) {
    let bytes = 0;
    socket.on('data', (chunk) => (bytes += chunk.length)).resume();
    await new Promise((resolve) => socket.once('error', resolve).once('close', resolve));
    expect(bytes).toBeLessThan(LARGE.length);
  }
});

it('one that is taken slowly is not', async () => {
  await using at = await startTestServer({ timeouts: { answerUnread: 400 } });
  serving(at, LARGE);
  const slow = await asking(at, 'admin');
  let bytes = 0;
  for (; bytes < LARGE.length;) {
    const chunk = slow.read() as Buffer | null;
    if (chunk === null) await once(slow, 'readable');
    else bytes += chunk.length;
  }
  slow.destroy();
  expect(bytes).toBeGreaterThanOrEqual(LARGE.length);
});
