import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { operations } from '@trellis/contract/operations.ts';
import { sampleRequest, type SampleThings } from '@trellis/contract/testing/sample-requests.ts';
import { scale, seed } from '../support/scale.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startWorkspace } from '../support/workspace.ts';

const REQUESTS = scale({ sample: 10_000, soak: 200_000 });
const PARALLEL = 16;
const PATIENCE_MS = 300;

/** Ending the session would leave the rest of the requests at the door. */
const OPERATIONS = operations.filter(({ id }) => id !== 'endSession');
/**
 * What the graph itself refuses is the deepest layer: by chance alone hardly any request comes so
 * far.
 */
const INGESTS = operations.filter(({ id }) => id === 'ingest');
const INGESTS_SHARE = 0.04;

/**
 * Malformed requests over every route: no answer from 500 up, no crash, and the memory at the end
 * is about that after a warm-up. Storage and endpoints stay empty, so no code of a caller's runs
 * that could answer 500 by itself.
 */
test(`${REQUESTS} malformed requests`, async () => {
  await using workspace = await startWorkspace();
  const bodies = await wholeBodies();
  const random = seededRandom(seed());
  const { hostname, port } = new URL(workspace.server.url);
  const bad: string[] = [];
  const seen = new Set<number | null>();
  const send = async (requests: number): Promise<void> => {
    for (let i = 0; i < requests; i++) {
      const request = malformedRequest(random, bodies, workspace.token);
      const status = await exchange(hostname, Number(port), request);
      seen.add(status);
      if (status !== null && status >= 500) {
        bad.push(`${status} for ${request.toString('latin1').slice(0, 300)}`);
      }
    }
  };
  const residentBytesAfter = async (requests: number): Promise<number> => {
    await Promise.all(Array.from({ length: PARALLEL }, () => send(requests / PARALLEL)));
    const { http, token } = workspace;
    const health = await http.send({ path: '/health', token });
    return Object(health.json).memory.rssBytes;
  };
  const afterWarmUp = await residentBytesAfter(REQUESTS / 2);
  const atEnd = await residentBytesAfter(REQUESTS / 2);
  expect(bad).toEqual([]);
  expect([...seen], 'every layer was reached').toEqual(
    expect.arrayContaining([200, 400, 401, 404, 405, 413, 415, 422, 431]),
  );
  expect(workspace.server.isRunning).toBe(true);
  expect(atEnd).toBeLessThan(afterWarmUp * 1.3 + 64 * 1024 * 1024);
  expect((await workspace.http.send({ path: '/api/graph/ready' })).json).toBe(true);
});

type Random = () => number;
/**
 * What an operation understands, by its id: a request with one part of it replaced gets past the
 * checks of the rest.
 */
type Bodies = ReadonlyMap<string, object>;

async function wholeBodies(): Promise<Bodies> {
  const uid = '1'.repeat(22);
  const uids = new Proxy({}, { get: () => uid }) as SampleThings['uids'];
  const things: SampleThings = { uids, spareToken: () => Promise.resolve(uid) };
  const bodies = new Map<string, object>();
  for (const operation of OPERATIONS) {
    const { body } = await sampleRequest(operation, things, 0);
    if (typeof body === 'object' && body !== null) bodies.set(operation.id, body);
  }
  return bodies;
}

function pick<T>(random: Random, from: readonly T[]): T {
  const picked = from[Math.floor(random() * from.length)];
  if (picked === undefined) throw new Error('nothing to pick from');
  return picked;
}

/**
 * Breaks each part of a request in every seventh one. So some requests reach the later parts of the
 * server, and some are whole.
 */
