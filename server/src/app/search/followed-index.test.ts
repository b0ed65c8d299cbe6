import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { settingOperation } from '#access/settings.ts';
import type { WriterOperation } from '#graph/operations.ts';
import { SEARCH_SETTING } from '#search/settings/search-settings.ts';
import { scale, seed } from '../../../../test/support/scale.ts';
import { IndexedGraph } from './testing/indexed-graph.ts';
import { interleavedThreads } from './testing/interleaved-threads.ts';

const STEPS = { minLength: 4, maxLength: 24 };
const SOAK_TIMEOUT_MS = 600_000;
const TYPES = ['Note', 'Paper', 'Late'];
const FIELDS = { Title: 'String', Text: 'String', Tags: 'String[]' } as const;
const WORDS = ['graph', 'graphs', 'node', 'nodes', 'edge', 'the', 'query', 'grape', 'of', 'Haus'];

const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((list) => list.join(' '));

const write = fc
  .record({
    type: fc.constantFrom(...TYPES),
    key: fc.nat(11).map(String),
    fields: fc.record({
      Title: fc.option(words, { nil: null }),
      Text: fc.option(words, { nil: null }),
      Tags: fc.option(fc.array(fc.constantFrom('red', 'green', 'blue'), { maxLength: 3 }), {
        nil: null,
      }),
    }),
    day: fc.integer({ min: 1, max: 28 }),
  })
  .map(({ type, key, fields, day }): WriterOperation => {
    const timestamp = Date.UTC(2026, 0, day);
    return { op: 'addOrUpdate', type, key, fields, timestamp };
  });
const removal = fc
  .record({ type: fc.constantFrom(...TYPES), key: fc.nat(11).map(String) })
  .map((node): WriterOperation => ({ op: 'delete', ...node }));
const commit = fc.array(fc.oneof({ weight: 4, arbitrary: write }, removal), {
  minLength: 1,
  maxLength: 12,
});

const text = fc.option(
  fc.record({
    boost: fc.constantFrom(1, 2, 5),
    language: fc.constantFrom(undefined, 'de', '--'),
  }),
  { nil: undefined },
);
const typeSettings = fc.record({
  searchable: fc.boolean(),
  language: fc.constantFrom('auto', 'en', '--'),
  fields: fc.record({
    Title: fc.record({ text }),
    Text: fc.record({ text }),
    Tags: fc.record({ text, facet: fc.boolean() }),
    Added: fc.record({ text }),
  }),
});
const settings = fc.record({ Note: typeSettings, Paper: typeSettings, Late: typeSettings });

/**
 * Who builds what is indexed anew: the thread that indexes, or others too, all the time or until
 * they end by themselves.
 */
type Threads = 'one' | 'several' | 'mortal';

type Step =
  | { readonly kind: 'commit'; readonly operations: readonly WriterOperation[] }
  | { readonly kind: 'settings'; readonly types: object }
  /** A type that was not there, or a field that a type did not have. */
  | { readonly kind: 'grow' }
  /**
   * The process ends in good order, and starts again with what it kept, all of it in memory or
   * nothing that can be in files.
   */
  | { readonly kind: 'restart'; readonly memoryBytesMax: number; readonly threads: Threads }
  /** Commits that are gone from the log before the index has seen them. */
  | { readonly kind: 'overtake'; readonly operations: readonly WriterOperation[] }
  | { readonly kind: 'compare' };

const threads = fc.constantFrom<Threads[]>('one', 'several', 'mortal');

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('commit' as const), operations: commit }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('settings' as const), types: settings }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'grow' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('restart' as const),
      memoryBytesMax: fc.constantFrom(0, Infinity),
      threads,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('overtake' as const), operations: commit }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'compare' as const }) },
);

const FACETS = { facets: ['Type', 'Tags', { time: 'day' }], take: 100, fuzziness: 0 };
const REQUESTS = [
  { query: '' },
  { query: 'graph' },
  { query: 'graph node' },
  { query: 'graph nodes edge query' },
  { query: '"the graph"' },
  { query: 'gra*' },
  { query: 'graph -edge' },
  { query: 'Title:node' },
  { query: 'red OR edge', types: ['Note'] },
  { query: 'graph', filters: { Tags: 'red' }, types: ['Note'] },
  { query: 'haus', sort: 'oldest' },
].flatMap((request) => [
  { ...FACETS, ...request },
  // Where the settings have no facet `Tags`, this is not refused.
  { ...FACETS, ...request, facets: ['Type'] },
]);

function compare(graph: IndexedGraph): void {
  const { followed, anew } = graph.answers(REQUESTS);
  expect(followed).toEqual(anew);
}

function buildBy(graph: IndexedGraph, by: Threads): void {
  const tasksMax = by === 'mortal' ? 2 : Infinity;
  graph.threads = by === 'one' ? undefined : (ports) => interleavedThreads({ ...ports, tasksMax });
}

/** A node of a type that is not there yet is nothing to write. */
function possible(graph: IndexedGraph, operations: readonly WriterOperation[]): WriterOperation[] {
  const { reader } = graph;
  const hasType = (name = ''): boolean => reader.registry.nodeType(name) !== undefined;
  const written = new Set<string>();
  return operations.filter((operation) => {
    if (operation.op !== 'addOrUpdate' && operation.op !== 'delete') return true;
    const { op, type = '', key = '' } = operation;
    if (!hasType(type) || written.has(type + key)) return false;
    written.add(type + key);
    return op === 'addOrUpdate' || reader.id({ type, key }) !== undefined;
  });
}

async function take(graph: IndexedGraph, one: Step): Promise<void> {
  switch (one.kind) {
    case 'commit':
      await graph.commit({ operations: possible(graph, one.operations) });
      graph.show();
      return;
    case 'settings':
      await graph.commit({
        system: true,
        operations: [settingOperation(SEARCH_SETTING, { types: one.types })],
      });
      graph.show();
      return;
    case 'grow': {
      const hasLate = graph.reader.registry.nodeType('Late') !== undefined;
      const fields = hasLate ? { ...FIELDS, Added: 'String' as const } : FIELDS;
      const nodes = [{ type: 'Late', key: 'Name', fields }];
      await graph.commit({ operations: [], schema: { nodes, edges: [] } });
      graph.show();
      return;
    }
    case 'restart':
      await graph.stop();
      graph.memoryBytesMax = one.memoryBytesMax;
      buildBy(graph, one.threads);
      graph.start();
      return;
    case 'overtake':
      await graph.indexed();
      await graph.commit({ operations: possible(graph, one.operations) });
      await graph.commit({ system: true, operations: [settingOperation('other', {})] });
      await graph.trim();
      graph.show();
      return;
    case 'compare':
      await graph.indexed();
      compare(graph);
  }
}

test(
  'an index that follows the log answers as one that is built anew from the state',
  async () => {
    await fc.assert(
      fc.asyncProperty(threads, fc.array(step, STEPS), async (by, steps) => {
        await using graph = await IndexedGraph.open();
        buildBy(graph, by);
        const nodes = ['Note', 'Paper'].map((type) => ({ type, key: 'Name', fields: FIELDS }));
        await graph.commit({ operations: [], schema: { nodes, edges: [] } });
        graph.show();
        graph.start();
        for (const one of steps) await take(graph, one);
        await graph.indexed();
        compare(graph);
        await graph.stop();
        graph.start();
        await graph.indexed();
        compare(graph);
      }),
      { seed: seed(), numRuns: scale({ sample: 15, soak: 300 }) },
    );
  },
  SOAK_TIMEOUT_MS,
);
