import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { WEB_SOCKET_CLOSE_CODES } from '@trellis/contract/web-socket.ts';
import { userUid } from '#identity/users.ts';
import {
  WEB_SOCKET_MESSAGE_BYTES_MAX,
  WEB_SOCKET_REQUEST_BYTES_MAX,
  WEB_SOCKET_WAITING_BYTES_MAX,
} from '#base/limits.ts';
import { RawConnection } from '../testing/raw-connection.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';
import { WebSocketClient as Client } from '../testing/web-socket-client.ts';

const startTestServer = testServers();

const open: TestServer[] = [];
afterEach(async () => {
  for (const at of open.splice(0)) await at.server.close();
});

async function start(options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  const at = await startTestServer(options);
  open.push(at);
  return at;
}

const UPGRADE =
  'GET /api/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';

describe('a session', () => {
  it('gets the list as it stands, and then what happens', async () => {
    const at = await start();
    at.frontEnd.replicaUrls = 'https://r1.example';
    const client = await Client.signedIn(at);
    at.server.broadcast({ type: 'REPLICAS_CHANGED', replicas: '' });
    at.server.broadcast({ type: 'FRONTEND_CHANGED' });
    expect(await client.received(3)).toEqual([
      { type: 'REPLICAS_CHANGED', replicas: 'https://r1.example' },
      { type: 'REPLICAS_CHANGED', replicas: '' },
      { type: 'FRONTEND_CHANGED' },
    ]);
  });

  it('of somebody who is no administrator does not hear of jobs', async () => {
    const at = await start();
    const all = ['admin', 'read-only-admin', 'user', 'guest'] as const;
    const clients = await Promise.all(all.map((name) => Client.signedIn(at, name)));
    const job = {
      id: '1',
      kind: 'index-rebuild',
      state: 'running',
      progress: 0.5,
      step: 'Indexing',
      isCancellable: false,
      startedAt: '2026-11-20T00:00:00.000Z',
      endedAt: null,
    } as const;
    at.server.broadcast({ type: 'JOB_CHANGED', job });
    at.server.broadcast({ type: 'FRONTEND_CHANGED' });
    const heard = clients.map(async (client, i) => {
      const messages = await client.received(i < 2 ? 3 : 2);
      return messages.slice(1).map((message) => Object(message).type);
    });
    const both = ['JOB_CHANGED', 'FRONTEND_CHANGED'];
    expect(await Promise.all(heard)).toEqual([both, both, [both[1]], [both[1]]]);
  });

  it('hears of the jobs of its own user', async () => {
    const at = await start();
    const client = await Client.signedIn(at, 'user');
    const job = {
      id: '1',
      kind: 'deep-research',
      state: 'running',
      progress: 0.5,
      step: 'Reading',
      isCancellable: true,
      startedAt: '2026-11-20T00:00:00.000Z',
      endedAt: null,
    } as const;
    at.server.broadcast({ type: 'JOB_CHANGED', job: { ...job, id: '2' } }, 'somebody else');
    at.server.broadcast({ type: 'JOB_CHANGED', job }, userUid('user'));
    expect((await client.received(2)).slice(1)).toEqual([{ type: 'JOB_CHANGED', job }]);
  });

  it('is served on a replica too', async () => {
    const at = await start({ primaryAddress: () => 'https://primary.example' });
    expect(await (await Client.signedIn(at)).received(1)).toHaveLength(1);
  });

  it('that has ended gets nothing more', async () => {
    const at = await start();
    const client = await Client.signedIn(at);
    await at.request('POST', '/api/login/end', { as: 'user' });
    at.server.broadcast({ type: 'FRONTEND_CHANGED' });
    expect(await client.closed).toEqual({
      code: WEB_SOCKET_CLOSE_CODES.notSignedIn,
      reason: expect.stringMatching(/^invalid_token: /),
    });
    expect(client.messages).toHaveLength(1);
  });

  it('is closed when the server cannot tell whether it holds, and the log says why', async () => {
    const at = await start();
    const client = await Client.signedIn(at);
    vi.spyOn(at.services.identity, 'authenticate').mockImplementation(() => {
      throw new Error('the vault is gone');
    });
    at.server.broadcast({ type: 'FRONTEND_CHANGED' });
    expect(await client.closed).toEqual({ code: 1011, reason: 'internal_error' });
    expect(JSON.stringify(at.records)).toContain('the vault is gone');
  });

  it('that does not take its messages is closed, and the others are not', async () => {
    const at = await start();
    const slow = await Client.signedIn(at);
    const other = await Client.signedIn(at);
    slow.socket.pause();
    const replicas = 'x'.repeat(WEB_SOCKET_WAITING_BYTES_MAX);
    for (let i = 2; i < 80; i++) {
      at.server.broadcast({ type: 'REPLICAS_CHANGED', replicas });
      await other.received(i);
    }
    slow.socket.resume();
    const { code } = await slow.closed;
    // The close itself may have come too late for it.
    expect([WEB_SOCKET_CLOSE_CODES.tooSlow, 1006]).toContain(code);
    expect(slow.messages.length).toBeLessThan(other.messages.length);
    expect(other.socket.readyState).toBe(WebSocket.OPEN);
  });

  it('is closed soon when the session has ended, whatever its peer does', async () => {
    const at = await start({ timeouts: { webSocketSessionCheck: 100 } });
    const client = await Client.signedIn(at);
    await at.request('POST', '/api/login/end', { as: 'user' });
    expect((await client.closed).code).toBe(WEB_SOCKET_CLOSE_CODES.notSignedIn);
  });

  it('is asked now and then, and cut off when its peer is dead', async () => {
    const at = await start({ timeouts: { webSocketPing: 100 } });
    const alive = await Client.signedIn(at);
    const dead = await Client.signedIn(at);
    dead.socket.pause();
    const pings = once(alive.socket, 'ping').then(() => once(alive.socket, 'ping'));
    await pings;
    await once(alive.socket, 'ping');
    dead.socket.resume();
    expect((await dead.closed).code).toBe(1006);
    expect(alive.socket.readyState).toBe(WebSocket.OPEN);
  });
});

