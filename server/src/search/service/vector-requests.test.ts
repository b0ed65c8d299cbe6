import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingOperation } from '#access/settings.ts';
import type { Problem } from '#base/problem.ts';
import type { WriterOperation } from '#graph/operations.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { embeddingKey, embeddingOperation, vectorText } from '../embeddings/embedding-record.ts';
import { textChunks } from '../indexing/vectors/vector-indexer.ts';
import { SEARCH_SETTING } from '../settings/search-settings.ts';
import { LiveSearcher } from './live-searcher.ts';
import type { Searcher } from './searcher.ts';

const CHUNK = 200;
const LONG = 'The first part is about ropes. '.repeat(6) + 'Then comes the sea. '.repeat(8);
const NOTES = { sail: [`  ${LONG}`], cook: ['Fish soup.', 'Bread and salt.'], none: [] };
const SETTINGS = {
  types: {
    Note: {
      searchable: true,
      language: 'en',
      fields: {
        Title: { text: { boost: 1 } },
        Lines: { vector: { model: 'small', chunk: CHUNK } },
      },
    },
    Place: {
      searchable: true,
      language: 'en',
      fields: {
        Title: { text: { boost: 1 }, vector: { model: 'large', chunk: CHUNK } },
        At: { vector: { model: 'external' } },
      },
    },
    Plain: { searchable: true, language: 'en', fields: { Title: { text: { boost: 1 } } } },
  },
};

let graph: TestGraph;
let searcher: Searcher;
beforeAll(async () => {
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  await graph.addSchema({
    nodes: [
      { type: 'Note', key: 'Key', fields: { Title: 'String', Lines: 'String[]' } },
      { type: 'Place', key: 'Key', fields: { Title: 'String', At: 'Double[]' } },
      { type: 'Plain', key: 'Key', fields: { Title: 'String' } },
    ],
  });
  const embedded = Object.values(NOTES).flatMap((lines) => textChunks(lines, CHUNK));
  const operations: WriterOperation[] = [
    settingOperation(SEARCH_SETTING, SETTINGS),
    ...embedded.map((text) =>
      embeddingOperation(embeddingKey('small', text), 'small', meaningOf(text)),
    ),
    embeddingOperation(embeddingKey('large', 'Harbour'), 'large', Float32Array.of(1, 0, 0)),
    ...Object.entries(NOTES).map(([key, Lines]): WriterOperation => ({
      op: 'addOrUpdate',
      type: 'Note',
      key,
      fields: { Title: key, Lines },
    })),
    { op: 'addOrUpdate', type: 'Place', key: 'p', fields: { Title: 'Harbour', At: [1, 2, 3, 4] } },
  ];
  await graph.writer.commit({ system: true, operations });
  graph.reader.refresh();
  searcher = new LiveSearcher(graph.reader).current();
});
afterAll(() => graph[Symbol.asyncDispose]());

/** What a model of two dimensions makes of these texts. */
function meaningOf(text: string): Float32Array {
  return text.startsWith('Then') || text.startsWith('the sea')
    ? Float32Array.of(0.1, 1)
    : text.startsWith('Bread')
      ? Float32Array.of(1, -0.1)
      : Float32Array.of(1, 0.2);
}

const queryVectors = { small: vectorText(Float32Array.of(0, 1)) };
const find = (request: object) => searcher.search(request, undefined);

function refused(request: object): string {
  try {
    find(request);
  } catch (error) {
    const { code, message } = error as Problem;
    return `${code} ${message}`;
  }
  return 'no problem';
}

