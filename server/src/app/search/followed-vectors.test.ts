import { createHash } from 'node:crypto';
import { globSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { settingOperation } from '#access/settings.ts';
import type { WriterOperation } from '#graph/operations.ts';
import {
  EMBEDDING_TYPE,
  embeddingKey,
  embeddingOperation,
} from '#search/embeddings/embedding-record.ts';
import { VECTOR_BATCH_NODES_MAX } from '#base/search-limits.ts';
import type { WantedText } from '#search/embeddings/embed-texts.ts';
import { SEARCH_SETTING } from '#search/settings/search-settings.ts';
import { scale, seed } from '../../../../test/support/scale.ts';
import { IndexedGraph } from './testing/indexed-graph.ts';

const SOAK_TIMEOUT_MS = 600_000;
const DIMENSIONS = 8;
const FIELDS = { Text: 'String', Lines: 'String[]', Place: 'Double[]' } as const;

const line = fc.array(fc.constantFrom('sea', 'ship', 'lamp', 'north. ', 'tide\n\n'), {
  minLength: 1,
  maxLength: 60,
});
const text = line.map((words) => words.join(' '));
const place = fc.array(fc.integer({ min: -1, max: 1 }), { minLength: 3, maxLength: 3 });

const write = fc
  .record({
    type: fc.constantFrom('Note', 'Paper'),
    key: fc.nat(5).map(String),
    fields: fc.record(
      {
        Text: fc.option(text, { nil: null }),
        Lines: fc.option(fc.array(text, { maxLength: 3 }), { nil: null }),
        Place: fc.option(place, { nil: null }),
      },
      { requiredKeys: [] },
    ),
  })
  .map((node): WriterOperation => ({ op: 'addOrUpdate', ...node }));
const removal = fc
  .record({ type: fc.constantFrom('Note', 'Paper'), key: fc.nat(5).map(String) })
  .map((node): WriterOperation => ({ op: 'delete', ...node }));

const embedded = fc.option(
  fc.record({ model: fc.constantFrom('small', 'large'), chunk: fc.constantFrom(200, 400) }),
  { nil: undefined },
);
const typeSettings = fc.record({
  searchable: fc.constant(true),
  language: fc.constant('--'),
  fields: fc.record({
    Text: fc.record({ vector: embedded }),
    Lines: fc.record({ vector: embedded }),
    Place: fc.record({ vector: fc.constantFrom(undefined, { model: 'external' }) }),
  }),
});

type Step =
  | { readonly kind: 'commit'; readonly operations: readonly WriterOperation[] }
  | { readonly kind: 'settings'; readonly types: object }
  /** The provider gives vectors for some of the texts that wait, and gives some back. */
  | { readonly kind: 'embed'; readonly count: number; readonly kept: number }
  | { readonly kind: 'restart' }
  | { readonly kind: 'compare' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      operations: fc.array(fc.oneof({ weight: 4, arbitrary: write }, removal), {
        minLength: 1,
        maxLength: 6,
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('settings' as const),
      types: fc.record({ Note: typeSettings, Paper: typeSettings }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('embed' as const),
      count: fc.integer({ min: 1, max: 20 }),
      kept: fc.nat(20),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'compare' as const }) },
);

/** A node is written once in a commit, and deleted only when it is there. */
function possible(graph: IndexedGraph, operations: readonly WriterOperation[]): WriterOperation[] {
  const written = new Set<string>();
  return operations.filter((operation) => {
    if (operation.op !== 'addOrUpdate' && operation.op !== 'delete') return true;
    const { op, type = '', key = '' } = operation;
    if (written.has(type + key)) return false;
    written.add(type + key);
    return op === 'addOrUpdate' || graph.reader.id({ type, key }) !== undefined;
  });
}

test(
  'vectors that follow the log are those of the state, whatever came in which order',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 40 }), async (steps) => {
        await using graph = await openGraph();
        for (const one of steps) await take(graph, one);
        await compare(graph);
        await embedAll(graph);
        await compare(graph);
        expect(graph.textsLeft).toEqual({ waiting: 0, refused: 0 });
        await sweep(graph);
        await compare(graph);
        expect(graph.textsLeft).toEqual({ waiting: 0, refused: 0 });
        expect(graph.notes.filter((note) => /vectors/.test(note))).toEqual([]);
      }),
      { seed: seed(), numRuns: scale({ sample: 20, soak: 300 }) },
    );
  },
  SOAK_TIMEOUT_MS,
);

async function openGraph(): Promise<IndexedGraph> {
  const graph = await IndexedGraph.open();
  const nodes = ['Note', 'Paper'].map((type) => ({ type, key: 'Key', fields: FIELDS }));
  await graph.commit({ operations: [], schema: { nodes, edges: [] } });
  graph.show();
  graph.start();
  return graph;
}

