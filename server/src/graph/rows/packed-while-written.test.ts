import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ANY_EDGE, NeighborList } from '../adjacency.ts';
import type { WriterOperation } from '../operations.ts';
import { StateReader } from '../state-reader.ts';
import { openTestGraph, type TestGraph } from '../testing/test-graph.ts';
import { PackedRows } from './packed-rows.ts';
import { RowPacker } from './row-packer.ts';

let graph: TestGraph;

beforeEach(async () => {
  graph = await openTestGraph();
  await graph.addSchema({
    nodes: [{ type: 'A', key: 'K', fields: {} }],
    edges: [{ type: 'E' }, { type: 'F' }],
  });
});

afterEach(() => graph[Symbol.asyncDispose]());

const SEED = 7;
const NODES = 700;

/** Numbers that follow from a seed. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const node = (i: number): { type: string; key: string } => ({ type: 'A', key: `k${i}` });

function somethingToWrite(number: (below: number) => number): WriterOperation[] {
  const upsert = (i: number): WriterOperation => ({ op: 'addOrUpdate', ...node(i), fields: {} });
  const kind = number(10);
  if (kind === 0) return Array.from({ length: 150 }, () => upsert(number(NODES)));
  const from = number(NODES);
  if (kind === 1) return [upsert(from), { op: 'delete', ...node(from) }];
  return Array.from({ length: 1 + number(60) }, (): WriterOperation[] => {
    const to = number(NODES);
    const edge = number(2) === 0 ? 'E' : 'F';
    return [
      upsert(from),
      upsert(to),
      { op: number(4) === 0 ? 'unlink' : 'link', from: node(from), edge, to: node(to) },
    ];
  }).flat();
}

/** Compares in one turn; returns how many rows were there. */
function expectSame(reader: StateReader): number {
  reader.refresh();
  const rows = reader.packedRows();
  if (rows === undefined) return 0;
  const byKeys = new NeighborList();
  const byRows = new NeighborList();
  let known = 0;
  for (let id = 0; id < reader.nextId; id++) {
    const degree = rows.degreeOf(id);
    if (degree !== undefined) {
      known++;
      const typeId = reader.record(id)?.typeId ?? 0;
      if (degree !== reader.degree(id) || rows.typeOf(id) !== typeId)
        expect([id, degree, rows.typeOf(id)]).toEqual([id, reader.degree(id), typeId]);
    }
    for (const direction of ['out', 'in'] as const) {
      byKeys.length = 0;
      byRows.length = 0;
      if (!rows.collect(id, direction, ANY_EDGE, byRows)) continue;
      reader.adjacency.collect(id, direction, ANY_EDGE, byKeys);
      if (pairs(byRows) !== pairs(byKeys)) expect(pairs(byRows)).toBe(pairs(byKeys));
    }
  }
  return known;
}

function pairs(list: NeighborList): string {
  return list
    .toArray()
    .map((id, i) => `${id}:${list.edgeAt(i)}`)
    .join(' ');
}

it('packs what is newest while commits are on their way', async () => {
  const number = numbersFrom(SEED);
  const readers = [1, 20_000, 64 * 1024 * 1024].map(
    (bytes) =>
      new StateReader(graph.snapshot, graph.snapshot, new PackedRows(graph.snapshot, bytes)),
  );
  const over = new AbortController();
  let packed = 0;
  const packing = (async () => {
    while (!over.signal.aborted) {
      const ending = new AbortController();
      let left = 1 + number(8);
      await new RowPacker(graph.state.local, async () => {
        if (left-- === 0) ending.abort();
        if (number(2) === 0) await nextTurn();
      }).pack(ending.signal);
      packed++;
      await nextTurn();
    }
  })();
  let known = 0;
  const inFlight: Promise<unknown>[] = [];
  for (let round = 0; round < 600; round++) {
    inFlight.push(graph.writer.commit({ operations: somethingToWrite(number) }));
    if (number(3) === 0) await nextTurn();
    if (number(4) === 0) known += expectSame(readers[number(2) + (round % 7 === 0 ? 1 : 0)]!);
    if (inFlight.length > 8) await Promise.all(inFlight.splice(0));
  }
  await Promise.all(inFlight);
  over.abort();
  await packing;
  for (const reader of readers) known += expectSame(reader);
  expect(known).toBeGreaterThan(1_000);
  expect(packed).toBeGreaterThan(10);
});
