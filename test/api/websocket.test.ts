import { afterAll, beforeAll, expect, test } from 'vitest';
import { WEB_SOCKET_CLOSE_CODES, webSocketMessage } from '@trellis/contract/web-socket.ts';
import { field } from '../support/http-client.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let at: TestWorkspace;
beforeAll(async () => {
  at = await startWorkspace();
});
afterAll(() => at[Symbol.asyncDispose]());

function closeOf(socket: WebSocket): Promise<CloseEvent> {
  return new Promise((resolve) => socket.addEventListener('close', resolve));
}

/** A page's socket: the browser's own interface. */
class PageSocket {
  readonly socket = new WebSocket(`${at.server.url.replace('http', 'ws')}/api/ws`);
  readonly messages: unknown[] = [];
  readonly closed = closeOf(this.socket);
  #wake: () => void = () => undefined;

  constructor(firstMessage?: string) {
    this.socket.addEventListener('open', () => {
      if (firstMessage !== undefined) this.socket.send(firstMessage);
    });
    this.socket.addEventListener('message', ({ data }) => {
      const message = webSocketMessage.parse(JSON.parse(data));
      // The index follows each commit by itself.
      if (message.type === 'VIEW_CHANGED' && message.view === 'search') return;
      this.messages.push(message);
      this.#wake();
    });
  }

  async received(count: number): Promise<unknown[]> {
    while (this.messages.length < count) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.messages;
  }
}

const signedIn = (token = at.token): PageSocket => new PageSocket(JSON.stringify({ token }));
const putReplicas = (ReplicaURLs: string) =>
  at.http.send({
    method: 'PUT',
    path: '/api/workspace/settings',
    token: at.token,
    body: { ReplicaURLs },
  });

test('a session hears of the replicas: as they are, and as they change', async () => {
  const page = signedIn();
  await page.received(1);
  await putReplicas('https://r1.example;https://r2.example/');
  // What changes nothing is not told.
  await putReplicas('https://r1.example;https://r2.example');
  await putReplicas('');
  expect(await page.received(3)).toEqual([
    { type: 'REPLICAS_CHANGED', replicas: '' },
    { type: 'REPLICAS_CHANGED', replicas: 'https://r1.example;https://r2.example' },
    { type: 'REPLICAS_CHANGED', replicas: '' },
  ]);
  page.socket.close();
  await page.closed;
});

test('the socket of a session that was ended is closed with the next message', async () => {
  const token = await at.http.signIn();
  const page = signedIn(token);
  const stays = signedIn();
  await page.received(1);
  await stays.received(1);
  await at.http.send({ method: 'POST', path: '/api/login/end', token });
  await putReplicas('https://r3.example');
  const { code, reason } = await page.closed;
  expect([code, reason]).toEqual([
    WEB_SOCKET_CLOSE_CODES.notSignedIn,
    expect.stringMatching(/^invalid_token: /),
  ]);
  expect(page.messages).toHaveLength(1);
  expect(await stays.received(2)).toHaveLength(2);
  stays.socket.close();
});

test('a token that is none of a session opens nothing', async () => {
  const minted = await at.http.send({
    path: '/api/tokens',
    token: at.token,
    body: { kind: 'api', name: 'x', scopes: ['ingestion'] },
  });
  const page = signedIn(field(minted.json, 'token'));
  expect((await page.closed).code).toBe(WEB_SOCKET_CLOSE_CODES.forbidden);
  expect((await signedIn('nonsense').closed).code).toBe(WEB_SOCKET_CLOSE_CODES.notSignedIn);
  expect((await new PageSocket('hello').closed).code).toBe(WEB_SOCKET_CLOSE_CODES.invalidMessage);
});

test('without an upgrade the path says what it is', async () => {
  const answer = await at.http.send({ path: '/api/ws' });
  expect([answer.status, answer.headers.get('upgrade'), answer.json]).toEqual([
    426,
    'websocket',
    expect.objectContaining({ error: expect.objectContaining({ code: 'upgrade_required' }) }),
  ]);
});

test('a stop closes every socket with 1001, and is not held up by them', async () => {
  await using own = await startWorkspace();
  const socket = new WebSocket(`${own.server.url.replace('http', 'ws')}/api/ws`);
  const closed = closeOf(socket);
  const heard = new Promise((resolve) => socket.addEventListener('message', resolve));
  socket.addEventListener('open', () => socket.send(JSON.stringify({ token: own.token })));
  await heard;
  expect(await own.server.stop()).toBe(0);
  expect((await closed).code).toBe(WEB_SOCKET_CLOSE_CODES.goingAway);
});

test('administrators hear which list has changed, and nobody else', async () => {
  const as = (path: string, body: object, method = 'POST') =>
    at.http.send({ method, path, token: at.token, body });
  const password = 'a password of ann';
  await as('/api/users', { userName: 'ann', email: 'ann@example.org', password });
  const ann = signedIn(await at.http.signIn('ann', password));
  const admin = signedIn();
  await Promise.all([ann.received(1), admin.received(1)]);
  await as('/api/workspace/settings', { fetchAllowList: ['http://127.0.0.1:9'] }, 'PUT');
  const made = await as('/api/webhooks', {
    name: 'CRM',
    url: 'http://127.0.0.1:9/',
    enabled: false,
  });
  expect(made.status, made.text).toBe(201);
  const told = { type: 'VIEW_CHANGED', view: 'webhooks' };
  expect((await admin.received(2)).slice(1)).toEqual([told]);
  // Tells that nothing else has come before.
  await putReplicas('https://r4.example');
  await ann.received(2);
  expect(ann.messages.slice(1)).toEqual([
    { type: 'REPLICAS_CHANGED', replicas: 'https://r4.example' },
  ]);
  for (const { socket } of [ann, admin]) socket.close();
});
