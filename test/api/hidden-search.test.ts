import { afterAll, beforeAll, expect, test } from 'vitest';
import { valueAt } from '../support/http-client.ts';
import { People } from '../support/people.ts';
import { untilIndexed } from '../support/search-index.ts';

/**
 * Two workspaces that differ only in what one of their users may not see: nodes that are restricted to a team, and the values of a
 * field and of a type that are for the team. Whatever that user asks, both answer the same, but for scores: how rare a word is
 * counts hidden nodes too.
 */
const SCHEMA = {
  nodes: [
    {
      type: 'Note',
      key: 'Name',
      label: 'Title',
      fields: {
        Title: 'String',
        Text: 'String',
        Tags: 'String[]',
        Secret: 'String',
        Code: 'String',
        Near: 'Float[]',
        Inner: 'Double[]',
      },
    },
    { type: 'Place', key: 'Name', label: 'Title', fields: { Title: 'String' } },
    { type: 'Plan', key: 'Name', fields: { Title: 'String', Tags: 'String[]', Far: 'Float[]' } },
  ],
  edges: [
    { type: 'About', inverse: 'Described' },
    { type: 'Described', inverse: 'About' },
  ],
};
const text = { text: { boost: 1 } };
const SETTINGS = {
  types: {
    Note: {
      language: 'en',
      fields: {
        Title: { text: { boost: 3 } },
        Text: text,
        Secret: text,
        Tags: { facet: true },
        Code: { facet: true },
        Near: { vector: {} },
        Inner: { vector: {} },
      },
    },
    Place: { language: 'en', fields: { Title: text } },
    Plan: {
      language: 'en',
      fields: { Title: text, Tags: { facet: true }, Far: { vector: {} } },
    },
  },
};
const FINDER = `export const input = z.strictObject({ text: z.string(), request: z.looseObject({}) });
export default async function ({ q, body, search, searchAsUser }: Scope<typeof input>) {
  const start = (field: 'Title' | 'Text' | 'Secret') =>
    q().asUser().startSearch('Note', field, body.text).nodes(['Title'])
      .catch((error: Problem) => error.code);
  const { hits, total, facets } = await searchAsUser(body.request as SearchRequest);
  return {
    title: await start('Title'), text: await start('Text'), secret: await start('Secret'),
    found: hits.map(({ node }) => node.Id).sort(), total, facets,
  };
}`;

/** Seen by everybody, in both workspaces. */
const SEEN = [
  ['n1', 'Sailing', 'The harbours of northern islands.', ['sea']],
  ['n2', 'Walking', 'Long walks along the coast of an island.', ['sea', 'land']],
  ['n3', 'Mountains', 'Climbing without ropes is a bad idea.', ['land']],
  ['n4', 'Cooking', 'Fish soup by the sea.', ['food']],
  ['n5', 'Ideas', 'An idea is worth nothing by itself.', []],
] as const;
/** Only in one. Some words are those of the nodes above, some are near to them, some are nowhere else. */
const HIDDEN = [
  ['h1', 'Hidden harbour', 'The smugglers cove, and an idea.', ['sea', 'crime']],
  ['h2', 'Harbinger', 'Sea walks, a soupe, a climbing rose on the coast.', ['land', 'crime']],
  ['h3', 'Islander', 'Idea of a saile.', ['secret']],
] as const;

let plain: People;
let secretive: People;
beforeAll(async () => {
  [plain, secretive] = [await workspace(false), await workspace(true)];
});
afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await secretive[Symbol.asyncDispose]();
});

