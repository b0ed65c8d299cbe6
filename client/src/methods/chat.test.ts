import { describe, expect, it } from 'vitest';
import type { ChatEvent } from './chat.ts';
import { failureOf, refusal, scripted } from '../testing/scripted-server.ts';

const ANSWER = {
  chatUID: 'c1',
  messageUID: 'm2',
  answer: 'Yes.',
  citations: [],
  toolCalls: [],
  usage: { inputTokens: 1, outputTokens: 1 },
  model: 'm',
  ended: 'answer',
};
const CALL = { id: 't1', tool: 'lookup', input: {} };
const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

function streaming(...events: string[]) {
  const headers = { 'content-type': 'text/event-stream', 'msk-chat': 'c1' };
  return scripted([{ headers, body: events.join('') }]);
}

async function all(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  return Array.fromAsync(events);
}

it('sends a message and waits for the answer', async () => {
  const { client, seen } = await scripted([{ body: ANSWER }]);
  const turn = { message: 'Is it?', chatUID: 'c1', tools: ['lookup'] };
  expect(await client.chats.send(turn)).toEqual(ANSWER);
  expect(seen.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
    ['POST', '/api/chatai/chat', turn],
  ]);
});

it('says nothing twice when the model is busy', async () => {
  const busy = { status: 429, headers: { 'retry-after': '0' }, body: refusal('llm_busy') };
  const { client, seen } = await scripted([busy, { body: ANSWER }]);
  expect(await failureOf(client.chats.send({ message: 'Is it?' }))).toMatchObject({
    code: 'llm_busy',
  });
  expect(seen).toHaveLength(1);
});

describe('an answer as it comes', () => {
  it('has its conversation first, then text and tools, and the whole last', async () => {
    const begun = { ...CALL, state: 'begun' as const };
    const ended = { ...CALL, state: 'ended' as const, output: 1, ms: 2 };
    const { client, seen } = await streaming(
      ':\n\n',
      event('tool', begun),
      event('tool', ended),
      event('delta', { text: 'Yes' }),
      event('delta', { text: '.' }),
      event('result', ANSWER),
      event('done', {}),
    );
    expect(await all(client.chats.stream({ message: 'Is it?' }))).toEqual([
      { kind: 'begun', chatUID: 'c1' },
      { kind: 'tool', tool: begun },
      { kind: 'tool', tool: ended },
      { kind: 'delta', text: 'Yes' },
      { kind: 'delta', text: '.' },
      { kind: 'result', answer: ANSWER },
    ]);
    expect(seen[0]?.headers['accept']).toBe('text/event-stream');
  });

  it('that fails on the way throws what the service says', async () => {
    const { client } = await streaming(
      event('delta', { text: 'Ye' }),
      event('error', refusal('llm_unavailable')),
      event('done', {}),
    );
    expect(await failureOf(all(client.chats.stream({ message: 'Is it?' })))).toMatchObject({
      code: 'llm_unavailable',
    });
  });

  it('that breaks off throws', async () => {
    const { client } = await streaming(event('delta', { text: 'Ye' }));
    expect(await failureOf(all(client.chats.stream({ message: 'Is it?' })))).toMatchObject({
      code: 'connection_failed',
    });
  });
});

it('watches a turn that is under way, across a lost connection', async () => {
  const tool = { ...CALL, state: 'begun' as const };
  const headers = { 'content-type': 'text/event-stream' };
  const { client, seen } = await scripted([
    {
      headers,
      body:
        `id: m2-0-0\n${event('begun', { messageUID: 'm2' })}` +
        `id: m2-0-1\n${event('tool', tool)}id: m2-2-1\n${event('delta', { text: 'Ye' })}`,
    },
    { headers, body: `:\n\nid: m2-3-1\n${event('delta', { text: 's' })}${event('end', {})}` },
  ]);
  expect(await Array.fromAsync(client.chats.watch('c 1'))).toEqual([
    { kind: 'begun', messageUID: 'm2' },
    { kind: 'tool', tool },
    { kind: 'delta', text: 'Ye' },
    { kind: 'delta', text: 's' },
  ]);
  expect(
    seen.map(({ method, url, headers: sent }) => [method, url, sent['last-event-id']]),
  ).toEqual([
    ['GET', '/api/chatai/chats/c%201/events', undefined],
    ['GET', '/api/chatai/chats/c%201/events', 'm2-2-1'],
  ]);
});

it('tells what there is to choose from, and begins a conversation', async () => {
  const choices = { isConfigured: true, model: 'm', models: ['m'], tools: [] };
  const { client, seen } = await scripted([{ body: choices }, { status: 201, body: {} }]);
  expect(await client.chats.getOptions()).toEqual(choices);
  expect(await client.chats.create({ title: 'Ours' })).toEqual({});
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/api/chatai/options', ''],
    ['POST', '/api/chatai/chats', '{"title":"Ours"}'],
  ]);
});

it('lists, reads, renames, stops, rates and deletes conversations', async () => {
  const chat = { UID: 'c 1', title: 'Is it?', isBusy: false };
  const list = { items: [chat], total: 1, skip: 0, take: 2 };
  const done = { status: 204 };
  const { client, seen } = await scripted([
    { body: list },
    { body: chat },
    { body: chat },
    done,
    done,
    done,
  ]);
  expect(await client.chats.list({ take: 2, query: 'is' })).toEqual(list);
  expect(await client.chats.get('c 1')).toEqual(chat);
  expect(await client.chats.put('c 1', { title: 'Is it?' })).toEqual(chat);
  await client.chats.stop('c 1');
  await client.chats.putFeedback('c 1', 'm2', { value: 'down', comment: 'No.' });
  await client.chats.delete('c 1');
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/api/chatai/chats?take=2&query=is', ''],
    ['GET', '/api/chatai/chats/c%201', ''],
    ['PUT', '/api/chatai/chats/c%201', '{"title":"Is it?"}'],
    ['POST', '/api/chatai/chats/c%201/stop', ''],
    ['PUT', '/api/chatai/chats/c%201/messages/m2/feedback', '{"value":"down","comment":"No."}'],
    ['DELETE', '/api/chatai/chats/c%201', ''],
  ]);
});
