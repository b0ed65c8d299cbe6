import { afterAll, beforeAll, expect, test } from 'vitest';
import { asked, openHiddenNotes, SEEN } from '../support/hidden-notes.ts';
import { valueAt } from '../support/http-client.ts';
import type { People } from '../support/people.ts';

/**
 * Two workspaces that differ only in what one of their users may not see: nodes that are restricted
 * to a team, and the values of a field and of a type that are for the team. Whatever that user
 * asks, both answer the same, scores included to the last bit.
 */
let plain: People;
let secretive: People;
beforeAll(async () => {
  [plain, secretive] = [await openHiddenNotes(false), await openHiddenNotes(true)];
});
afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await secretive[Symbol.asyncDispose]();
});

const FACETS = {
  facets: [
    'Type',
    'Tags',
    { time: 'month' },
    { related: 'About', name: 'places' },
    { related: ['About', 'Described'], name: 'companions' },
    { related: 'Described', direction: 'in', name: 'backwards' },
  ],
  explain: true,
};
const QUERIES = [
  '',
  'harbour',
  'harbours sea',
  'smugglers',
  'smugglers sea',
  'cove OR coast',
  'crime',
  '"hidden harbour"',
  '"an idea"',
  'harb*',
  'smugg*',
  'isl* -coast',
  'saling',
  'smuglers',
  'soupe',
  'climbng',
  'saile',
  'Secret:harbour',
  'Secret:smugglers OR idea',
  'Title:harbinger',
  'harbuor',
  'isalnd coasst',
  'harbi*',
  'smug* OR ide*',
  'plan',
  'place',
];

test.each(QUERIES)('"%s" finds, counts, shows and explains the same', async (query) => {
  for (const fuzziness of [0, 1, 2, 'auto']) {
    for (const more of [{}, { types: ['Note'] }, { relatedTo: { type: 'Place', key: 'p0' } }]) {
      const request = { ...FACETS, query, fuzziness, ...more };
      const path = '/api/cce/system/search';
      const expected = await asked(plain, path, request);
      expect(await asked(secretive, path, request), JSON.stringify(request)).toEqual(expected);
    }
  }
});

test.each(['', 'harbour', 'smugglers sea', 'idea', 'climbing', 'saling'])(
  '"%s" and vectors find, count, show and explain the same',
  async (query) => {
    const path = '/api/cce/system/search';
    const vectors = [
      [1, 1, 2],
      [3, 1, 2],
      // As long as withheld vectors, and as vectors that nobody may see.
      [1, 1],
      [1, 2, 3, 4],
    ];
    for (const vector of vectors) {
      for (const more of [{ mode: 'vector' }, { mode: 'hybrid' }, { mode: 'hybrid', weight: 1 }]) {
        const request = { ...FACETS, query, vector, ...more };
        const expected = await asked(plain, path, request);
        expect(valueAt(expected, '0')).toBe(vector.length === 3 ? 200 : 400);
        expect(await asked(secretive, path, request), JSON.stringify(request)).toEqual(expected);
      }
    }
  },
);

test.each<[string, object]>([
  ['the nearest', { mode: 'vector', vector: [1, 1, 2], take: 2 }],
  ['near ones on another page', { mode: 'vector', vector: [1, 1, 2], skip: 2, take: 2 }],
  ['vectors that are withheld', { mode: 'vector', vector: [1, 1], fields: ['Inner'] }],
  ['vectors of a type that is withheld', { mode: 'vector', vector: [1, 1], types: ['Plan'] }],
  ['a page beyond those that are seen', { skip: 3, take: 3, sort: 'recent' }],
  ['the oldest', { sort: 'oldest', take: 2 }],
  ['a field that is withheld', { query: 'harbour', fields: ['Secret'] }],
  ['a facet that is withheld', { facets: ['Code'] }],
  ['all facets', { facets: ['*'] }],
  ['a filter by what is withheld', { filters: { Code: 'n1' } }],
  ['a filter by what is not there', { filters: [{ field: 'Secret', op: '!=', value: 'x' }] }],
  ['a filter by whether it is there', { filters: [{ field: 'Secret', op: 'exists' }] }],
  ['a type that is withheld', { types: ['Plan'] }],
  ['a type that is withheld, counted', { types: ['Plan'], facets: ['Tags', 'Type'] }],
  ['neighbours of a hidden node', { relatedTo: { type: 'Place', key: 'cove' } }],
  ['neighbours of a hidden note', { relatedTo: { type: 'Note', key: 'h1' } }],
])('%s: the same', async (_, request) => {
  const path = '/api/cce/system/search';
  const there = await asked(plain, path, request);
  expect(await asked(secretive, path, request)).toEqual(there);
});

test('decay: the same but for the time between two searches', async () => {
  const request = { query: 'idea', timeDecay: { halfLifeDays: 36_500_000 } };
  const path = '/api/cce/system/search';
  const found = [plain, secretive].map(async (people) => {
    const hits = valueAt(await asked(people, path, request), '1', 'hits') as { score: number }[];
    return hits.map((hit) => ({ ...hit, score: hit.score.toFixed(9) }));
  });
  const [there, expected] = await Promise.all(found);
  expect(there?.length).toBeGreaterThan(0);
  expect(there).toEqual(expected);
});

test.each(['h', 'harb', 'smug', 's', 'isl', 'so', 'cri', 'i', 'the c'])(
  'suggestions for "%s" are the same',
  async (query) => {
    const path = '/api/cce/system/suggest';
    expect(await asked(secretive, path, { query })).toEqual(await asked(plain, path, { query }));
  },
);

test.each(['harbour', 'smugglers', 'idea', 'saling', 'sea soup'])(
  'a query of an endpoint that starts with "%s" finds the same as the user',
  async (words) => {
    const path = '/api/endpoints/run/finder';
    const request = { ...FACETS, query: words };
    const body = { text: words, request };
    const there = await asked(plain, path, body);
    expect(Object(there)[0]).toBe(200);
    expect(await asked(secretive, path, body)).toEqual(there);
  },
);

test.each(SEEN.map(([key]) => key))('nodes that are similar to %s are the same', async (key) => {
  const similar = async (people: People): Promise<unknown> => {
    const query = { type: 'Note' };
    const { json } = await people.as('bob', 'POST', '/api/node/query', query);
    const nodes = valueAt(json, 'items') as { UID: string; Id: string }[];
    const uid = nodes.find(({ Id }) => Id === key)?.UID ?? '';
    const path = `/api/embeddings/similar/${uid}`;
    return [
      await asked(people, path, {}),
      await asked(people, `${path}?types=Note&count=2`, {}),
      await asked(people, '/api/cce/system/similar', { uid, similarityMin: 0.9 }),
      await asked(people, '/api/embeddings/uids', { UIDs: [uid] }),
    ];
  };
  const there = await similar(plain);
  // One note has no vector.
  expect(JSON.stringify(there).includes('"node"')).toBe(key !== 'n5');
  expect(await similar(secretive)).toEqual(there);
});

test('to somebody who sees everything, they differ', async () => {
  const find = async (people: People) => {
    const code = `export default async ({ search }: Scope) => (await search('smugglers')).total;`;
    await people.as('admin', 'POST', '/api/endpoints/create', {
      name: 'total',
      code,
      isReadOnly: true,
    });
    return (await people.as('admin', 'POST', '/api/endpoints/run/total')).json;
  };
  expect([await find(plain), await find(secretive)]).toEqual([0, 8]);
});
