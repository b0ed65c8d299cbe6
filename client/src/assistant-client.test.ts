import { expect, it } from 'vitest';
import { scripted } from './testing/scripted-server.ts';

it('reads and changes the providers of what models do', async () => {
  const server = {
    provider: 'openai-compatible',
    baseUrl: 'https://models.example/v1',
    model: 'small',
  } as const;
  const body = { embeddings: { ...server, hasApiKey: true } };
  const { client, seen } = await scripted([{ body }, { body }]);
  expect(await client.getAiProviders()).toEqual(body);
  const change = { embeddings: { ...server, apiKey: 'sk-1' } };
  expect(await client.putAiProviders(change)).toEqual(body);
  expect(seen.map(({ method, url, body: sent }) => [method, url, sent])).toEqual([
    ['GET', '/api/chatai/providers', ''],
    ['PUT', '/api/chatai/providers', JSON.stringify(change)],
  ]);
});
