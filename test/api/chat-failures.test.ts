import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHAT, CHATS, ChatScene, eventsOf } from '../support/chat-scene.ts';
import { calls, says, type LlmTurn } from '../support/llm-server.ts';
import { PROVIDER_KEY } from '../support/llm-workspace.ts';
import { items } from '../support/people.ts';
import { TrellisProcess } from '../support/trellis-process.ts';

/** What was said before has arrived when the connection is cut. */
const BREAKS_OFF: LlmTurn = {
  ...says('One two three four.'),
  beforeEvent: async () => setImmediate(),
  cutAfter: 3,
};

let at: ChatScene;
beforeAll(async () => {
  at = await ChatScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());

const chat = async (uid: string) => Object(await at.ok('ann', 'GET', `${CHATS}/${uid}`));
const reply = async (uid: string) => (await chat(uid)).messages.at(-1);
/** A model that says a piece, and then waits until it is let go on. */
function waiting(): {
  readonly turn: LlmTurn;
  readonly goOn: () => void;
  readonly reached: Promise<void>;
} {
  const held = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const beforeEvent = (index: number): Promise<void> | undefined => {
    if (index < 4) return undefined;
    reached.resolve();
    return held.promise;
  };
  const turn = { ...says('One two three four five six seven eight.'), beforeEvent };
  return { turn, goOn: held.resolve, reached: reached.promise };
}

describe('a provider', () => {
  const overloaded = { status: 429, headers: { 'retry-after': '17' } };
  test.each<[string, readonly LlmTurn[], number, string]>([
    ['that is busy', [{ fault: overloaded }, { fault: overloaded }], 429, 'llm_busy'],
    [
      'that fails',
      [{ fault: { status: 500 } }, { fault: { status: 500 } }],
      503,
      'llm_unavailable',
    ],
    ['that refuses the key', [{ fault: { status: 401 } }], 502, 'llm_misconfigured'],
    ['that says no JSON', [{ raw: ['data: {"no\n\n'] }], 502, 'llm_misconfigured'],
    ['that breaks off', [BREAKS_OFF], 503, 'llm_unavailable'],
  ])(
    '%s is an error, and the answer can be asked for again',
    async (_what, turns, status, code) => {
      at.script(...turns);
      const failed = await at.say('ann', { message: 'Hello' });
      const { error } = Object(failed.json);
      expect([failed.status, error.code]).toEqual([status, code]);
      expect(failed.text).not.toContain(PROVIDER_KEY);
      expect(failed.text).not.toContain('127.0.0.1');
      if (code === 'llm_busy') expect(failed.headers.get('retry-after')).toBe('17');
      const { chatUID, messageUID } = error.details;
      const kept = await chat(chatUID);
      expect(kept.isBusy).toBe(false);
      expect(kept.messages).toMatchObject([
        { text: 'Hello' },
        { UID: messageUID, ended: 'failed', error: { code }, usage: null },
      ]);
      at.script(says('Hello!'));
      const again = await at.answered('ann', { chatUID, regenerateUID: messageUID });
      expect(again).toMatchObject({ answer: 'Hello!', ended: 'answer' });
      expect((await chat(chatUID)).messages).toHaveLength(2);
    },
  );

  test('that breaks off ends a stream with the error; what was said is kept', async () => {
    at.script(BREAKS_OFF);
    const response = await at.stream('ann', { message: 'Count' });
    const told = await Array.fromAsync(eventsOf(response));
    expect(told.slice(-2).map(({ event }) => event)).toEqual(['error', 'done']);
    expect(told.at(-2)?.data).toMatchObject({
      error: { code: 'llm_unavailable' },
      traceId: response.headers.get('x-request-id'),
    });
    const said = told.flatMap(({ event, data }) => (event === 'delta' ? [data['text']] : []));
    expect(said.join('')).not.toBe('');
    expect((await reply(response.headers.get('msk-chat')!)).text).toBe(said.join(''));
    const [event] = items(await at.people.as('admin', 'GET', '/api/audit?take=1'));
    expect(event).toMatchObject({ outcome: 'failure', details: { code: 'llm_unavailable' } });
  });

  test('that says nothing at all can be left', async () => {
    const silent = Promise.withResolvers<void>();
    at.script({ gate: silent.promise });
    const response = await at.stream('ann', { message: 'Hello' });
    await at.provider.received(1);
    const chatUID = response.headers.get('msk-chat')!;
    await at.ok('ann', 'POST', `${CHATS}/${chatUID}/stop`);
    const told = await Array.fromAsync(eventsOf(response));
    expect(told).toMatchObject([
      { event: 'result', data: { answer: '', ended: 'stopped' } },
      { event: 'done' },
    ]);
    await at.provider.left(1);
    silent.resolve();
  });

  test('that there is not: nothing is begun', async () => {
    const before = (await at.ok('ann', 'GET', CHATS))['total'];
    const { chat: provider } = Object(await at.ok('admin', 'GET', '/api/chatai/providers'));
    await at.ok('admin', 'PUT', '/api/chatai/providers', { chat: null });
    const outcome = await at.people.outcome('ann', 'POST', CHAT, { message: 'Hello' });
    expect(outcome).toEqual([409, 'llm_not_configured']);
    const response = await at.stream('ann', { message: 'Hello' });
    expect([response.status, Object(await response.json()).error.code]).toEqual([
      409,
      'llm_not_configured',
    ]);
    expect((await at.ok('ann', 'GET', CHATS))['total']).toBe(before);
    const { hasApiKey: _hasApiKey, ...settings } = provider;
    const apiKey = PROVIDER_KEY;
    await at.ok('admin', 'PUT', '/api/chatai/providers', { chat: { ...settings, apiKey } });
  });
});

describe('a model', () => {
  test('that asks for tools for ever is stopped', async () => {
    const turns = Array.from({ length: 20 }, () => calls(['find', { name: 'oak' }]));
    at.script(...turns);
    const answer = await at.answered('ann', { message: 'Hello' });
    const ran = answer.toolCalls.filter(({ error }: { error?: unknown }) => error === undefined);
    expect(ran).toHaveLength(8);
    expect(answer.ended).toBe('tool-calls');
    expect((await reply(answer.chatUID)).ended).toBe('tool-calls');
  });

  test('that invents a tool, or what it takes, is told so', async () => {
    at.script(calls(['nothing', {}], ['find', { name: 7 }]), says('I could not.'));
    const { toolCalls } = await at.answered('ann', { message: 'Hello' });
    expect(toolCalls).toMatchObject([
      { tool: 'nothing', error: { code: 'tool_not_found' } },
      { tool: 'find', error: { code: 'invalid_request' } },
    ]);
  });
});

describe('one turn at a time', () => {
  test('another meets 409, until the first is stopped', async () => {
    const held = waiting();
    at.script(held.turn, says('Next.'));
    const response = await at.stream('ann', { message: 'Count' });
    await held.reached;
    const chatUID = response.headers.get('msk-chat')!;
    expect(await chat(chatUID)).toMatchObject({
      isBusy: true,
      messages: [{ role: 'user' }, { role: 'assistant', ended: null, usage: null }],
    });
    const next = { message: 'Next', chatUID };
    expect(await at.people.outcome('ann', 'POST', CHAT, next)).toEqual([409, 'chat_busy']);
    await at.ok('ann', 'POST', `${CHATS}/${chatUID}/stop`);
    const told = await Array.fromAsync(eventsOf(response));
    expect(told.slice(-2)).toMatchObject([
      { event: 'result', data: { ended: 'stopped', usage: null } },
      { event: 'done' },
    ]);
    const said = String(told.at(-2)?.data['answer']);
    expect('One two three four five six seven eight.'.startsWith(said) && said !== '').toBe(true);
    expect(await reply(chatUID)).toMatchObject({ text: said, ended: 'stopped' });
    await at.provider.left(1);
    expect((await at.answered('ann', next)).answer).toBe('Next.');
    held.goOn();
  });

  test.each(['as a stream', 'as JSON'])('whoever leaves stops it: %s', async (how) => {
    const held = waiting();
    at.script(held.turn);
    const leaving = new AbortController();
    const { url } = at.people.workspace.server;
    const left = fetch(new URL(CHAT, url), {
      method: 'POST',
      signal: leaving.signal,
      headers: {
        authorization: `Bearer ${at.people.token('ann')}`,
        'content-type': 'application/json',
        accept: how === 'as JSON' ? 'application/json' : 'text/event-stream',
      },
      body: JSON.stringify({ message: `Count ${how}` }),
    });
    left.catch(() => undefined);
    await held.reached;
    const [{ UID: chatUID }] = Object(await at.ok('ann', 'GET', `${CHATS}?take=1`)).items;
    leaving.abort();
    await at.provider.left(1);
    await at.ok('ann', 'POST', `${CHATS}/${chatUID}/stop`);
    expect(await chat(chatUID)).toMatchObject({ title: `Count ${how}`, isBusy: false });
    expect((await reply(chatUID)).ended).toBe('stopped');
    held.goOn();
  });

  test('a conversation that is deleted meanwhile ends it', async () => {
    const held = waiting();
    at.script(held.turn);
    const response = await at.stream('ann', { message: 'Count' });
    await held.reached;
    const chatUID = response.headers.get('msk-chat')!;
    await at.ok('ann', 'DELETE', `${CHATS}/${chatUID}`);
    const told = await Array.fromAsync(eventsOf(response));
    expect(told.at(-2)).toMatchObject({ event: 'result', data: { ended: 'stopped' } });
    expect(await at.people.outcome('ann', 'GET', `${CHATS}/${chatUID}`)).toEqual([
      404,
      'chat_not_found',
    ]);
    held.goOn();
  });

  test('a user has only so many', async () => {
    const held = Array.from({ length: 8 }, waiting);
    at.script(...held.map(({ turn }) => turn));
    const open: Response[] = [];
    for (const { reached } of held) {
      open.push(await at.stream('ann', { message: 'Count' }));
      await reached;
    }
    const more = { message: 'One more' };
    expect(await at.people.outcome('ann', 'POST', CHAT, more)).toEqual([429, 'too_many_requests']);
    for (const { goOn } of held) goOn();
    for (const response of open) expect(await response.text()).toContain('event: done');
  });
});

test('a server that is killed meanwhile: the answer was interrupted, and the conversation goes on', async () => {
  const held = waiting();
  at.script(held.turn, says('Again.'));
  const response = await at.stream('ann', { message: 'Count' });
  await held.reached;
  const chatUID = response.headers.get('msk-chat')!;
  const { server, storage } = at.people.workspace;
  await server.kill();
  held.goOn();
  await using restarted = await TrellisProcess.start({ storage });
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(new URL(path, restarted.url), {
      method,
      headers: {
        authorization: `Bearer ${at.people.token('ann')}`,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return Object(await answer.json());
  };
  const kept = await send('GET', `${CHATS}/${chatUID}`);
  expect(kept).toMatchObject({
    isBusy: false,
    messages: [{ text: 'Count' }, { ended: 'interrupted', text: '', error: null }],
  });
  const again = { chatUID, regenerateUID: kept.messages[1].UID };
  expect(await send('POST', CHAT, again)).toMatchObject({ answer: 'Again.', ended: 'answer' });
});
