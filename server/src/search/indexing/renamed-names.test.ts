import { afterAll, beforeAll, expect, it, type Mock, vi } from 'vitest';
import { settingOperation } from '#access/settings.ts';
import { systemClock } from '#base/clock.ts';
import type { Visibility } from '#graph/reader.ts';
import type { SchemaEdits } from '#graph/schema-edits.ts';
import type { SchemaRename } from '#graph/schema-rename.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { embeddingKey, embeddingOperation, vectorText } from '../embeddings/embedding-record.ts';
import { Searcher } from '../service/searcher.ts';
import { SEARCH_SETTING } from '../settings/search-settings.ts';
import { TEXT_INDEX_LIMITS, TextIndex } from '../text/text-index.ts';
import { IndexFollower } from './index-follower.ts';

/*
 * The index follows a rename without indexing anything again, and what it has from before the
 * rename is searched by the names of now and former ones.
 */
let graph: TestGraph;
let follower: IndexFollower;
let searcher: Searcher;
/** What was indexed: of each document its words, and its vectors. */
let indexed: { readonly words: Mock; readonly vectors: Mock };

const settings = (type: string, text: string, secret: string, rank: string, key: string) => ({
  types: {
    [type]: {
      searchable: true,
      language: 'en',
      fields: {
        [key]: { text: { boost: 1 } },
        [text]: { text: { boost: 1 }, vector: { model: 'm', chunk: 200 } },
        [secret]: { text: { boost: 1 } },
        [rank]: { facet: true },
      },
    },
  },
});

beforeAll(async () => {
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  await graph.addSchema({
    nodes: [
      {
        type: 'Note',
        key: 'Name',
        label: 'Text',
        fields: { Text: 'String', Secret: 'String', Rank: 'Int' },
      },
      { type: 'Other', key: 'Key', fields: {} },
    ],
  });
  await graph.writer.commit({
    system: true,
    operations: [
      settingOperation(SEARCH_SETTING, settings('Note', 'Text', 'Secret', 'Rank', 'Name')),
      embeddingOperation(embeddingKey('m', 'sea'), 'm', Float32Array.of(1, 0)),
      {
        op: 'addOrUpdate',
        type: 'Note',
        key: 'one',
        fields: { Text: 'sea', Secret: 'gold', Rank: 1 },
      },
    ],
  });
  graph.reader.refresh();
  const index = new TextIndex(TEXT_INDEX_LIMITS);
  const words = vi.spyOn(index, 'add');
  follower = new IndexFollower({
    reader: graph.reader,
    log: graph.log,
    index,
    clock: systemClock,
    progress: undefined,
    vectors: { random: () => 0.5, capacity: 64 },
    keptVectors: undefined,
  });
  indexed = { words, vectors: vi.spyOn(follower.vectors, 'set') };
  searcher = new Searcher({ reader: graph.reader, now: () => systemClock.now() });
  await follow();
  expect(words).toHaveBeenCalled();
});
afterAll(() => graph[Symbol.asyncDispose]());

async function follow(): Promise<void> {
  do await follower.work();
  while (!follower.isUpToDate);
  searcher.receive(follower.snapshot());
}

/** Forgets what was indexed so far. */
function countAnew(): void {
  for (const counted of Object.values(indexed)) counted.mockClear();
}

function expectNothingIndexed(): void {
  for (const counted of Object.values(indexed)) expect(counted).not.toHaveBeenCalled();
}

async function change(edits: SchemaEdits, after?: object): Promise<void> {
  const operations = after === undefined ? [] : [settingOperation(SEARCH_SETTING, after)];
  await graph.writer.commit({ system: true, edits, operations });
  graph.reader.refresh();
}

const RENAMES: SchemaRename[] = [
  { type: 'Note', to: 'Memo' },
  { type: 'Memo', field: 'Text', to: 'Body' },
  { type: 'Memo', field: 'Secret', to: 'Whisper' },
  { type: 'Memo', field: 'Name', to: 'Title' },
];
const RENAMED = settings('Memo', 'Body', 'Whisper', 'Rank', 'Title');

/** Sees all nodes, and no field of that name. */
function without(type: string, hidden: string): Visibility {
  const canRead = (field: string) => field !== hidden;
  return {
    canSee: () => true,
    hiddenOfType: () => 0,
    mayHideOfType: () => false,
    sightOf: () => hidden,
    canSeeEdge: () => true,
    withholdsFields: (name) => name === type,
    canReadField: (_id, field) => canRead(field),
    canReadFieldOfType: (name, field) => name !== type || canRead(field),
    present: (_id, node) => node,
  };
}

const found = (request: object, visibility?: Visibility) =>
  searcher.search(request, visibility).hits.length;