function malformedRequest(random: Random, bodies: Bodies, token: string): Buffer {
  const operation = pick(random, random() < INGESTS_SHARE ? INGESTS : OPERATIONS);
  const either = <T>(good: T, bad: readonly T[]): T => (random() < 0.85 ? good : pick(random, bad));
  const method = either<string>(operation.method, [
    'GET',
    'PUT',
    'PATCH',
    'OPTIONS',
    'HEAD',
    'BREW',
    'get',
    '',
  ]);
  const path = brokenPath(random, operation.path);
  const body = brokenBody(random, bodies.get(operation.id));
  const headers = [
    either('Host: x', ['Host:', 'X: y']),
    'Connection: close',
    either(`Authorization: Bearer ${token}`, [
      'Authorization: Bearer a.b.c',
      'Authorization: \u0001',
      'A: b',
    ]),
    either('Content-Type: application/json', [
      'Content-Type: application/x-ndjson',
      'Content-Type: text/plain',
      'Content-Type: ;;;',
      'Content-Type: multipart/form-data',
    ]),
    either(`Content-Length: ${body.length}`, [
      'Content-Length: -1',
      'Content-Length: x',
      'Content-Length: 99999999999',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: bogus',
    ]),
    either('X-A: b', [
      'Content-Encoding: gzip',
      'Content-Encoding: br',
      'X-MSK-Min-Sequence: -5',
      'X-MSK-Min-Sequence: x',
      'X-Request-Id: \u00ff',
      `X-Long: ${'y'.repeat(20_000)}`,
      'Expect: 100-continue',
      'Expect: magic',
    ]),
  ];
  const version = random() < 0.95 ? 'HTTP/1.1' : pick(random, ['HTTP/0.9', 'HTTP/2.0', 'HTTX', '']);
  const head = `${method} ${path} ${version}\r\n${headers.join('\r\n')}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

function brokenPath(random: Random, template: string): string {
  const name = pick(random, [
    'x',
    'a/b',
    '%',
    '%00',
    '%zz',
    '..%2f..%2fetc%2fpasswd',
    '%F0%9F%92%A9',
    'a'.repeat(3_000),
    '',
    '//',
    'create',
    'run/x',
    '*',
    '__proto__',
    'constructor',
  ]);
  const path = template.replace(/\{[^}]*\}/, name);
  return (
    path +
    pick(random, [
      '',
      '',
      '',
      '?',
      '?take=0',
      '?take=9999999',
      '?skip=-1',
      '?skip=x&take=',
      '?take=1&take=2',
      '?%',
      '?token=x',
      '#f',
      '?__proto__[a]=1',
    ])
  );
}

const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  'x',
  '\u0000',
  '\ud800',
  [],
  {},
  [[]],
  [null],
  { operations: null },
  { operations: {} },
  { operations: [null] },
  { operations: [{ op: 'addOrUpdate' }] },
  { operations: [{ op: 'addOrUpdate', type: 7, key: {} }] },
  { operations: [{ op: 'addOrUpdate', type: '__proto__', key: 'x', fields: { constructor: 1 } }] },
  { operations: [{ op: 'link', from: {}, edge: '', to: [] }] },
  { operations: [{ op: 'delete', uid: '1'.repeat(22) }] },
  { user: 'nobody', password: 7 },
  { oldPassword: 'x' },
  { nodes: [{}], edges: [] },
  { nodes: [{ type: 'A', fields: { 'not a name': 'String' } }], edges: [] },
  { nodes: [{ type: 'toString', fields: { x: 'Nope' } }], edges: 1 },
  { nodes: [{ type: 'B', key: 7, fields: [] }], edges: [{ type: 'E', fields: { a: 'Int[][]' } }] },
  { name: '', code: '' },
  { name: '../x', code: 'x' },
  { name: 'run/x', code: 7 },
  { name: 'x', code: 'export default 1', mode: 'nope' },
  { code: '' },
  { code: '\u0000'.repeat(50) },
  { code: 'export default function (', isReadOnly: 'yes' },
];

/** A value that no operation expects, or what this one does with one of its parts replaced. */
function brokenValue(random: Random, whole: object | undefined): unknown {
  if (whole === undefined || random() < 0.4) return pick(random, VALUES);
  const parts = [...Object.keys(whole), 'unknown'];
  return { ...whole, [pick(random, parts)]: pick(random, VALUES) };
}

function brokenBody(random: Random, whole: object | undefined): Buffer {
  const kind = random();
  if (kind < 0.1) return Buffer.alloc(0);
  if (kind < 0.2)
    return Buffer.from(
      Array.from({ length: Math.floor(random() * 200) }, () => Math.floor(random() * 256)),
    );
  const text = JSON.stringify(brokenValue(random, whole));
  if (kind < 0.3) return Buffer.from(text.slice(0, Math.floor(random() * text.length)));
  if (kind < 0.35) return Buffer.from('['.repeat(10_000));
  if (kind < 0.4) return Buffer.from(`${text}\n${text}\n\n{`);
  return Buffer.from(text);
}

/**
 * Sends the bytes on a connection of their own; the status answered, or null when the server just
 * closed it.
 */
function exchange(host: string, port: number, request: Buffer): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    let answer = '';
    socket.setEncoding('latin1');
    socket.on('connect', () => socket.write(request));
    // The server waits for the rest of a request that announces more than it has.
    socket.setTimeout(PATIENCE_MS, () => socket.end());
    socket.on('data', (text: string) => (answer += text));
    // A server that closes early resets the connection; what it had answered still counts.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1];
      resolve(status === undefined ? null : Number(status));
    });
  });
}
