import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { settingOperation } from '#access/settings.ts';
import { SEARCH_QUERY_CHARACTERS_MAX } from '#base/search-limits.ts';
import { Problem } from '#base/problem.ts';
import { openTestGraph, problemOf, type TestGraph } from '#graph/testing/test-graph.ts';
import { vectorOf } from './embedding-record.ts';
import type { TextVectors } from './embed-texts.ts';
import { LiveSearcher } from '../service/live-searcher.ts';
import { SEARCH_SETTING } from '../settings/search-settings.ts';
import { embedQuery } from './query-vectors.ts';

let graph: TestGraph;
/** Texts with the models that were asked for their vectors. */
let asked: string[] = [];
const textVectors: TextVectors = {
  of: async (text, model) => {
    asked.push(`${model}: ${text.slice(0, 20)}`);
    if (model === 'away') throw new Problem('embeddings_unavailable', 'It does not answer.');
    return new Float32Array([model.length, 1]);
  },
};

beforeAll(async () => {
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  const fields = { Text: 'String', Title: 'String', At: 'Float[]' } as const;
  await graph.addSchema({ nodes: ['Note', 'Paper', 'Plain'].map((type) => ({ type, fields })) });
  const vector = (model: string) => ({ vector: { model, chunk: 200 } });
  const type = (own: object) => ({ searchable: true, language: '--', fields: own });
  const types = {
    Note: type({ Text: vector('small'), Title: vector('small'), At: { vector: { model: 'own' } } }),
    Paper: type({ Text: vector('large'), Title: vector('away') }),
    Plain: type({ Text: { text: { boost: 1 } } }),
  };
  const operations = [settingOperation(SEARCH_SETTING, { types })];
  await graph.writer.commit({ system: true, operations });
});
afterAll(() => graph[Symbol.asyncDispose]());
beforeEach(() => {
  asked = [];
});

async function embed(request: object): Promise<unknown> {
  const { reader } = graph;
  reader.refresh();
  const searcher = new LiveSearcher(reader).current();
  const { signal } = new AbortController();
  const vectors = await embedQuery({ reader, searcher, textVectors }, request, signal);
  return Object.fromEntries(
    Object.entries(vectors).map(([model, text]) => [model, [...vectorOf(text)]]),
  );
}

it.each<[object, object]>([
  [{ types: ['Note'] }, { small: [5, 1] }],
  [
    { types: ['Note', 'Paper'], fields: ['Text'] },
    { small: [5, 1], large: [5, 1] },
  ],
  [{ types: ['Note'], fields: ['At'] }, {}],
  [{ types: ['Plain'] }, {}],
  // Who may know that there is none is told by the search.
  [{ types: ['Nothing'] }, {}],
  [{ fields: ['Nowhere'] }, {}],
])('asks each model of text once, of the types and fields in %j', async (scope, vectors) => {
  expect(await embed({ query: 'harbour', mode: 'vector', ...scope })).toEqual(vectors);
  expect(asked).toEqual(Object.keys(vectors).map((model) => `${model}: harbour`));
});

it('fails when one model does', async () => {
  const fault = await problemOf(() => embed({ query: 'harbour', mode: 'hybrid' }));
  expect(fault).toMatchObject({ code: 'embeddings_unavailable' });
});

it.each<[string, object]>([
  ['invalid_request', { query: 'x'.repeat(SEARCH_QUERY_CHARACTERS_MAX + 1), mode: 'vector' }],
  ['invalid_request', { query: 7, mode: 'vector' }],
])('asks nobody about what is %s', async (code, request) => {
  expect(await problemOf(() => embed(request))).toMatchObject({ code });
  expect(asked).toEqual([]);
});
