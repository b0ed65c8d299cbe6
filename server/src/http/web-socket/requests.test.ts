import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  WEB_SOCKET_CLOSE_CODES,
  webSocketAnswer,
  webSocketRequests,
} from '@trellis/contract/web-socket.ts';
import { WEB_SOCKET_REQUEST_BYTES_MAX, WEB_SOCKET_REQUESTS_MAX } from '#base/limits.ts';
import { ENDPOINT_CODE_BYTES_MAX } from '@trellis/contract/limits.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';
import { WebSocketClient } from '../testing/web-socket-client.ts';

const startTestServer = testServers();

const open: TestServer[] = [];
afterEach(async () => {
  for (const at of open.splice(0)) await at.server.close();
});

/** With an editor that completes everything with its own code. */
async function start(options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  const at = await startTestServer(options);
  open.push(at);
  const { editor, endpoints } = at.services;
  const diagnostics = [{ line: 1, column: 2, code: 2304, message: 'unknown' }];
  vi.spyOn(endpoints, 'check').mockResolvedValue({ diagnostics });
  vi.spyOn(editor, 'completions').mockImplementation(async (_caller, { code }) => ({
    items: [{ label: code, kind: 'text' }],
    isIncomplete: false,
  }));
  vi.spyOn(editor, 'hover').mockResolvedValue(null);
  vi.spyOn(editor, 'signatureHelp').mockResolvedValue(null);
  return at;
}

/** The answers, without the message that follows the token, in the order of arrival. */
async function answers(client: WebSocketClient, count: number) {
  const received = await client.received(count + 1);
  return received.slice(1).map((message) => webSocketAnswer.parse(message));
}

function ask(client: WebSocketClient, request: unknown): void {
  client.socket.send(typeof request === 'string' ? request : JSON.stringify(request));
}

const place = { code: 'q', line: 1, column: 1 };
const completion = (id: number) => ({ id, type: 'EDITOR_COMPLETION', ...place });
const refused = (id: number | null, code: string, message: unknown = expect.any(String)) => ({
  id,
  type: 'ERROR',
  error: expect.objectContaining({ code, message, hint: expect.any(String) }),
  traceId: expect.any(String),
});

describe('a request of a session', () => {
  it('is answered with its id and its type', async () => {
    const client = await WebSocketClient.signedIn(await start(), 'admin');
    ask(client, { id: 7, type: 'EDITOR_DIAGNOSTICS', code: 'q' });
    ask(client, completion(8));
    ask(client, { id: 9, type: 'EDITOR_HOVER', isReadOnly: true, ...place });
    ask(client, { id: 0, type: 'EDITOR_SIGNATURE', ...place });
    const sorted = (await answers(client, 4)).toSorted((a, b) => Number(a.id) - Number(b.id));
    expect(sorted).toEqual([
      { id: 0, type: 'EDITOR_SIGNATURE', result: null },
      {
        id: 7,
        type: 'EDITOR_DIAGNOSTICS',
        result: { diagnostics: [{ line: 1, column: 2, code: 2304, message: 'unknown' }] },
      },
      {
        id: 8,
        type: 'EDITOR_COMPLETION',
        result: { items: [{ label: 'q', kind: 'text' }], isIncomplete: false },
      },
      { id: 9, type: 'EDITOR_HOVER', result: null },
    ]);
  });

  it.each(Object.keys(webSocketRequests))('%s is for administrators', async (type) => {
    const at = await start();
    const body = type === 'EDITOR_DIAGNOSTICS' ? { code: '' } : place;
    for (const as of ['user', 'guest'] as const) {
      const client = await WebSocketClient.signedIn(at, as);
      ask(client, { id: 1, type, ...body });
      const message = `${type} needs a system administrator.`;
      expect(await answers(client, 1)).toEqual([refused(1, 'forbidden', message)]);
    }
    const reader = await WebSocketClient.signedIn(at, 'read-only-admin');
    ask(reader, { id: 1, type, ...body });
    expect(await answers(reader, 1)).toMatchObject([{ id: 1, type }]);
  });

  it.each([
    ['no JSON', '{', null, 'The message is not JSON.'],
    ['bytes', Buffer.from('{}'), null, 'The message is not text.'],
    ['no object', '[]', null, expect.stringMatching(/^The message/)],
    ['no id', '{"type":"EDITOR_HOVER"}', null, expect.stringMatching(/^The message, id: /)],
    ['an id that is no number', '{"id":"1","type":"EDITOR_HOVER"}', null, expect.anything()],
    ['no type', '{"id":1}', 1, expect.stringMatching(/^The message, type: /)],
    ['another type', '{"id":1,"type":"toString"}', 1, expect.stringContaining('"toString"')],
    ['no body', '{"id":1,"type":"EDITOR_HOVER"}', 1, expect.stringMatching(/code: /)],
    [
      'one member too many',
      JSON.stringify({ ...completion(1), token: 'x' }),
      1,
      'The message, token: is not known here',
    ],
    [
      'a column before the first',
      JSON.stringify({ ...completion(1), column: 0 }),
      1,
      expect.stringMatching(/^The message, column: /),
    ],
    [
      'code that is too long',
      JSON.stringify({ ...completion(1), code: 'x'.repeat(ENDPOINT_CODE_BYTES_MAX + 1) }),
      1,
      expect.stringMatching(/^The message, code: /),
    ],
  ])('with %s is refused, and the session lives on', async (_, message, id, text) => {
    const client = await WebSocketClient.signedIn(await start(), 'admin');
    client.socket.send(message);
    ask(client, { id: 2, type: 'EDITOR_HOVER', ...place });
    expect(await answers(client, 2)).toEqual([
      refused(id, 'invalid_request', text),
      { id: 2, type: 'EDITOR_HOVER', result: null },
    ]);
  });

  it('may have code as long as that of an endpoint, however it is escaped', async () => {
    const client = await WebSocketClient.signedIn(await start(), 'admin');
    const code = '\u0001'.repeat(ENDPOINT_CODE_BYTES_MAX);
    ask(client, { ...completion(1), code });
    const [answer] = await answers(client, 1);
    expect(answer).toMatchObject({ id: 1, result: { items: [{ label: code }] } });
  });

  it('that is longer than any ends the session', async () => {
    const client = await WebSocketClient.signedIn(await start(), 'admin');
    client.socket.send('x'.repeat(WEB_SOCKET_REQUEST_BYTES_MAX + 1));
    expect((await client.closed).code).toBe(WEB_SOCKET_CLOSE_CODES.messageTooBig);
  });

  it('that has ended is not answered any more', async () => {
    const at = await start();
    const client = await WebSocketClient.signedIn(at, 'admin');
    await at.services.identity.endSession(
      at.services.identity.authenticate(at.tokens.admin),
      '127.0.0.1',
    );
    ask(client, completion(1));
    expect((await client.closed).code).toBe(WEB_SOCKET_CLOSE_CODES.notSignedIn);
    expect(client.messages).toHaveLength(1);
  });

  it('that fails on our side says nothing of the inside, and the log says all', async () => {
    const at = await start();
    vi.mocked(at.services.editor.completions).mockRejectedValue(new Error('the compiler is gone'));
    const client = await WebSocketClient.signedIn(at, 'admin');
    ask(client, completion(1));
    const [answer] = await answers(client, 1);
    expect(answer).toEqual(refused(1, 'internal_error', 'Internal error.'));
    const log = JSON.stringify(at.records);
    expect(log).toContain('the compiler is gone');
    expect(log).toContain(Object(answer).traceId);
  });
});

