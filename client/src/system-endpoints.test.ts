import { expect, it } from 'vitest';
import { openScene } from './testing/replica-scene.ts';
import { failureOf, refusal, scripted } from './testing/scripted-server.ts';

it('run the endpoints under system/, by the path that the front end uses', async () => {
  const page = { items: [], skip: 0, take: 50, hasMore: false };
  const { client, seen } = await scripted(Array.from({ length: 7 }, () => ({ body: page })));
  const word = { type: 'Word', key: 'dog' };
  expect(await client.system.nodes({ type: 'Word', take: 5 })).toEqual(page);
  await client.system.neighbors({ node: word, direction: 'out' });
  await client.system.paths({ from: word, to: { uid: 'node-1' }, maxHops: 3 });
  await client.system.similar({ text: 'a pet', take: 3 });
  await client.system.search({ query: 'pet', mode: 'hybrid', weight: 0.3 });
  await client.system.suggest({ query: 'a pe' });
  await client.system.table({ type: 'Word', sort: { field: 'Text' }, after: 'the last' });
  expect(seen.map(({ method, url, body }) => [`${method} ${url}`, JSON.parse(body)])).toEqual([
    ['POST /api/cce/system/nodes', { type: 'Word', take: 5 }],
    ['POST /api/cce/system/neighbors', { node: word, direction: 'out' }],
    ['POST /api/cce/system/paths', { from: word, to: { uid: 'node-1' }, maxHops: 3 }],
    ['POST /api/cce/system/similar', { text: 'a pet', take: 3 }],
    ['POST /api/cce/system/search', { query: 'pet', mode: 'hybrid', weight: 0.3 }],
    ['POST /api/cce/system/suggest', { query: 'a pe' }],
    ['POST /api/cce/system/table', { type: 'Word', sort: { field: 'Text' }, after: 'the last' }],
  ]);
});

it('tell the modes of a search', async () => {
  const { client, seen } = await scripted([{ body: { modes: ['text', 'vector', 'hybrid'] } }]);
  expect(await client.system.searchModes()).toEqual(['text', 'vector', 'hybrid']);
  expect(seen.map(({ url, body }) => [url, body])).toEqual([
    ['/api/cce/system/search-modes', '{}'],
  ]);
});

it('are answered by replicas', async () => {
  const { client, counts } = await openScene(2);
  for (let read = 0; read < 4; read++) await client.system.nodes({ uids: ['node-1'] });
  expect(counts()).toEqual([2, 2, 0]);
});

it('take the options of any call, and reject as any call does', async () => {
  const { client, counts } = await openScene(1);
  await client.system.nodes({ uids: [] }, { forcePrimary: true });
  expect(counts()).toEqual([0, 1]);
  const refusing = await scripted([{ status: 404, body: refusal('not_found') }]);
  const asked = refusing.client.system.neighbors({ node: { uid: 'x' } });
  expect(await failureOf(asked)).toMatchObject({ status: 404, code: 'not_found' });
});
