import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { valueAt, type Answer } from '../support/http-client.ts';
import { People } from '../support/people.ts';
import { untilIndexed } from '../support/search-index.ts';

/**
 * Notes n1 to n6 in English. n4 is restricted to the team that only Ada is in; the field `Secret`
 * is for that team too. Each note leads to the place that it is about.
 */
const SCHEMA = {
  nodes: [
    {
      type: 'Note',
      key: 'Name',
      label: 'Title',
      fields: { Title: 'String', Text: 'String', Tags: 'String[]', Secret: 'String', Pages: 'Int' },
    },
    { type: 'Place', key: 'Name', fields: {} },
  ],
  edges: [
    { type: 'About', inverse: 'Described' },
    { type: 'Described', inverse: 'About' },
  ],
};

const NOTES = [
  ['n1', 'Sailing', 'The harbours of northern islands, and how to sail between them.', ['sea'], 10],
  ['n2', 'Walking', 'Long walks along the coast of an island.', ['sea', 'land'], 20],
  ['n3', 'Mountains', 'Climbing without ropes is a bad idea.', ['land'], 30],
  ['n4', 'Hidden harbour', 'A harbour that nobody knows: the smugglers cove.', ['sea'], 40],
  ['n5', 'Cooking', 'Fish soup, the way it is cooked by the sea.', ['food'], 50],
  ['n6', 'Idea', 'An idea is worth nothing by itself.', [], 60],
] as const;

let people: People;
const note = (key: string) => ({ type: 'Note', key });
beforeAll(async () => {
  people = await People.start();
  await people.add('ada');
  await people.add('bob');
  const team = await people.addTeam('Readers', { add: [people.uid('ada')] });
  await admin('PUT', '/api/schema', SCHEMA);
  const { status, text } = await admin('POST', '/api/ingest', {
    operations: [
      ...NOTES.map(([key, Title, Text, Tags, Pages], i) => ({
        op: 'addOrUpdate',
        ...note(key),
        fields: { Title, Text, Tags, Pages, ...(key === 'n3' ? { Secret: 'harbour' } : {}) },
        timestamp: `2026-0${i + 1}-15T12:00:00.000Z`,
      })),
      { op: 'addOrUpdate', type: 'Place', key: 'Coast' },
      ...['n1', 'n2', 'n4'].map((key) => ({
        op: 'link',
        from: note(key),
        edge: 'About',
        to: { type: 'Place', key: 'Coast' },
      })),
      { op: 'restrict', node: note('n4'), team: { uid: team } },
    ],
  });
  expect(status, text).toBe(200);
  const fields = { text: { boost: 1 } };
  await ok(
    admin('PUT', '/api/search/settings', {
      types: {
        Note: {
          language: 'en',
          fields: {
            Title: { text: { boost: 3 } },
            Text: fields,
            Secret: fields,
            Tags: { facet: true },
          },
        },
      },
    }),
  );
  await ok(
    admin('PUT', '/api/access/types', {
      types: { Note: { fields: { Secret: { teams: [team] } } } },
    }),
  );
  await indexed();
});
afterAll(() => people[Symbol.asyncDispose]());

const admin = (method: string, path: string, body?: unknown) =>
  people.as('admin', method, path, body);

async function ok(request: Promise<Answer>): Promise<Answer> {
  const answer = await request;
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}

const indexed = (): Promise<void> => untilIndexed(people.workspace.http, people.token('admin'));

