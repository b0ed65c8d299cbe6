import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const MB = 1024 * 1024;
/** Of one address that have not signed in (docs/security.md). */
const STRANGERS = 100;

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await startWorkspace();
});
afterAll(() => workspace[Symbol.asyncDispose]());

const UPGRADE =
  'GET /api/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';

/** A connection that has asked for a WebSocket, and the status of the answer. */
async function knock(from = '127.0.0.1'): Promise<{ socket: Socket; status: number }> {
  const port = Number(new URL(workspace.server.url).port);
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(UPGRADE);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return { socket, status: Number(String(answer).split(' ')[1]) };
}

async function knockOften(count: number, from?: string) {
  return Promise.all(Array.from({ length: count }, () => knock(from)));
}

function memory(): number {
  const status = readFileSync(`/proc/${workspace.server.process.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024;
}

async function signIn(): Promise<WebSocket> {
  const socket = new WebSocket(`${workspace.server.url.replace('http', 'ws')}/api/ws`);
  await once(socket, 'open');
  socket.send(JSON.stringify({ token: workspace.token }));
  await once(socket, 'message');
  return socket;
}

describe('WebSockets that do not sign in', () => {
  test('are so many of one address, and leave places for others and for who has signed in', async () => {
    const before = await signIn();
    const all = await knockOften(STRANGERS + 20);
    expect(all.filter(({ status }) => status === 101)).toHaveLength(STRANGERS);
    expect(all.filter(({ status }) => status === 503)).toHaveLength(20);
    // Another address has a share of its own.
    const others = await knockOften(3, '127.0.0.2');
    expect(others.map(({ status }) => status)).toEqual([101, 101, 101]);
    expect(before.readyState).toBe(WebSocket.OPEN);
    for (const { socket } of [...all, ...others]) socket.destroy();
    let next = await knock();
    while (next.status !== 101) next = await knock();
    next.socket.destroy();
    before.terminate();
  });

  test('give their place back when they sign in', async () => {
    const sessions: WebSocket[] = [];
    for (let i = 0; i < STRANGERS + 10; i++) sessions.push(await signIn());
    const { socket, status } = await knock();
    expect(status).toBe(101);
    socket.destroy();
    for (const one of sessions) one.terminate();
  });

  test('have little memory, also with a message of a great many pieces', async () => {
    const before = memory();
    // Empty pieces of one message that does not end: each is an object, however small.
    const piece = Buffer.from([0x00, 0x81, 0, 0, 0, 0, 0x61]);
    const first = Buffer.from([0x01, 0x81, 0, 0, 0, 0, 0x61]);
    const message = Buffer.concat([first, ...Array.from({ length: 60_000 }, () => piece)]);
    const all = await knockOften(STRANGERS);
    const ends = all.map(async ({ socket }) => {
      socket.resume();
      const closed = once(socket, 'close');
      socket.write(message);
      await closed;
    });
    await Promise.all(ends);
    expect(memory() - before).toBeLessThan(150 * MB);
  });
});
