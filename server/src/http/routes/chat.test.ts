import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { TurnCall } from '#assistant/chat/chat-turn.ts';
import { Problem } from '#base/problem.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

const PATH = '/api/chatai/chat';
const EVENTS = { accept: 'text/event-stream' };
const BEGUN = { chatUID: '1', messageUID: '3' };
const ANSWER = {
  ...BEGUN,
  answer: 'Hello',
  citations: [],
  toolCalls: [],
  usage: { inputTokens: 2, outputTokens: 1 },
  model: 'm',
  ended: 'answer',
  support: [],
  supportRate: null,
  supportJudge: null,
} as const;

const open: TestServer[] = [];
afterEach(async () => {
  for (const at of open.splice(0)) await at.server.close();
});

async function start(options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  const at = await startTestServer(options);
  open.push(at);
  return at;
}

const ask = ({ request }: TestServer, headers: Record<string, string> = {}) =>
  request('POST', PATH, { as: 'user', json: { message: 'Hello' }, headers });

/** A turn that lasts until nobody listens any more; what it is told then. */
function endless(at: TestServer) {
  const begun = Promise.withResolvers<TurnCall>();
  vi.spyOn(at.services.chat, 'say').mockImplementation(async (_turn, call) => {
    call.onBegin(BEGUN);
    begun.resolve(call);
    if (!call.signal.aborted) await once(call.signal, 'abort');
    throw new Problem('server_stopping', 'nobody listens');
  });
  return begun.promise;
}

it('is one JSON answer, or its events and then exactly the same', async () => {
  const at = await start();
  vi.spyOn(at.services.chat, 'say').mockImplementation(async (_turn, { onBegin, onEvent }) => {
    onBegin(BEGUN);
    onEvent({ event: 'delta', data: { text: 'Hello' } });
    return ANSWER;
  });
  const whole = await ask(at);
  expect([whole.status, whole.headers.get('msk-chat')]).toEqual([200, '1']);
  const { text, headers } = await ask(at, EVENTS);
  expect([headers.get('msk-chat'), headers.get('x-msk-sequence')]).toEqual([
    '1',
    String(at.services.sequence()),
  ]);
  expect(text.split('\n\n')).toEqual([
    'event: delta\ndata: {"text":"Hello"}',
    `event: result\ndata: ${whole.text}`,
    'event: done\ndata: {}',
    '',
  ]);
});

describe('what goes wrong', () => {
  it('before it begins is an error as any other', async () => {
    const at = await start();
    const busy = new Problem('chat_busy', 'An answer is under way.');
    vi.spyOn(at.services.chat, 'say').mockRejectedValue(busy);
    for (const headers of [{}, EVENTS]) {
      const { status, json } = await ask(at, headers);
      expect([status, Object(json).error.code]).toEqual([409, 'chat_busy']);
    }
  });

  it('later is an event, which says no more than an answer would', async () => {
    const at = await start();
    vi.spyOn(at.services.chat, 'say').mockImplementation(async (_turn, { onBegin }) => {
      onBegin(BEGUN);
      throw new Error('the inside');
    });
    const { status, text, headers } = await ask(at, EVENTS);
    const [error, done] = text.split('\n\n');
    expect([status, done]).toEqual([200, 'event: done\ndata: {}']);
    expect(error).toContain('event: error\n');
    expect(error).toContain('internal_error');
    expect(error).toContain(headers.get('x-request-id'));
    expect(text).not.toContain('the inside');
    expect(JSON.stringify(at.records)).toContain('the inside');
  });
});

describe('a stream', () => {
  it('says that it goes on, until the session is over, which stops the turn', async () => {
    const at = await start({ timeouts: { eventStreamHeartbeat: 5 } });
    const begun = endless(at);
    // At each beat the session is looked at once more.
    const looks = vi.spyOn(at.services.identity, 'authenticate');
    const answer = ask(at, EVENTS);
    await begun;
    await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(2);
    await at.request('POST', '/api/login/end', { as: 'user' });
    const { text } = await answer;
    expect(text.startsWith(':\n\n')).toBe(true);
    expect(text).not.toContain('event: result');
  });

  it('stops when the server does', async () => {
    const at = await start();
    const begun = endless(at);
    const answer = ask(at, EVENTS).catch(() => undefined);
    const { signal } = await begun;
    await at.server.close();
    expect(signal.aborted).toBe(true);
    await answer;
  });
});