async function search(user: string, request: object): Promise<unknown> {
  const answer = await people.as(user, 'POST', '/api/cce/system/search', request);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

async function found(user: string, request: object): Promise<string[]> {
  const hits = valueAt(await search(user, request), 'hits') as { node: { Id: string } }[];
  return hits.map(({ node }) => node.Id);
}

describe('words', () => {
  it.each([
    ['all of them', 'harbours sail', ['n1']],
    ['in any form', 'cooked fish', ['n5']],
    ['any of them where no node has all', 'soup climbing', ['n3', 'n5']],
    ['with a typing error', 'harbuor', ['n1']],
    ['a phrase', '"bad idea"', ['n3']],
    ['a prefix', 'climb*', ['n3']],
    ['in one field', 'Title:idea', ['n6']],
    ['without a word', 'idea -ropes', ['n6']],
    ['either', 'soup OR ropes', ['n3', 'n5']],
    ['nothing but signs', '!!! --', []],
  ])('%s', async (_, query, keys) => {
    expect((await found('bob', { query })).toSorted()).toEqual(keys);
  });

  it('are all in the first hits, also where any of them will do', async () => {
    const query = 'idea worth ropes climbing fish';
    expect((await found('bob', { query })).toSorted()).toEqual(['n3', 'n5', 'n6']);
    // One node has both; the other two have one each, of which one stands in a title.
    expect(await found('bob', { query: 'idea ropes' })).toEqual(['n3', 'n6']);
    expect(await found('bob', { query: 'idea ropes', take: 1, skip: 1 })).toEqual(['n6']);
    expect(await found('bob', { query: 'idea ropes', sort: 'recent' })).toEqual(['n6', 'n3']);
  });

  it('count more in a field with a higher boost', async () => {
    expect(await found('bob', { query: 'idea' })).toEqual(['n6', 'n3']);
  });

  it('are none: everything, the newest first', async () => {
    expect(await found('bob', { take: 4 })).toEqual(['Coast', 'n6', 'n5', 'n3']);
    expect(await found('bob', { sort: 'oldest', take: 1, skip: 1 })).toEqual(['n2']);
  });
});

it('shows where the words stand', async () => {
  const [hit] = valueAt(await search('bob', { query: 'sailing harbour' }), 'hits') as unknown[];
  const highlights = valueAt(hit, 'highlights') as {
    field: string;
    snippets: { text: string; matches: { start: number; end: number }[] }[];
  }[];
  const marked = highlights.flatMap(({ field, snippets }) =>
    snippets.flatMap(({ text, matches }) =>
      matches.map(({ start, end }) => `${field}: ${text.slice(start, end)}`),
    ),
  );
  expect(marked).toEqual(['Title: Sailing', 'Text: harbours', 'Text: sail']);
});

it('explains scores by what they are made of', async () => {
  const [hit] = valueAt(await search('bob', { query: 'idea', explain: true }), 'hits') as unknown[];
  const parts = valueAt(hit, 'explain', 'parts') as { field: string; score: number }[];
  expect(parts.map(({ field }) => field).toSorted()).toEqual(['Text', 'Title']);
  const sum = parts.reduce((total, { score }) => total + score, 0);
  expect(sum).toBeCloseTo(Number(valueAt(hit, 'score')), 6);
});

describe('facets and conditions', () => {
  it('count all hits, not only those of the page', async () => {
    const answer = await search('bob', {
      query: 'sea OR coast OR islands OR ropes',
      types: ['Note'],
      take: 1,
      facets: ['Tags', 'Type', { time: 'month' }, { related: 'About', name: 'places' }],
    });
    expect(valueAt(answer, 'total')).toBe(4);
    expect(valueAt(answer, 'facets')).toEqual({
      Tags: [
        { value: 'land', count: 2 },
        { value: 'sea', count: 2 },
        { value: 'food', count: 1 },
      ],
      Type: [{ value: 'Note', count: 4 }],
      time: ['01', '02', '03', '05'].map((month) => ({
        value: `2026-${month}-01T00:00:00.000Z`,
        count: 1,
      })),
      places: [{ value: expect.any(String), label: 'Coast', count: 2 }],
    });
  });

  it('are all those that the searcher may read when no field is named', async () => {
    const facets = ['Type', '*'];
    const answer = await search('bob', { query: 'soup', facets });
    const counted = { Type: [{ value: 'Note', count: 1 }], Tags: [{ value: 'food', count: 1 }] };
    expect(valueAt(answer, 'facets')).toEqual(counted);
    const nothing = await search('bob', { query: 'nowhere', facets });
    expect(valueAt(nothing, 'facets')).toEqual({ Type: [] });
  });

  it.each([
    ['values by field', { filters: { Tags: 'land' } }, ['n3', 'n2']],
    ['one of several', { filters: { Tags: ['food', 'land'] } }, ['n5', 'n3', 'n2']],
    ['comparisons', { filters: [{ field: 'Pages', op: '>', value: 40 }] }, ['n6', 'n5']],
    ['neighbours', { relatedTo: { type: 'Place', key: 'Coast' } }, ['n2', 'n1']],
    [
      'neighbours over an edge',
      { relatedTo: { node: { type: 'Place', key: 'Coast' }, edge: 'About' } },
      ['n2', 'n1'],
    ],
  ])('limit hits by %s', async (_, conditions, keys) => {
    expect(await found('bob', { ...conditions, types: ['Note'] })).toEqual(keys);
  });
});

describe('somebody who may not see a node', () => {
  it('finds and counts the others only', async () => {
    const request = { query: 'harbour', facets: ['Tags'] };
    expect((await found('ada', request)).toSorted()).toEqual(['n1', 'n3', 'n4']);
    const answer = await search('bob', request);
    expect(valueAt(answer, 'total')).toBe(1);
    expect(valueAt(answer, 'facets', 'Tags')).toEqual([{ value: 'sea', count: 1 }]);
  });

  it('finds nothing by a field that they may not read, nor by its number in the explanation', async () => {
    expect(await found('bob', { query: 'harbour', fields: ['Secret'] })).toEqual([]);
    expect(await found('ada', { query: 'Secret:harbour' })).toEqual(['n3']);
  });

  it('is not told a word that only hidden nodes have', async () => {
    const suggested = async (user: string, query: string): Promise<string[]> => {
      const { json } = await people.as(user, 'POST', '/api/cce/system/suggest', { query });
      return (json as { word: string }[]).map(({ word }) => word);
    };
    expect(await suggested('ada', 'the smug')).toEqual(['smugglers']);
    expect(await suggested('bob', 'the smug')).toEqual([]);
    // Another form of the word is there to be seen.
    expect(await suggested('ada', 'harb')).toEqual(['harbour', 'harbours']);
    expect(await suggested('bob', 'harb')).toEqual(['harbours']);
  });
});

it.each([
  ['a name that no type has', { types: ['Nope'] }, 'invalid_query'],
  ['a field that is no facet', { facets: ['Text'] }, 'invalid_request'],
  ['an unknown member', { qurey: 'x' }, 'invalid_request'],
  ['a page that is too large', { take: 1_001 }, 'invalid_request'],
])('refuses %s', async (_, request, code) => {
  const { status, json } = await people.as('bob', 'POST', '/api/cce/system/search', request);
  expect([status, valueAt(json, 'error', 'code')]).toEqual([400, code]);
});

it('is there for the code of endpoints: as the system, as the caller, and where a query begins', async () => {
  const code = `
    export default async function ({ q, search, searchAsUser }: Scope) {
      const start = q().startSearch('Note', 'Text', 'harbour');
      const scored = await start.asUser().scored();
      return {
        asSystem: (await search('harbour')).hits.map(({ node }) => node.Id).sort(),
        asUser: (await searchAsUser({ query: 'harbour', types: ['Note'] })).total,
        begun: (await start.nodes()).map(({ Id }) => Id).sort(),
        scored: scored.map(({ node, score }) => [node.Id, score > 0]),
        places: (await start.out('Place', 'About').nodes()).map(({ Id }) => Id),
      };
    }`;
  await ok(admin('POST', '/api/endpoints/create', { name: 'harbours', code, isReadOnly: true }));
  expect((await people.as('bob', 'POST', '/api/cce/harbours', {})).json).toEqual({
    asSystem: ['n1', 'n3', 'n4'],
    asUser: 1,
    begun: ['n1', 'n4'],
    scored: [['n1', true]],
    places: ['Coast'],
  });
});

it('finds what was written a moment ago, and not what was deleted', async () => {
  await ok(
    admin('POST', '/api/ingest', {
      operations: [
        { op: 'addOrUpdate', ...note('n7'), fields: { Title: 'Volcano' } },
        { op: 'addOrUpdate', ...note('n6'), fields: { Title: 'Thought' } },
      ],
    }),
  );
  await indexed();
  expect(await found('bob', { query: 'volcanoes' })).toEqual(['n7']);
  expect(await found('bob', { query: 'Title:idea' })).toEqual([]);
  await ok(admin('POST', '/api/ingest', { operations: [{ op: 'delete', ...note('n7') }] }));
  await indexed();
  expect(await found('bob', { query: 'volcanoes' })).toEqual([]);
});