const VECTOR = {
  mode: 'vector',
  query: 'x',
  queryVectors: { m: vectorText(Float32Array.of(1, 0)) },
};

/** By these names. */
function expectFound(type: string, text: string, key: string): void {
  const types = [type];
  expect(found({ query: 'sea', types, fields: [text] })).toBe(1);
  expect(found({ query: `${text}:sea` })).toBe(1);
  expect(found({ query: `${key}:one`, types })).toBe(1);
  expect(found({ query: 'gold', types, fields: [text] })).toBe(0);
  expect(searcher.modelsFor({ ...VECTOR, types, fields: [text] })).toEqual(['m']);
  expect(found({ ...VECTOR, types, fields: [text] })).toBe(1);
  expect(searcher.findByText({ type, field: text, text: 'sea' }, undefined)).toHaveLength(1);
  const similar = { vectors: [{ vector: [1, 0] }], count: 9, types, fields: [text] };
  expect(searcher.similarTo(similar, undefined)).toHaveLength(1);
}

it('finds by names of now and before, also while the index is behind', async () => {
  countAnew();
  await change({ edits: RENAMES.map((rename) => ({ rename })) }, RENAMED);
  for (const isBehind of [true, false]) {
    if (!isBehind) await follow();
    expectFound('Memo', 'Body', 'Title');
    expectFound('Note', 'Text', 'Name');
    const { facets, hits } = searcher.search({ query: 'sea', facets: ['Rank', 'Type'] }, undefined);
    expect(facets).toMatchObject({ Rank: [{ value: '1', count: 1 }] });
    expect(JSON.stringify(facets)).toContain('"Memo"');
    expect(hits).toMatchObject([{ node: { Body: 'sea' }, highlights: [{ field: 'Body' }] }]);
    const visibility = without('Memo', 'Whisper');
    expect([found({ query: 'gold' }), found({ query: 'gold' }, visibility)]).toEqual([1, 0]);
  }
  expectNothingIndexed();
});

it('an undo, and aliases that are removed, have nothing indexed again', async () => {
  countAnew();
  await change({ edits: [{ rename: { type: 'Memo', field: 'Title', to: 'Name' } }] });
  await change(
    {
      edits: [{ rename: { type: 'Memo', field: 'Name', to: 'Title' } }],
      removedAliases: [
        { type: 'Memo', alias: 'Note' },
        { type: 'Memo', field: 'Title', alias: 'Name' },
        { type: 'Memo', field: 'Body', alias: 'Text' },
        { type: 'Memo', field: 'Whisper', alias: 'Secret' },
      ],
    },
    RENAMED,
  );
  await follow();
  expectFound('Memo', 'Body', 'Title');
  expectNothingIndexed();
  expect(() => found({ query: 'sea', types: ['Note'] })).toThrow(/not a node type/);
  expect(() => found({ query: 'sea', types: ['Memo'], fields: ['Text'] })).toThrow(/Text/);
});

it('a field that takes the former name of another has words of its own', async () => {
  const more = settings('Memo', 'Body', 'Whisper', 'Rank', 'Title');
  const { Memo } = more.types as Record<string, (typeof more.types)[string]>;
  await graph.addSchema({
    nodes: [{ type: 'Memo', fields: { Text: 'String', Name: 'String', Secret: 'String' } }],
  });
  const text = { text: { boost: 1 } };
  const fields = { ...Memo!.fields, Text: text, Name: text, Secret: text };
  await change({}, { types: { Memo: { ...Memo!, fields } } });
  await graph.write({
    op: 'addOrUpdate',
    type: 'Memo',
    key: 'two',
    fields: { Text: 'hill', Name: 'three', Secret: 'tin' },
  });
  await follow();
  const byField = (field: string, query: string) => found({ query, fields: [field] });
  expect(['Text', 'Body'].map((field) => byField(field, 'hill'))).toEqual([1, 0]);
  expect(['Text', 'Body'].map((field) => byField(field, 'sea'))).toEqual([0, 1]);
  expect(['Name', 'Title'].map((field) => byField(field, 'three'))).toEqual([1, 0]);
  expect(['Name', 'Title'].map((field) => byField(field, 'one'))).toEqual([0, 1]);
  const visibility = without('Memo', 'Whisper');
  expect(['gold', 'tin'].map((query) => found({ query }, visibility))).toEqual([0, 1]);
});

it('whoever may not read a field does not find by it when its former name is free', async () => {
  await change({
    edits: [{ rename: { type: 'Memo', field: 'Whisper', to: 'Quiet' } }],
    removedAliases: [{ type: 'Memo', field: 'Quiet', alias: 'Whisper' }],
  });
  // The index is behind: it knows the field by a name that no rule has any more.
  expect(found({ query: 'gold' }, without('Memo', 'Quiet'))).toBe(0);
});
