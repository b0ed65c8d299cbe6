import { expect, it } from 'vitest';
import { scripted } from '../testing/scripted-server.ts';

it('lists, makes, reads, changes and deletes agents', async () => {
  const agent = { name: 'reader', instructions: 'Read.' };
  const list = { items: [agent], total: 1, skip: 0, take: 2 };
  const { client, seen } = await scripted([
    { body: list },
    { status: 201, body: agent },
    { body: agent },
    { body: agent },
    { status: 204 },
  ]);
  expect(await client.agents.list({ take: 2 })).toEqual(list);
  expect(await client.agents.create(agent)).toEqual(agent);
  expect(await client.agents.get('reader')).toEqual(agent);
  expect(await client.agents.put('reader', { model: null })).toEqual(agent);
  await client.agents.delete('reader');
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/api/chatai/agents?take=2', ''],
    ['POST', '/api/chatai/agents', JSON.stringify(agent)],
    ['GET', '/api/chatai/agents/reader', ''],
    ['PUT', '/api/chatai/agents/reader', '{"model":null}'],
    ['DELETE', '/api/chatai/agents/reader', ''],
  ]);
});

it('runs agents, and lists, reads and cancels their runs', async () => {
  const run = { UID: 'r', status: 'Completed' };
  const list = { items: [run], total: 1, skip: 0, take: 50 };
  const { client, seen } = await scripted([
    { body: run },
    { body: list },
    { body: run },
    { body: run },
  ]);
  const request = { message: 'Hello', variables: { A: 'b' }, async: true };
  expect(await client.agents.run('reader', request)).toEqual(run);
  expect(await client.agents.listRuns({ agent: 'reader' })).toEqual(list);
  expect(await client.agents.getRun('r')).toEqual(run);
  expect(await client.agents.cancelRun('r')).toEqual(run);
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['POST', '/api/chatai/agents/reader/run', JSON.stringify(request)],
    ['GET', '/api/chatai/agent-runs?agent=reader', ''],
    ['GET', '/api/chatai/agent-runs/r', ''],
    ['POST', '/api/chatai/agent-runs/r/cancel', ''],
  ]);
});
