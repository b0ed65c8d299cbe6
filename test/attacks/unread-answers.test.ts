import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { People } from '../support/people.ts';

const LARGE = `export default function () { return 'x'.repeat(8 * 1024 * 1024); }`;
const SMALL = `export default function () { return 'small'; }`;
const MB = 1024 * 1024;

let people: People;
const sockets: Socket[] = [];
beforeAll(async () => {
  people = await People.start();
  for (const name of ['mallory', 'bob']) await people.add(name);
  for (const [name, code] of Object.entries({ large: LARGE, small: SMALL })) {
    const endpoint = { name, code, isReadOnly: true };
    expect((await people.as('admin', 'POST', '/api/endpoints/create', endpoint)).status).toBe(201);
  }
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await people[Symbol.asyncDispose]();
});

/** Asks, and reads the head of the answer only. */
async function ask(
  path: string,
  body: string,
  { method = 'POST', as = 'mallory' }: { readonly method?: string; readonly as?: string } = {},
): Promise<string> {
  const { port, hostname } = new URL(people.workspace.server.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket.on('error', () => undefined));
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${people.token(as)}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, 'readable');
  return String(socket.read(12));
}

it('answers that nobody reads take a bounded memory, and others are answered', async () => {
  const before = await residentMemory();
  const heads: string[] = [];
  for (let round = 0; round < 25; round++) {
    const asked = Array.from({ length: 4 }, () => ask('/api/cce/large', ''));
    heads.push(...(await Promise.all(asked)));
  }
  const refused = heads.filter((head) => head === 'HTTP/1.1 429');
  // 64 MB of them, and what the connections took by themselves.
  expect(refused.length).toBeGreaterThan(80);
  expect((await residentMemory()) - before).toBeLessThan(600 * MB);
  expect((await people.as('bob', 'POST', '/api/cce/large')).status).toBe(200);
});

it('streams that nobody reads leave streams to others, those of MCP too', async () => {
  const heads: string[] = [];
  // They go on until somebody leaves.
  for (let stream = 0; stream < 45; stream++) {
    heads.push(await ask('/api/graph/logs/live', '', { method: 'GET', as: 'admin' }));
  }
  expect(new Set(heads)).toEqual(new Set(['HTTP/1.1 200', 'HTTP/1.1 429']));
  const call = {
    path: '/api/mcp',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    headers: { accept: 'application/json, text/event-stream' },
  };
  const { http } = people.workspace;
  expect((await http.send({ ...call, token: people.token('admin') })).status).toBe(429);
  expect((await http.send({ ...call, token: people.token('bob') })).status).toBe(200);
});

async function residentMemory(): Promise<number> {
  const { pid } = people.workspace.server.process;
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