describe('of texts', () => {
  it('a node is found by its best chunk, which is shown as it begins', () => {
    const request = { query: 'sea', mode: 'vector', types: ['Note'], queryVectors, explain: true };
    const { hits, total } = find(request);
    expect(total).toBe(2);
    const [best, other] = hits;
    expect(best).toMatchObject({ from: 'vector', node: { Id: 'sail' } });
    const { field, snippets } = best!.highlights[0]!;
    expect(field).toBe('Lines');
    const [{ text, start, item, matches }] = snippets as [
      { text: string; start: number; item: number; matches: unknown },
    ];
    expect([item, matches]).toEqual([0, []]);
    expect(start).toBeGreaterThan(0);
    expect(NOTES.sail[0]!.slice(start).startsWith(text)).toBe(true);
    expect(text).toMatch(/^Then/);
    expect(best!.explain!.vector).toMatchObject({ field: 'Lines', model: 'small' });
    expect(best!.explain!.vector!.similarity).toBeCloseTo(1 / Math.hypot(0.1, 1), 3);
    expect(other!.highlights).toEqual([
      { field: 'Lines', snippets: [{ text: 'Fish soup.', start: 0, matches: [], item: 0 }] },
    ]);
  });

  it('what the words find is shown as ever', () => {
    const { hits } = find({ query: 'sail', mode: 'hybrid', types: ['Note'], queryVectors });
    expect(hits[0]).toMatchObject({
      from: 'both',
      highlights: [
        { field: 'Title', snippets: [{ text: 'sail', matches: [{ start: 0, end: 4 }] }] },
      ],
    });
  });
});

describe('the vectors that a request brings along', () => {
  it.each<[object, readonly string[]]>([
    [{ query: 'sea', mode: 'hybrid' }, ['small', 'large']],
    [{ query: 'sea', mode: 'vector', types: ['Note'] }, ['small']],
    [{ query: 'sea', mode: 'vector', fields: ['Title'] }, ['large']],
    [{ query: 'sea', mode: 'vector', fields: ['At'] }, []],
    [{ query: 'sea', mode: 'vector', vector: [1] }, []],
    [{ query: ' ', mode: 'vector' }, []],
    [{ query: 'sea' }, []],
    [{ query: 'sea', mode: 'vector', types: ['Plain'] }, []],
  ])('for %j are of the models %j', (request, models) => {
    expect(searcher.modelsFor(request)).toEqual(models);
  });

  it.each<[object, string]>([
    [{ mode: 'meaning' }, 'request.mode: must be one of text, vector, hybrid'],
    [{ mode: 'vector', weight: 1.5 }, 'request.weight: must be a number from 0 to 1'],
    [{ mode: 'vector', weight: '0.5' }, 'request.weight: must be a number from 0 to 1'],
    [{ mode: 'vector', ranking: 'best' }, 'request.ranking: must be one of weighted, rrf'],
    [{ similarityMin: -1 }, 'request.similarityMin: must be a number from 0 to 1'],
    [{ vector: 'x' }, 'request.vector: must be a list of numbers'],
    [{ vector: [1, '2'] }, 'request.vector: must be a list of numbers'],
    [{ vector: [] }, 'request.vector: must have 1 to 4096 dimensions'],
    [{ vector: [0, 0] }, 'request.vector: must be finite numbers that are not all zero'],
    [{ vector: [1, Infinity] }, 'request.vector: must be finite numbers that are not all zero'],
    [{ queryVectors: [1] }, 'request.queryVectors: must be an object of at most 64 vectors'],
    [{ queryVectors: { m: 1 } }, 'request.queryVectors.m: must be 32-bit floats in base64'],
    [{ queryVectors: { m: '' } }, 'request.queryVectors.m: must have 1 to 4096 dimensions'],
    [
      { mode: 'vector', vector: [1, 2, 3, 4, 5] },
      'request.vector: has 5 dimensions, and what is searched has 2 or 3 or 4',
    ],
    [
      {
        query: 'sea',
        mode: 'vector',
        types: ['Note'],
        queryVectors: { small: vectorText(Float32Array.of(1)) },
      },
      'request.queryVectors.small: has 1 dimensions, and what is searched has 2',
    ],
    [
      { query: 'sea', mode: 'hybrid', queryVectors },
      'request.queryVectors: has no vector of the model "large"',
    ],
    [
      { query: 'sea', mode: 'vector', fields: ['At'] },
      'request.vector: is missing: all vectors that are searched came with their nodes',
    ],
    [{ mode: 'hybrid' }, 'request.query: is empty, and there is no vector for the mode "hybrid"'],
    [
      { mode: 'vector', types: ['Plain'], vector: [1] },
      'request.mode: "vector" needs a field with vectors, and no field that is searched has any',
    ],
  ])('%j are refused: %s', (request, message) => {
    expect(refused(request)).toBe(`invalid_request ${message}`);
  });

  it('are compared with those of as many dimensions', () => {
    const { hits } = find({ mode: 'vector', vector: [1, 2, 3, 4], explain: true });
    expect(hits).toMatchObject([
      { score: expect.closeTo(1, 3), highlights: [], explain: { vector: { field: 'At' } } },
    ]);
    const near = find({ mode: 'vector', vector: [1, 0] });
    expect(near.hits.map(({ node }) => node['Id'])).toEqual(['cook', 'sail']);
  });
});