describe('requests that wait', () => {
  it('give way to a newer one of the same type', async () => {
    const at = await start();
    const waiting = Promise.withResolvers<void>();
    vi.mocked(at.services.editor.completions).mockImplementation(async () => {
      await waiting.promise;
      return { items: [], isIncomplete: false };
    });
    const client = await WebSocketClient.signedIn(at, 'admin');
    for (let id = 1; id <= 1_000; id++) ask(client, completion(id));
    const superseded = await answers(client, 999);
    expect(superseded).toEqual(
      Array.from({ length: 999 }, (_, i) => refused(i + 1, 'request_superseded')),
    );
    // Another type, and another session, have nothing to do with it.
    const other = await WebSocketClient.signedIn(at, 'admin');
    ask(client, { id: 1_001, type: 'EDITOR_HOVER', ...place });
    ask(other, completion(1));
    await answers(client, 1_000);
    waiting.resolve();
    expect((await answers(client, 1_001)).at(-1)).toMatchObject({
      id: 1_000,
      type: 'EDITOR_COMPLETION',
    });
    expect(await answers(other, 1)).toMatchObject([{ id: 1, type: 'EDITOR_COMPLETION' }]);
    expect(JSON.stringify(at.records)).not.toContain('request_superseded');
  });

  it('are refused beyond the limit, until one of them is answered', async () => {
    const at = await start();
    const waiting = Promise.withResolvers<{ diagnostics: [] }>();
    vi.mocked(at.services.endpoints.check).mockReturnValue(waiting.promise);
    const client = await WebSocketClient.signedIn(at, 'admin');
    const check = (id: number) => ask(client, { id, type: 'EDITOR_DIAGNOSTICS', code: '' });
    for (let id = 1; id <= WEB_SOCKET_REQUESTS_MAX + 1; id++) check(id);
    expect(await answers(client, 1)).toEqual([
      refused(WEB_SOCKET_REQUESTS_MAX + 1, 'too_many_requests'),
    ]);
    waiting.resolve({ diagnostics: [] });
    await answers(client, WEB_SOCKET_REQUESTS_MAX + 1);
    check(0);
    expect((await answers(client, WEB_SOCKET_REQUESTS_MAX + 2)).at(-1)).toMatchObject({
      id: 0,
      result: {},
    });
  });

  it('are given up when the session leaves', async () => {
    const at = await start();
    const signalled = Promise.withResolvers<unknown>();
    const asked = Promise.withResolvers<void>();
    vi.mocked(at.services.editor.hover).mockImplementation((_caller, _place, signal) => {
      signal?.addEventListener('abort', () => signalled.resolve(signal.reason));
      asked.resolve();
      return new Promise(() => {});
    });
    const client = await WebSocketClient.signedIn(at, 'admin');
    ask(client, { id: 1, type: 'EDITOR_HOVER', ...place });
    await asked.promise;
    client.socket.terminate();
    expect(await signalled.promise).toBeInstanceOf(Error);
  });
});
