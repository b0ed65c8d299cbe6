import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '@trellis/contract/operations.ts';
import { scale } from '../support/scale.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const MB = 1024 * 1024;

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await startWorkspace();
});
afterAll(() => workspace[Symbol.asyncDispose]());

/** The memory of the server's process, in bytes. */
function memory(): number {
  const status = readFileSync(`/proc/${workspace.server.process.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024;
}

/** The longest that anybody waited for a small answer while `work` went on, in milliseconds. */
async function longestWait(work: Promise<unknown>): Promise<number> {
  const state = { isOver: false };
  const over = work.finally(() => (state.isOver = true));
  let longest = 0;
  while (!state.isOver) {
    const began = performance.now();
    expect((await workspace.http.send({ path: '/api/graph/ready' })).status).toBe(200);
    longest = Math.max(longest, performance.now() - began);
  }
  await over;
  return longest;
}

async function open(text: string): Promise<Socket> {
  const socket = connect(Number(new URL(workspace.server.url).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/** What the server had to say until it closed the connection, or fell silent. */
async function received(socket: Socket): Promise<string> {
  const [first] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [unknown];
  return String(first);
}

describe('forms of strangers', () => {
  test('hold nothing up, however many names they have', async () => {
    // 422 KB held the main thread for 16 seconds.
    const body = Array.from({ length: 60_000 }, (_, i) => `f${i}`).join('&');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const forms = Array.from({ length: scale({ sample: 3, soak: 30 }) }, async () => {
      const answer = await workspace.http.send({ path: '/api/saml/acs', body, headers });
      // No provider is configured: it was not even read.
      expect(answer.json).toMatchObject({ error: { code: 'sso_not_configured' } });
    });
    expect(await longestWait(Promise.all(forms))).toBeLessThan(5_000);
  });
});

describe('bodies of strangers', () => {
  const strangers = operations.filter(
    ({ auth, method, consumes }) => auth === 'none' && method !== 'GET' && consumes === undefined,
  );

  test.each(strangers.map(({ id, method, path }) => [id, method, path] as const))(
    '%s takes 16 KB, and not 16 MB',
    async (_id, method, path) => {
      const headers = 'Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked';
      const socket = await open(`${method} ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
      const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
      socket.write(chunk);
      const answer = await received(socket);
      expect(answer).toContain(' 413 ');
      expect(answer).toContain('larger than 16384 bytes');
      socket.destroy();
    },
  );

  test('that arrive slowly, on many connections, take next to no memory', async () => {
    // 150 of them took 2.5 GB.
    const count = scale({ sample: 40, soak: 150 });
    const before = memory();
    const body = `8000\r\n${' '.repeat(0x8000)}\r\n`.repeat(Math.floor((15 * MB) / 0x8000));
    const head =
      'POST /api/login/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const sockets: Socket[] = [];
    let most = 0;
    for (let i = 0; i < count; i++) {
      const socket = await open(head);
      const answered = received(socket);
      socket.write(body);
      sockets.push(socket);
      expect(await answered).toContain(' 413 ');
      most = Math.max(most, memory() - before);
    }
    for (const socket of sockets) socket.destroy();
    // They sent 600 MB.
    expect(most).toBeLessThan(200 * MB);
  });

  test('with a token that is none are not read either', async () => {
    const before = memory();
    const body = '[],'.repeat(5 * MB);
    for (const token of [undefined, 'h.c.s']) {
      for (const path of ['/api/cce/x', '/api/ingest', '/api/node/download/synthetic/csv']) {
        const answer = await workspace.http.send({ path, body, token });
        expect(answer.status).toBe(401);
      }
    }
    expect(memory() - before).toBeLessThan(200 * MB);
  });
});

describe('large JSON of somebody who is signed in', () => {
  test('holds nothing up, whatever it is full of', async () => {
    const { http, token } = workspace;
    const path = '/api/node/download/synthetic/jsonl';
    // 16 MB of "[]" held the main thread for a second each, and seven of them for four.
    const full = `{"nodes":[${'[],'.repeat(5 * MB)}{}]}`;
    const many = `{"nodes":[${'{"a":1,"b":[2,3],"c":{"d":"e"}},'.repeat(9_000)}{}],${' '.repeat(MB)}"x":1}`;
    const calls = Array.from({ length: scale({ sample: 6, soak: 60 }) }, async (_, i) => {
      const isFull = i % 2 === 0;
      const answer = await http.send({ path, token, body: isFull ? full : many });
      expect([answer.status, Object(answer.json).error.code]).toEqual(
        isFull ? [413, 'body_too_complex'] : [400, 'invalid_request'],
      );
    });
    expect(await longestWait(Promise.all(calls))).toBeLessThan(2_500);
  });
});