async function take(graph: IndexedGraph, one: Step): Promise<void> {
  switch (one.kind) {
    case 'commit':
      return show(graph, possible(graph, one.operations));
    case 'settings':
      return show(graph, [settingOperation(SEARCH_SETTING, { types: one.types })]);
    case 'embed':
      return embed(graph, one.count, one.kept);
    case 'restart':
      await graph.stop();
      graph.start();
      return undefined;
    case 'compare':
      return compare(graph);
  }
}

async function show(graph: IndexedGraph, operations: readonly WriterOperation[]): Promise<void> {
  if (operations.length === 0) return;
  await graph.commit({ system: true, operations });
  graph.show();
}

/** The same text always gets the same vector. */
function vectorFor({ model, text: content }: WantedText): Float32Array {
  const digest = createHash('sha256').update(`${model} ${content}`).digest();
  return Float32Array.from({ length: DIMENSIONS }, (_, i) => digest.readInt8(i) + 0.5);
}

/** Undefined when none wait. */
async function wanted(graph: IndexedGraph, max: number): Promise<readonly WantedText[]> {
  await graph.indexed();
  // It is answered at once, or there are none now.
  let answer: readonly WantedText[] | undefined;
  let isOver = false;
  const { texts } = graph;
  texts.ask(max, (found) => {
    if (isOver)
      texts.giveBack(
        found.map(({ key }) => key),
        'again',
      );
    else answer = found;
  });
  isOver = true;
  return answer ?? [];
}

async function embed(graph: IndexedGraph, count: number, kept: number): Promise<void> {
  const texts = await wanted(graph, count);
  for (const { key, model, text: content } of texts) expect(embeddingKey(model, content)).toBe(key);
  const given = texts.slice(0, kept);
  const back = texts.slice(kept).map(({ key }) => key);
  graph.texts.giveBack(back, 'again');
  const operations = given.map((one) => embeddingOperation(one.key, one.model, vectorFor(one)));
  await show(graph, operations);
}

async function embedAll(graph: IndexedGraph): Promise<void> {
  while ((graph.textsLeft?.waiting ?? 0) > 0) await embed(graph, 100, 100);
}

async function compare(graph: IndexedGraph): Promise<void> {
  await graph.indexed();
  const { followed, anew } = graph.vectors();
  expect(followed).toEqual(anew);
}

/** Then there are as many embeddings as texts that are indexed, and no more. */
async function sweep(graph: IndexedGraph): Promise<void> {
  const unused = await new Promise<readonly string[]>((resolve) => {
    const keys: string[] = [];
    graph.texts.sweep((found, isOver) => {
      keys.push(...found);
      if (isOver) resolve(keys);
    });
  });
  await show(
    graph,
    unused.map((key) => ({ op: 'delete', type: EMBEDDING_TYPE, key })),
  );
  await graph.indexed();
  const { reader } = graph;
  const kept = reader.idsOfType(EMBEDDING_TYPE).map((id) => reader.field(id, 'Id'));
  expect(new Set(kept)).toEqual(graph.textKeys());
}

const PLACES = [
  settingOperation(SEARCH_SETTING, {
    types: {
      Note: {
        searchable: true,
        language: '--',
        fields: { Place: { vector: { model: 'external' } } },
      },
    },
  }),
];

test.each([
  ['a byte is another', (file: string) => flip(file)],
  ['the file is cut short', (file: string) => truncateSync(file, 10)],
  ['the file is gone', (file: string) => rmSync(file)],
])('vectors that were kept are indexed anew when %s', async (_what, damage) => {
  await using graph = await openGraph();
  await addPlaces(graph);
  await graph.indexed();
  await graph.stop();
  const [file = ''] = globSync('*/shard-*', { cwd: graph.vectorFolder });
  damage(join(graph.vectorFolder, file));
  graph.start();
  await compare(graph);
  expect(graph.notes.filter((note) => /vectors/.test(note))).toEqual([
    expect.stringContaining('Note.Place are indexed anew'),
  ]);
  expect(graph.vectors().followed).toHaveLength(NODES);
  expect(graph.rebuilds).toBeGreaterThan(0);
});

test('vectors that were kept are not read from the graph again', async () => {
  await using graph = await openGraph();
  await addPlaces(graph);
  await graph.indexed();
  await graph.stop();
  graph.start();
  await graph.indexed();
  // An index that is made anew tells of its rebuilding first.
  expect(graph.rebuilds).toBe(0);
  await compare(graph);
});

/** So many that an index which is made anew is seen to be. */
const NODES = 2 * VECTOR_BATCH_NODES_MAX;

async function addPlaces(graph: IndexedGraph): Promise<void> {
  await show(graph, PLACES);
  const keys = Array.from({ length: NODES }, (_, i) => i);
  await show(
    graph,
    keys.map((key) => ({
      op: 'addOrUpdate',
      type: 'Note',
      key: String(key),
      fields: { Place: [key, 1, -1] },
    })),
  );
}

function flip(file: string): void {
  const bytes = readFileSync(file);
  bytes[Math.floor(bytes.length / 2)]! ^= 1;
  writeFileSync(file, bytes);
}