describe('similar nodes', () => {
  const ids = (found: readonly { readonly id: number }[]): unknown[] =>
    found.map(({ id }) => graph.reader.node(id)?.['Id']);

  it('are as similar as the best of their vectors is to the best of those given', () => {
    const sail = searcher.vectorsOfNode(graph.idOf('Note', 'sail'), undefined);
    expect(sail.map(({ field, model, chunk }) => [field, model, chunk])).toEqual([
      ['Lines', 'small', 0],
      ['Lines', 'small', 1],
    ]);
    const found = searcher.similarTo({ vectors: sail, count: 10 }, undefined);
    expect(ids(found)).toEqual(['sail', 'cook']);
    expect(found.map(({ score }) => score)).toEqual([expect.closeTo(1, 3), expect.closeTo(1, 3)]);
    const except = new Set([graph.idOf('Note', 'sail')]);
    expect(ids(searcher.similarTo({ vectors: sail, count: 1, except }, undefined))).toEqual([
      'cook',
    ]);
  });

  it('are of the types and by the fields that are wanted', () => {
    const vectors = [{ vector: [1, 0, 0] }, { model: 'small', vector: [0, 1] }];
    const similar = (more: object) =>
      ids(searcher.similarTo({ vectors, count: 9, ...more }, undefined));
    expect(similar({})).toEqual(['p', 'sail', 'cook']);
    expect(similar({ types: ['Note'] })).toEqual(['sail', 'cook']);
    expect(similar({ fields: ['Title'] })).toEqual(['p']);
    expect(similar({ similarityMin: 0.9 })).toEqual(['p', 'sail']);
    expect(() => similar({ types: ['Plain'] })).toThrow(/no field of these has vectors/);
    expect(() => similar({ types: ['Nowhere'] })).toThrow(/not a node type/);
  });

  it('have no vectors where nobody sees them', () => {
    const hidden = graph.idOf('Note', 'sail');
    const visibility = {
      canSee: (id: number) => id !== hidden,
      hiddenOfType: (type: string) => (type === 'Note' ? 1 : 0),
      mayHideOfType: () => true,
      sightOf: () => 'somebody',
      canSeeEdge: () => true,
      withholdsFields: () => true,
      canReadField: (_: number, field: string) => field !== 'At',
      canReadFieldOfType: (_: string, field: string) => field !== 'At',
      present: (_: number, node: object) => node as never,
    };
    expect(searcher.vectorsOfNode(hidden, visibility)).toEqual([]);
    const place = graph.idOf('Place', 'p');
    const fieldsOf = (all: readonly { readonly field: string }[]) => all.map(({ field }) => field);
    expect(fieldsOf(searcher.vectorsOfNode(place, visibility))).toEqual(['Title']);
    expect(fieldsOf(searcher.vectorsOfNode(place, undefined))).toEqual(['At', 'Title']);
    const similar = searcher.similarTo({ vectors: [{ vector: [0, 1] }], count: 9 }, visibility);
    expect(ids(similar)).toEqual(['cook']);
  });
});

it('what is gone since it was indexed is not shown', async () => {
  const request = { query: 'x', mode: 'vector', types: ['Note'], queryVectors };
  await graph.write({
    op: 'addOrUpdate',
    type: 'Note',
    key: 'sail',
    fields: { Lines: ['Short.'] },
  });
  expect(find(request).hits.map(({ highlights }) => highlights.length)).toEqual([0, 1]);
  await graph.write({ op: 'delete', type: 'Note', key: 'sail' });
  expect(find(request).hits.map(({ node }) => node['Id'])).toEqual(['cook']);
});
