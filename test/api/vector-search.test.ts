import { afterAll, beforeAll, expect, it } from 'vitest';
import { valueAt, type Answer } from '../support/http-client.ts';
import { People } from '../support/people.ts';
import { untilIndexed } from '../support/search-index.ts';

/**
 * Colours with what ingestion pushed as their vectors: red, green, blue. Gold is restricted to the
 * team that only Ada is in.
 */
const SCHEMA = {
  nodes: [
    {
      type: 'Colour',
      key: 'Name',
      label: 'Name',
      fields: { Name: 'String', Text: 'String', Tags: 'String[]', Light: 'Float[]' },
    },
  ],
  edges: [],
};
const SETTINGS = {
  types: {
    Colour: {
      language: 'en',
      fields: {
        Name: { text: { boost: 2 } },
        Text: { text: { boost: 1 } },
        Tags: { facet: true },
        Light: { vector: {} },
      },
    },
  },
};
const COLOURS: Readonly<Record<string, readonly [string, readonly string[], readonly number[]]>> = {
  red: ['Of blood and roses.', ['warm'], [1, 0, 0]],
  orange: ['Of fruit.', ['warm'], [1, 0.5, 0]],
  gold: ['Of coins.', ['warm', 'metal'], [0.9, 0.4, 0]],
  green: ['Of grass.', ['cold'], [0, 1, 0]],
  blue: ['Of the sea, and of a rose that nobody has seen.', ['cold'], [0, 0, 1]],
};
const NEAR = `export const input = z.strictObject({ light: z.array(z.number()), query: z.string() });
export default async function near({ body, searchAsUser }: Scope<typeof input>) {
  const { hits, total, facets } = await searchAsUser({
    query: body.query, types: ['Colour'], mode: 'hybrid', vector: body.light, weight: 0.4,
    ranking: 'weighted', similarityMin: 0.1, facets: ['Tags'], explain: true,
  });
  return {
    total, facets,
    hits: hits.map(({ node, from, explain }) => [node.Name, from, explain?.vector?.similarity]),
  };
}`;

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.add('ada');
  await people.add('bob');
  const team = await people.addTeam('Smiths', { add: [people.uid('ada')] });
  await ok('PUT', '/api/schema', SCHEMA);
  await ok('PUT', '/api/search/settings', SETTINGS);
  await ok('POST', '/api/endpoints/create', { name: 'near', code: NEAR, isReadOnly: true });
  await ingest(
    ...Object.entries(COLOURS).map(([key, [Text, Tags, Light]]) => ({
      op: 'addOrUpdate',
      type: 'Colour',
      key,
      fields: { Name: key, Text, Tags, Light },
    })),
    { op: 'restrict', node: { type: 'Colour', key: 'gold' }, team: { uid: team } },
  );
});
afterAll(() => people[Symbol.asyncDispose]());

async function ok(method: string, path: string, body: unknown): Promise<Answer> {
  const answer = await people.as('admin', method, path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}

async function ingest(...operations: readonly object[]): Promise<void> {
  await ok('POST', '/api/ingest', { operations });
  await untilIndexed(people.workspace.http, people.token('admin'));
}

const asked = (user: string, request: object): Promise<Answer> =>
  people.as(user, 'POST', '/api/cce/system/search', request);

async function found(user: string, request: object): Promise<string[]> {
  const { json, status, text } = await asked(user, request);
  expect(status, text).toBe(200);
  const hits = valueAt(json, 'hits') as { node: { Name: string }; from: string }[];
  return hits.map(({ node, from }) => `${node.Name} ${from}`);
}

it('finds the nearest that the caller sees', async () => {
  const request = { mode: 'vector', vector: [1, 0.2, 0] };
  expect(await found('ada', { ...request, similarityMin: 0.5 })).toEqual([
    'red vector',
    'gold vector',
    'orange vector',
  ]);
  expect(await found('bob', { ...request, take: 2 })).toEqual(['red vector', 'orange vector']);
  expect(await found('bob', { ...request, take: 2, skip: 2 })).toEqual([
    'green vector',
    'blue vector',
  ]);
  expect(await found('bob', { ...request, filters: { Tags: 'cold' }, take: 1 })).toEqual([
    'green vector',
  ]);
});

it('adds them to what words find', async () => {
  const request = { query: 'rose', mode: 'hybrid', vector: [1, 0, 0], similarityMin: 0.5 };
  const all = ['red both', 'orange vector', 'blue text'];
  expect(await found('bob', request)).toEqual(all);
  expect(await found('bob', { ...request, ranking: 'rrf' })).toEqual([
    'red both',
    expect.any(String),
    expect.any(String),
  ]);
  expect(await found('bob', { ...request, weight: 1 })).toEqual([all[0], all[2], all[1]]);
});

it('is there for the code of endpoints', async () => {
  const near = await people.as('bob', 'POST', '/api/endpoints/run/near', {
    query: 'grass',
    light: [1, 1, 0],
  });
  expect(near.json).toEqual({
    total: 3,
    facets: {
      Tags: [
        { value: 'warm', count: 2 },
        { value: 'cold', count: 1 },
      ],
    },
    hits: [
      ['green', 'both', expect.closeTo(Math.SQRT1_2, 3)],
      ['orange', 'vector', expect.closeTo(1.5 / Math.sqrt(2.5), 3)],
      ['red', 'vector', expect.closeTo(Math.SQRT1_2, 3)],
    ],
  });
});

it('goes by the newest vectors', async () => {
  const light = (Light: readonly number[]) => ({
    op: 'addOrUpdate',
    type: 'Colour',
    key: 'green',
    fields: { Light },
  });
  const nearest = () => found('bob', { mode: 'vector', vector: [0, 0.1, 1], take: 1 });
  expect(await nearest()).toEqual(['blue vector']);
  await ingest(light([0, 0.1, 1]));
  expect(await nearest()).toEqual(['green vector']);
  await ingest(light([0, 1, 0]));
  expect(await nearest()).toEqual(['blue vector']);
});

it.each([
  [
    { mode: 'vector', vector: [1, 2] },
    'request.vector',
    'has 2 dimensions, and what is searched has 3',
  ],
  [{ mode: 'vector', vector: [1, 'x', 3] }, 'request.vector', 'must be a list of numbers'],
  [
    { mode: 'hybrid', vector: [1, 2, 3], weight: 2 },
    'request.weight',
    'must be a number from 0 to 1',
  ],
  [
    { mode: 'hybrid', query: 'rose' },
    'request.vector',
    'is missing: all vectors that are searched came with their nodes',
  ],
])('%j is refused where it is wrong', async (request, path, message) => {
  const { status, json } = await asked('bob', request);
  expect(status).toBe(400);
  expect(json).toMatchObject({
    error: { code: 'invalid_request', details: { fields: [{ path, message }] } },
  });
});
