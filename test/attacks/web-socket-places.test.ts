import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { People } from '../support/people.ts';
import type { TestWorkspace } from '../support/workspace.ts';

const MB = 1024 * 1024;
/** Sockets that one address may open without signing in (docs/security.md). */
const STRANGERS = 100;
/** Sockets that one user may open (docs/security.md). */
const PER_USER = 500;

let people: People;
let workspace: TestWorkspace;
beforeAll(async () => {
  people = await People.start();
  workspace = people.workspace;
  await people.add('ann');
  await people.add('bob');
});
afterAll(() => people[Symbol.asyncDispose]());

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

/** Until those that have gone have given their places back. */
async function untilFree(): Promise<void> {
  let next = await knock();
  while (next.status !== 101) next = await knock();
  next.socket.destroy();
}

async function open(token: string): Promise<WebSocket> {
  await untilFree();
  const socket = new WebSocket(`${workspace.server.url.replace('http', 'ws')}/api/ws`);
  await once(socket, 'open');
  socket.send(JSON.stringify({ token }));
  return socket;
}

async function signIn(token = workspace.token): Promise<WebSocket> {
  const socket = await open(token);
  await once(socket, 'message');
  return socket;
}

async function closeCode(socket: WebSocket): Promise<number> {
  const [code] = (await once(socket, 'close')) as [number];
  return code;
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
    await untilFree();
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

describe('WebSockets of one user', () => {
  test('are so many, and leave places for others', async () => {
    const ann = people.token('ann');
    const all: WebSocket[] = [];
    for (let i = 0; i < PER_USER; i++) all.push(await signIn(ann));
    expect(await closeCode(await open(ann))).toBe(4429);
    (await signIn(people.token('bob'))).terminate();
    all.pop()?.terminate();
    // Its place is free again once the server has seen it go.
    let code = 4429;
    while (code === 4429) {
      const next = await open(ann);
      code = await Promise.race([closeCode(next), once(next, 'message').then(() => 0)]);
      if (code === 0) next.terminate();
    }
    expect(code).toBe(0);
    for (const one of all) one.terminate();
  });

  test('hold little of a message that does not end', async () => {
    const before = memory();
    const sockets: WebSocket[] = [];
    for (let i = 0; i < 100; i++) sockets.push(await signIn(people.token('ann')));
    const ends = sockets.map((socket) => {
      const closed = closeCode(socket);
      socket.send('x'.repeat(3 * MB), { fin: false });
      return closed;
    });
    expect(new Set(await Promise.all(ends))).toEqual(new Set([1009]));
    expect(memory() - before).toBeLessThan(150 * MB);
  });

  test('live on pings however many there are', async () => {
    const socket = await signIn(people.token('ann'));
    // Together more than a message may have.
    for (let i = 0; i < 800; i++) {
      const pong = once(socket, 'pong');
      socket.ping('x'.repeat(125));
      await pong;
    }
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
  });
});
