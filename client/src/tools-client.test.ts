import { expect, it } from 'vitest';
import { scripted } from './testing/scripted-server.ts';

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
  expect(await client.listTools({ take: 2 })).toEqual(list);
  expect(await client.createTool(tool)).toEqual(tool);
  expect(await client.putTool('lookup', { enabled: false })).toEqual(tool);
  await client.deleteTool('lookup');
  expect(await client.getToolMetrics()).toEqual({ items: [] });
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
  expect(await client.getLlmSearchSettings()).toEqual(settings);
  expect(await client.putLlmSearchSettings(settings)).toEqual(settings);
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/api/search/settings/llm', ''],
    ['PUT', '/api/search/settings/llm', JSON.stringify(settings)],
  ]);
});
