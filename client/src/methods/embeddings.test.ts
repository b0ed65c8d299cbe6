import { expect, it } from 'vitest';
import { scripted } from '../testing/scripted-server.ts';

const UID = '1111111111111111111111';

it('vectors of nodes are read, of one field or of all', async () => {
  const row = { UID, field: 'Text', model: 'm', chunk: 0, vector: [1, 0] };
  const { client, seen } = await scripted([{ body: [row] }, { body: [] }]);
  expect(await client.embeddings.get({ UIDs: [UID] })).toEqual([row]);
  expect(await client.embeddings.get({ UIDs: [UID], field: 'Text' })).toEqual([]);
  expect(seen.map(({ method, url, body }) => [`${method} ${url}`, JSON.parse(body)])).toEqual([
    ['POST /api/embeddings/uids', { UIDs: [UID] }],
    ['POST /api/embeddings/uids', { UIDs: [UID], field: 'Text' }],
  ]);
});

it('similar nodes are found by either method', async () => {
  const { client, seen } = await scripted(
    Array.from({ length: 3 }, () => ({ body: { items: [] } })),
  );
  expect(await client.embeddings.getSimilar(UID)).toEqual({ items: [] });
  await client.embeddings.getSimilar('a/b', { count: 5, types: ['Word', 'Synset'] });
  await client.embeddings.findSimilar(UID, { count: 5 });
  expect(seen.map(({ method, url, body }) => [`${method} ${url}`, body])).toEqual([
    [`GET /api/embeddings/similar/${UID}`, ''],
    ['GET /api/embeddings/similar/a%2Fb?count=5&types=Word%2CSynset', ''],
    [`POST /api/embeddings/similar/${UID}?count=5`, ''],
  ]);
});
