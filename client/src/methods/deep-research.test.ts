import { expect, it } from 'vitest';
import { scripted } from '../testing/scripted-server.ts';

it('starts, finds and cancels a research, and sets how far it may go', async () => {
  const job = { id: 'j', kind: 'deep-research', state: 'queued' };
  const settings = { researchers: [], running: [], queued: [] };
  const { client, seen } = await scripted([
    { status: 202, body: job },
    { body: job },
    { body: settings },
    { body: settings },
    { status: 202, body: job },
  ]);
  const start = { chatUID: 'a b', question: 'How?' };
  expect(await client.deepResearch.start(start)).toEqual(job);
  expect(await client.deepResearch.get('a b')).toEqual(job);
  expect(await client.deepResearch.getSettings()).toEqual(settings);
  expect(await client.deepResearch.putSettings({ limits: { steps: 0 } })).toEqual(settings);
  expect(await client.deepResearch.cancel({ chatUID: 'a b' })).toEqual(job);
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['POST', '/api/chatai/deep-research/start', JSON.stringify(start)],
    ['GET', '/api/chatai/chats/a%20b/deep-research', ''],
    ['GET', '/api/chatai/deep-research/settings', ''],
    ['POST', '/api/chatai/deep-research/settings', '{"limits":{"steps":0}}'],
    ['POST', '/api/chatai/deep-research/cancel?chatUID=a+b', ''],
  ]);
});