async function workspace(hasHidden: boolean): Promise<People> {
  const people = await People.start();
  const ok = async (method: string, path: string, body: unknown): Promise<void> => {
    const answer = await people.as('admin', method, path, body);
    expect(answer.status, answer.text).toBeLessThan(300);
  };
  await people.add('bob');
  const team = await people.addTeam('Insiders');
  await ok('PUT', '/api/schema', SCHEMA);
  await ok('PUT', '/api/search/settings', SETTINGS);
  const forTeam = { teams: [team] };
  const types = {
    Note: { fields: { Secret: forTeam, Code: forTeam, Inner: forTeam } },
    Plan: { visibleTo: 'restricted' },
  };
  await ok('PUT', '/api/access/types', { types });
  await ok('POST', '/api/endpoints/create', { name: 'finder', code: FINDER, isReadOnly: true });
  const operations: object[] = SEEN.flatMap(([key, Title, Text, Tags], i) => {
    const withheld = { Secret: `harbour smugglers idea ${key}`, Code: key, Inner: [i + 1, 1] };
    const shown = { Title, Text, Tags, ...(i < 4 ? { Near: [i, 1, 2] } : {}) };
    return [
      ...write('Note', key, hasHidden ? { ...shown, ...withheld } : shown, i),
      ...write('Place', `p${i % 2}`, { Title: `Place ${i % 2}` }, 0),
      link(key, `p${i % 2}`),
    ];
  });
  if (hasHidden) {
    for (const [key, Title, Text, Tags] of HIDDEN) {
      const fields = { Title, Text, Tags, Near: [1, 1, 2], Inner: [1, 1] };
      operations.push(...write('Note', key, fields, 9), link(key, 'p0'));
      operations.push({ op: 'restrict', node: { type: 'Note', key }, team: { uid: team } });
    }
    // A place that nobody else sees, of nodes that everybody sees.
    operations.push(...write('Place', 'cove', { Title: 'Place of smugglers' }, 0));
    operations.push(link('n1', 'cove'), link('n2', 'cove'));
    operations.push({
      op: 'restrict',
      node: { type: 'Place', key: 'cove' },
      team: { uid: team },
    });
    const fields = { Title: 'Harbour idea smugglers', Tags: ['plan'], Far: [1, 2, 3, 4] };
    operations.push(...write('Plan', 'x', fields, 9));
  }
  await ok('POST', '/api/ingest', { operations });
  await untilIndexed(people.workspace.http, people.token('admin'));
  return people;
}

function write(type: string, key: string, fields: object, month: number): object[] {
  return [{ op: 'addOrUpdate', type, key, fields, timestamp: Date.UTC(2026, month, 1) }];
}

function link(from: string, to: string): object {
  return {
    op: 'link',
    from: { type: 'Note', key: from },
    edge: 'About',
    to: { type: 'Place', key: to },
  };
}

/** As Bob sees it: UIDs differ from one workspace to another, and scores may. Hits come in the order of their keys. */
async function asked(people: People, path: string, body: object): Promise<unknown> {
  const { status, json } = await people.as('bob', 'POST', path, body);
  return [status, neutral(json)];
}

const DIFFERENT = new Set(['UID', 'score', 'best', 'tookMs', 'traceId']);

function neutral(value: unknown): unknown {
  if (Array.isArray(value)) {
    const list = value.map(neutral);
    const isOfHits = list.some((one) => valueAt(one, 'node') !== undefined);
    return isOfHits ? list.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) : list;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !DIFFERENT.has(name));
  // A related node is counted by its UID, and labelled by its title.
  const isCounted = 'label' in value && 'count' in value;
  return Object.fromEntries(
    members.map(([name, one]) => [name, isCounted && name === 'value' ? '' : neutral(one)]),
  );
}

const keyOf = (hit: unknown): string => String(valueAt(hit, 'node', 'Id'));

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
      // Of what is withheld, and of what nobody sees.
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
  ['a filter by what is withheld', { filters: { Code: 'n1' } }],
  ['a filter by what is not there', { filters: [{ field: 'Secret', op: '!=', value: 'x' }] }],
  ['a filter by whether it is there', { filters: [{ field: 'Secret', op: 'exists' }] }],
  ['a type that is withheld', { types: ['Plan'] }],
  ['a type that is withheld, counted', { types: ['Plan'], facets: ['Tags', 'Type'] }],
  ['neighbours of a hidden node', { relatedTo: { type: 'Place', key: 'cove' } }],
  ['neighbours of a hidden note', { relatedTo: { type: 'Note', key: 'h1' } }],
  ['decay', { query: 'idea', timeDecay: 30 }],
])('%s: the same', async (_, request) => {
  const path = '/api/cce/system/search';
  const there = await asked(plain, path, request);
  expect(await asked(secretive, path, request)).toEqual(there);
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
