import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryState } from '#store/memory-state.ts';
import { GraphWriter } from './graph-writer.ts';
import type { WriterOperation } from './operations.ts';
import type { Query, QueryEnd, QueryStep } from './query/plan.ts';
import { runQuery } from './query/run.ts';
import { StateReader } from './state-reader.ts';
import { contentOf } from './testing/graph-content.ts';
import { MODEL_SCHEMA } from './testing/graph-model.ts';
import { openTestGraph, problemOf, TestClock } from './testing/test-graph.ts';

const key = fc.constantFrom('x', 'y', 'z', 'é');
const type = fc.constantFrom('A', 'B');
const node = fc.record({ type, key });
const edge = fc.constantFrom('E', 'F', 'G', 'H');
const write = fc
  .record({
    op: fc.constantFrom('addOrUpdate', 'tryAdd', 'update'),
    node,
    n: fc.option(fc.nat(3)),
    s: fc.option(fc.constantFrom('', 'ü', 'abc')),
    timestamp: fc.nat(3),
  })
  .map(({ op, node: { type: its, key: name }, n, s, timestamp }) => {
    const number = n === null ? null : [n];
    return { op, type: its, key: name, timestamp, fields: { N: its === 'A' ? n : number, S: s } };
  });
const operation = fc.oneof(
  { weight: 4, arbitrary: write },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('link'), from: node, edge, to: node }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('unlink'), from: node, edge, to: node }) },
  { weight: 1, arbitrary: node.map((named) => ({ ...named, op: 'delete' })) },
) as fc.Arbitrary<WriterOperation>;

const step = fc.oneof(
  fc.record({ op: fc.constantFrom('out', 'in') }),
  fc.record({ op: fc.constantFrom('out', 'in'), type, edge }),
  fc.record({ op: fc.constant('outMany'), hops: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    op: fc.constant('where'),
    field: fc.constant('S'),
    compare: fc.constantFrom('=', '!=', 'startsWith', 'contains'),
    value: fc.constantFrom('ü', 'a', 'abc'),
  }),
  fc.record({
    op: fc.constant('whereTime'),
    from: fc.nat(3),
    to: fc.nat(3),
  }),
  fc.record({ op: fc.constant('sortBy'), field: fc.constant('S') }),
  fc.record({ op: fc.constantFrom('sortByTimestamp', 'sortByConnectivity', 'distinct') }),
  fc.record({ op: fc.constantFrom('skip', 'take'), count: fc.nat(3) }),
) as fc.Arbitrary<QueryStep>;
const end = fc.constantFrom<QueryEnd>(
  { end: 'nodes' },
  { end: 'uids' },
  { end: 'count' },
  { end: 'scored' },
  { end: 'edges' },
  { end: 'summary' },
  { end: 'neighborsSummary' },
  { end: 'groupBy', field: 'S' },
);
const query: fc.Arbitrary<Query> = fc.record({
  steps: fc
    .tuple(type, fc.array(step, { maxLength: 4 }))
    .map(([its, steps]): QueryStep[] => [{ op: 'startAt', type: its }, ...steps]),
  end,
});

it('is the same graph in memory as on disk: content, problems and queries', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(operation, { minLength: 1, maxLength: 5 }), {
        minLength: 1,
        maxLength: 12,
      }),
      fc.array(query, { minLength: 4, maxLength: 12 }),
      async (commits, queries) => {
        await using stored = await openTestGraph();
        await stored.addSchema(MODEL_SCHEMA);
        const state = new MemoryState();
        const writer = new GraphWriter(state, new TestClock());
        await writer.commit({ operations: [], schema: MODEL_SCHEMA });
        const reader = new StateReader(state, state);
        for (const operations of commits) {
          expect(await outcomeOf(writer, operations)).toEqual(
            await outcomeOf(stored.writer, operations),
          );
        }
        stored.reader.refresh();
        reader.refresh();
        expect(contentOf(reader, state)).toEqual(contentOf(stored.reader, stored.snapshot));
        for (const one of queries) {
          expect(await answerOf(reader, one)).toEqual(await answerOf(stored.reader, one));
        }
      },
    ),
    { numRuns: 60 },
  );
});

function outcomeOf(writer: GraphWriter, operations: readonly WriterOperation[]): Promise<unknown> {
  return writer.commit({ operations }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error) return { code: error.code };
    throw error;
  });
}

async function answerOf(reader: StateReader, asked: Query): Promise<unknown> {
  try {
    return runQuery(reader, asked, { visibility: undefined });
  } catch (error) {
    return problemOf(() => {
      throw error;
    });
  }
}