describe('a stranger', () => {
  it.each([
    ['another kind of token', '{"token":"RUN"}', 'forbidden', 'forbidden: '],
    ['an unknown token', '{"token":"nobody"}', 'notSignedIn', 'invalid_token: '],
    ['an empty token', '{"token":""}', 'invalidMessage', 'invalid_request: '],
    ['another member', '{"token":"USER","x":1}', 'invalidMessage', 'invalid_request: '],
    ['no object', '"USER"', 'invalidMessage', 'invalid_request: '],
    ['no JSON', 'USER', 'invalidMessage', 'invalid_request: '],
    ['bytes', Buffer.from('{}'), 'invalidMessage', 'invalid_request: '],
  ] as const)('with %s is closed, and told why', async (_, message, code, reason) => {
    const at = await start();
    const client = await Client.open(at);
    const { user, 'run-token': run } = at.tokens;
    client.socket.send(
      typeof message === 'string' ? message.replace('USER', user).replace('RUN', run) : message,
    );
    expect(await client.closed).toEqual({
      code: WEB_SOCKET_CLOSE_CODES[code],
      reason: expect.stringMatching(new RegExp(`^${reason}`)),
    });
    expect(client.messages).toEqual([]);
  });

  it.each([
    ['longer than any token', WEB_SOCKET_MESSAGE_BYTES_MAX + 1],
    ['as long as a request of a session', WEB_SOCKET_REQUEST_BYTES_MAX],
    ['longer than any request', WEB_SOCKET_REQUEST_BYTES_MAX + 1],
  ])('with a message %s is closed', async (_, bytes) => {
    const client = await Client.open(await start());
    client.socket.send('x'.repeat(bytes));
    expect((await client.closed).code).toBe(WEB_SOCKET_CLOSE_CODES.messageTooBig);
  });

  it('with a token as long as it may be is read', async () => {
    const client = await Client.open(await start());
    const token = 'x'.repeat(WEB_SOCKET_MESSAGE_BYTES_MAX - JSON.stringify({ token: '' }).length);
    client.socket.send(JSON.stringify({ token }));
    expect((await client.closed).code).toBe(WEB_SOCKET_CLOSE_CODES.notSignedIn);
  });

  it('who says nothing is closed, and gets nothing before', async () => {
    const at = await start({ timeouts: { webSocketSignIn: 50 } });
    const client = await Client.open(at);
    at.server.broadcast({ type: 'FRONTEND_CHANGED' });
    expect(await client.closed).toEqual({
      code: WEB_SOCKET_CLOSE_CODES.signInTimeout,
      reason: expect.stringMatching(/^missing_token: /),
    });
    expect(client.messages).toEqual([]);
  });
});

