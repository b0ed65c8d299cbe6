import { expect, it } from 'vitest';
import { scripted } from '../testing/scripted-server.ts';

it('reads and changes the providers of what models do', async () => {
  const server = {
    provider: 'openai-compatible',
    baseUrl: 'https://models.example/v1',
    model: 'small',
  } as const;
  const body = { chat: null, furtherChat: [], embeddings: { ...server, hasApiKey: true } };
  const { client, seen } = await scripted([{ body }, { body }]);
  expect(await client.aiProviders.get()).toEqual(body);
  const change = { embeddings: { ...server, apiKey: 'sk-1' } };
  expect(await client.aiProviders.put(change)).toEqual(body);
  expect(seen.map(({ method, url, body: sent }) => [method, url, sent])).toEqual([
    ['GET', '/api/chatai/providers', ''],
    ['PUT', '/api/chatai/providers', JSON.stringify(change)],
  ]);
});

it('reads what the LLM router has used, and whether its provider answers', async () => {
  const usage = { items: [], total: 0, skip: 5, take: 10 };
  const state = { status: 'idle', lastAnswerAt: null, lastErrorAt: null, lastError: null };
  const { client, seen } = await scripted([{ body: usage }, { body: state }]);
  expect(await client.llm.listUsage({ skip: 5, take: 10 })).toEqual(usage);
  expect(await client.llm.getState()).toEqual(state);
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /api/llm/usage?skip=5&take=10',
    'GET /api/llm/state',
  ]);
});
