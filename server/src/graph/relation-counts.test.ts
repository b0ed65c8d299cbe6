import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WriterOperation } from './operations.ts';
import { countRelations } from './relation-counts.ts';
import { openTestGraph, type TestGraph } from './testing/test-graph.ts';

let graph: TestGraph;
beforeEach(async () => {
  graph = await openTestGraph();
  await graph.addSchema({
    nodes: ['Book', 'Author', 'Shop'].map((type) => ({ type, fields: {} })),
    edges: [{ type: 'WrittenBy', inverse: 'Wrote' }, { type: 'Knows' }],
  });
});
afterEach(() => graph[Symbol.asyncDispose]());

const count = (limits?: { readonly edges: number; readonly nodes: number }) =>
  countRelations({ storage: graph.storage, environmentKey: undefined }, limits);
const node = (type: string, at: number) => ({ type, key: `${type} ${at}` });

/** More than one look at the clock takes. */
async function fill(): Promise<void> {
  const added = (type: string, many: number): WriterOperation[] =>
    Array.from({ length: many }, (_, at) => ({ op: 'addOrUpdate', ...node(type, at) }));
  await graph.write(...added('Book', 3_000), ...added('Author', 40), ...added('Shop', 1));
  await graph.write(
    ...Array.from({ length: 3_000 }, (_, at): WriterOperation => ({
      op: 'link',
      from: node('Book', at),
      edge: 'WrittenBy',
      to: node('Author', at % 40),
      inverse: 'Wrote',
    })),
    { op: 'link', from: node('Shop', 0), edge: 'Knows', to: node('Author', 7) },
    { op: 'link', from: node('Author', 7), edge: 'Knows', to: node('Author', 8) },
  );
}

test('counts every edge by the types at its ends, also the one that is rare', async () => {
  expect(await count()).toMatchObject({ edges: 0, counted: 0, relations: [] });
  await fill();
  expect(await count()).toEqual({
    sequence: graph.reader.sequence,
    edges: 6_002,
    counted: 6_002,
    relations: [
      { from: 'Author', edge: 'Knows', to: 'Author', edges: 1 },
      { from: 'Author', edge: 'Wrote', to: 'Book', edges: 3_000 },
      { from: 'Book', edge: 'WrittenBy', to: 'Author', edges: 3_000 },
      { from: 'Shop', edge: 'Knows', to: 'Author', edges: 1 },
    ],
  });
});

test('is of one commit, whatever is written while it counts', async () => {
  await fill();
  const before = graph.reader.sequence;
  const counting = count();
  await graph.write({ op: 'delete', ...node('Author', 7) });
  const counts = await counting;
  expect([counts.sequence, counts.counted]).toEqual([before, 6_002]);
  // With the author went 75 books' edges, there and back, and the two of those that know.
  expect(await count()).toMatchObject({ edges: 5_850, counted: 5_850 });
});

test('says how much it has counted of a graph that is too large', async () => {
  await fill();
  expect(await count({ edges: 100, nodes: 1e6 })).toMatchObject({ edges: 6_002, counted: 100 });
  const few = await count({ edges: 1e6, nodes: 3_001 });
  expect(few).toEqual({ ...few, edges: 6_002, counted: 0, relations: [] });
});