describe('what does not become a WebSocket', () => {
  async function answerTo(at: TestServer, request: string): Promise<[number, unknown]> {
    const connection = await RawConnection.open(at.port);
    connection.send(`${request}\r\n`);
    const { status, body } = await connection.response();
    return [status, body === '' ? '' : JSON.parse(body).error.code];
  }

  it.each([
    ['a plain request', 'GET /api/ws HTTP/1.1\r\nHost: x\r\n'],
    ['an old version', UPGRADE.replace('13', '8')],
    ['a broken key', UPGRADE.replace('AA==', '')],
    ['another protocol', UPGRADE.replace('websocket', 'h2c')],
  ])('%s is answered 426', async (_, request) => {
    expect(await answerTo(await start(), request)).toEqual([426, 'upgrade_required']);
  });

  it('another path is what it is without the upgrade', async () => {
    const at = await start();
    const elsewhere = UPGRADE.replace('/api/ws', '/api/graph/ready');
    const connection = await RawConnection.open(at.port);
    connection.send(`${elsewhere}\r\n`);
    expect((await connection.response()).body).toBe('true');
    expect(await answerTo(at, UPGRADE.replace('/api/ws', '/nowhere'))).toEqual([
      404,
      'route_not_found',
    ]);
    const posted = await at.request('POST', '/api/ws', { json: {} });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('says in a header what would be understood', async () => {
    const at = await start();
    const connection = await RawConnection.open(at.port);
    connection.send('GET /api/ws HTTP/1.1\r\nHost: x\r\n\r\n');
    const { headers } = await connection.response();
    expect(headers.get('upgrade')).toBe('websocket');
  });

  it('is refused before the graph is loaded', async () => {
    const at = await start({ isReady: false });
    expect(await answerTo(at, UPGRADE)).toEqual([503, 'not_ready']);
  });

  it('is refused beyond the limit, until another one closes', async () => {
    const at = await start({ webSocketsMax: 2 });
    const first = await Client.signedIn(at);
    await Client.signedIn(at);
    expect(await answerTo(at, UPGRADE)).toEqual([503, 'too_many_connections']);
    first.socket.terminate();
    await first.closed;
    const again = async (): Promise<number> => (await answerTo(at, UPGRADE))[0];
    let status = await again();
    while (status === 503) status = await again();
    expect(status).toBe(101);
  });

  it('is sent to HTTPS when so configured', async () => {
    const at = await start({ redirectToHttps: true });
    expect((await answerTo(at, UPGRADE))[0]).toBe(308);
    const connection = await RawConnection.open(at.port);
    connection.send(`${UPGRADE}X-Forwarded-Proto: https\r\n\r\n`);
    expect((await connection.response()).status).toBe(101);
  });
});

describe('a stop', () => {
  it('closes every WebSocket with 1001, and waits for no peer that is silent', async () => {
    const at = await start();
    const client = await Client.signedIn(at);
    const silent = await Client.open(at);
    silent.socket.pause();
    await at.server.close();
    expect(await client.closed).toEqual({
      code: WEB_SOCKET_CLOSE_CODES.goingAway,
      reason: expect.stringMatching(/^server_stopping: /),
    });
    silent.socket.resume();
    await silent.closed;
  });
});
