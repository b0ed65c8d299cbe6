import { expect, it } from 'vitest';
import { scripted } from '../testing/scripted-server.ts';

it('lists, makes, changes, deletes and counts tools', async () => {
  const tool = { name: 'lookup', description: 'Looks a word up.', endpoint: 'words/lookup' };
  const list = { items: [tool], total: 1, skip: 0, take: 2 };
  const { client, seen } = await scripted([
    { body: list },
    { status: 201, body: tool },
    { body: tool },
    { status: 204 },
    { body: { items: [] } },
  ]);
  expect(await client.tools.list({ take: 2 })).toEqual(list);
  expect(await client.tools.create(tool)).toEqual(tool);
  expect(await client.tools.put('lookup', { enabled: false })).toEqual(tool);
  await client.tools.delete('lookup');
  expect(await client.tools.getMetrics()).toEqual({ items: [] });
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/api/chatai/tools?take=2', ''],
    ['POST', '/api/chatai/tools', JSON.stringify(tool)],
    ['PUT', '/api/chatai/tools/lookup', '{"enabled":false}'],
    ['DELETE', '/api/chatai/tools/lookup', ''],
    ['GET', '/api/chatai/tools/metrics', ''],
  ]);
});

it('reads and changes what models may search for', async () => {
  const settings = { nodeTypes: ['Word'], filters: [], available: { Word: [] } };
  const { client, seen } = await scripted([{ body: settings }, { body: settings }]);
  expect(await client.search.getLlmSettings()).toEqual(settings);
  expect(await client.search.putLlmSettings(settings)).toEqual(settings);
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/api/search/settings/llm', ''],
    ['PUT', '/api/search/settings/llm', JSON.stringify(settings)],
  ]);
});
