import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DB } from '#store/databases.ts';
import type { KeyValueReader, SnapshotReader } from '#store/key-value.ts';
import type { LocalState } from '#store/local-state.ts';
import { rowChangesKey } from '#store/row-changes.ts';
import { readRowState, ROW_STATE_KEY } from '#store/row-state.ts';
import { valueDamaged } from '#store/value-seal.ts';
import { ANY_EDGE, NeighborList } from '../adjacency.ts';
import type { WriterOperation } from '../operations.ts';
import { StateReader } from '../state-reader.ts';
import { openTestGraph, type TestGraph } from '../testing/test-graph.ts';
import { PackedRows } from './packed-rows.ts';
import { BLOCK_IDS, ROW_NEIGHBORS_MAX } from './row-block.ts';
import { ROW_KIND, rowKey } from './row-keys.ts';
import { RowPacker } from './row-packer.ts';

const DAMAGE = valueDamaged(DB.rows, Uint8Array.of(1));

let graph: TestGraph;

beforeEach(async () => {
  graph = await openTestGraph();
  await graph.addSchema({
    nodes: [
      { type: 'A', key: 'K', fields: {} },
      { type: 'B', key: 'K', fields: {} },
    ],
    edges: [{ type: 'E' }, { type: 'F' }],
  });
});

afterEach(() => graph[Symbol.asyncDispose]());

/** A reader whose memory has room for so many bytes of rows. */
function readerWith(memoryBytes: number): StateReader {
  return new StateReader(
    graph.snapshot,
    graph.snapshot,
    new PackedRows(graph.snapshot, memoryBytes),
  );
}

/** Compares all that rows answer with the keys; returns how many nodes the rows knew. */
function expectSame(reader: StateReader): number {
  reader.refresh();
  const rows = reader.packedRows();
  if (rows === undefined) return 0;
  let known = 0;
  for (let id = 0; id < reader.nextId; id++) {
    const typeId = reader.record(id)?.typeId ?? 0;
    const degree = rows.degreeOf(id);
    const type = rows.typeOf(id);
    if (degree !== undefined) {
      known++;
      expect([id, degree, type]).toEqual([id, reader.degree(id), typeId]);
    }
    expectSameRow(reader, id);
  }
  return known;
}

function expectSameRow(reader: StateReader, id: number): void {
  const byKeys = new NeighborList();
  const byRows = new NeighborList();
  for (const direction of ['out', 'in'] as const) {
    for (const edge of [ANY_EDGE, 1, 2, 3]) {
      byKeys.length = 0;
      byRows.length = 0;
      if (reader.packedRows()?.collect(id, direction, edge, byRows) !== true) continue;
      reader.adjacency.collect(id, direction, edge, byKeys);
      expect(pairs(byRows)).toEqual(pairs(byKeys));
    }
  }
}

function pairs(list: NeighborList): [number, number][] {
  return list.toArray().map((id, i) => [id, list.edgeAt(i)]);
}

const KEYS = 400;
const key = fc.nat(KEYS - 1).map((i) => `k${i}`);
const typed = fc.record({ type: fc.constantFrom('A', 'B'), key });
const link = fc.record({ from: typed, edge: fc.constantFrom('E', 'F'), to: typed });

type Step =
  | { readonly kind: 'grow'; readonly nodes: number; readonly type: string }
  | { readonly kind: 'link' | 'unlink'; readonly links: readonly Link[] }
  | { readonly kind: 'delete'; readonly nodes: readonly { type: string; key: string }[] }
  | { readonly kind: 'pack' }
  | { readonly kind: 'pack in part'; readonly slices: number }
  | { readonly kind: 'read'; readonly reader: number };

interface Link {
  readonly from: { readonly type: string; readonly key: string };
  readonly edge: string;
  readonly to: { readonly type: string; readonly key: string };
}

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('grow' as const),
    nodes: fc.integer({ min: 1, max: KEYS }),
    type: fc.constantFrom('A', 'B'),
  }),
  fc.record({
    kind: fc.constantFrom('link' as const, 'unlink' as const),
    links: fc.array(link, { minLength: 1, maxLength: 60 }),
  }),
  fc.record({
    kind: fc.constant('delete' as const),
    nodes: fc.array(typed, { minLength: 1, maxLength: 5 }),
  }),
  fc.constant({ kind: 'pack' as const }),
  fc.record({ kind: fc.constant('pack in part' as const), slices: fc.integer({ min: 0, max: 4 }) }),
  fc.record({ kind: fc.constant('read' as const), reader: fc.nat(2) }),
);

function operationsOf(one: Step): WriterOperation[] {
  const { reader } = graph;
  const exists = (node: { type: string; key: string }): boolean => reader.id(node) !== undefined;
  switch (one.kind) {
    case 'grow':
      return Array.from({ length: one.nodes }, (_, i) => ({
        op: 'addOrUpdate',
        type: one.type,
        key: `k${i}`,
        fields: {},
      }));
    case 'link':
    case 'unlink':
      return one.links
        .filter(({ from, to }) => exists(from) && exists(to))
        .map((each) => ({ op: one.kind, ...each }));
    case 'delete':
      return one.nodes.filter(exists).map((node) => ({ op: 'delete', ...node }));
    default:
      return [];
  }
}

async function packSome(slices: number): Promise<void> {
  const ending = new AbortController();
  let left = slices;
  const packer = new RowPacker(
    graph.state.local,
    () => {
      if (left-- <= 0) ending.abort();
      return Promise.resolve();
    },
    SHORTEST,
  );
  await packer.pack(ending.signal);
}

it('answers as the keys do, whatever is written and packed in between', async () => {
  let known = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
      const readers = [0, 20_000, 64 * 1024 * 1024].map(readerWith);
      for (const one of steps) {
        const operations = operationsOf(one);
        if (operations.length > 0) await graph.write(...operations);
        else if (one.kind === 'pack') await new RowPacker(graph.state.local).pack();
        else if (one.kind === 'pack in part') await packSome(one.slices);
        else if (one.kind === 'read') known += expectSame(readers[one.reader]!);
      }
      for (const reader of readers) known += expectSame(reader);
    }),
    { numRuns: 15 },
  );
  expect(known).toBeGreaterThan(1_000);
});

async function grow(nodes: number): Promise<void> {
  for (let from = 0; from < nodes; from += 1_000) {
    await graph.write(
      ...Array.from({ length: Math.min(1_000, nodes - from) }, (_, i) => ({
        op: 'addOrUpdate' as const,
        type: 'A',
        key: `n${from + i}`,
        fields: {},
      })),
    );
  }
}

const to = (i: number, from = 0): WriterOperation => ({
  op: 'link',
  from: { type: 'A', key: `n${from}` },
  edge: 'E',
  to: { type: 'A', key: `n${i}` },
});

const unlink = (i: number, from: number): WriterOperation => ({
  op: 'unlink',
  from: { type: 'A', key: `n${from}` },
  edge: 'E',
  to: { type: 'A', key: `n${i}` },
});

it('leaves a row to the keys that is too large, and knows its length', async () => {
  const edges = ROW_NEIGHBORS_MAX + 100;
  await grow(edges + 1);
  for (let i = 1; i <= edges; i += 1_000) {
    const count = Math.min(1_000, edges - i + 1);
    await graph.write(...Array.from({ length: count }, (_, k) => to(i + k)));
  }
  await new RowPacker(graph.state.local).pack();
  const { reader } = graph;
  reader.refresh();
  const hub = graph.idOf('A', 'n0');
  const rows = reader.packedRows();
  expect(rows?.degreeOf(hub)).toBe(edges);
  expect(rows?.collect(hub, 'out', ANY_EDGE, new NeighborList())).toBe(false);
  expect(rows?.collect(hub, 'in', ANY_EDGE, new NeighborList())).toBe(true);
  expect(rows?.collect(hub + 1, 'out', ANY_EDGE, new NeighborList())).toBe(true);
});

it('packs rows of all lengths, up to what a row and a block may have', async () => {
  const lengths = [511, 512, 513, ROW_NEIGHBORS_MAX + 1, ...Array(9).fill(ROW_NEIGHBORS_MAX), 1];
  await grow(BLOCK_IDS + ROW_NEIGHBORS_MAX + 1);
  for (const [from, length] of lengths.entries()) {
    for (let i = 0; i < length; i += 5_000) {
      const count = Math.min(5_000, length - i);
      await graph.write(...Array.from({ length: count }, (_, k) => to(BLOCK_IDS + i + k, from)));
    }
  }
  await new RowPacker(graph.state.local).pack();
  const { reader } = graph;
  reader.refresh();
  const rows = reader.packedRows();
  const ids = lengths.map((_, from) => graph.idOf('A', `n${from}`));
  expect(ids.map((id) => rows?.degreeOf(id))).toEqual(lengths);
  const isPacked = ids.map((id) => rows?.collect(id, 'out', ANY_EDGE, new NeighborList()));
  // Seven of the longest fit into the block besides the short ones.
  const isExpected = lengths.map((_, from) => from !== 3 && (from < 11 || from === 13));
  expect(isPacked).toEqual(isExpected);
  for (const id of ids) expectSameRow(reader, id);
});

/** Slices of one step each. */
const SHORTEST = { min: 0, max: 0 };

it('packs a hub in slices, whatever is written between them', async () => {
  const edges = ROW_NEIGHBORS_MAX + 100;
  await grow(edges + 1);
  for (let i = 1; i <= edges; i += 1_000) {
    const count = Math.min(1_000, edges - i + 1);
    await graph.write(
      ...Array.from({ length: count }, (_, k) => to(i + k)),
      ...Array.from({ length: Math.min(count, 90) }, (_, k) => to(i + k, 1)),
    );
  }
  const { reader } = graph;
  let slices = 0;
  let writesLeft = 0;
  const packer = new RowPacker(
    graph.state.local,
    async () => {
      slices++;
      if (writesLeft-- <= 0) return;
      // A hub, short rows and ends of edges, in the block that is being packed and in others.
      const from = writesLeft % 3;
      const other = 1 + ((writesLeft * 37) % edges);
      await graph.write(writesLeft % 2 === 0 ? to(other, from) : unlink(other, from));
      reader.refresh();
      for (const id of ['n0', 'n1', 'n2', `n${other}`].map((name) => graph.idOf('A', name))) {
        const degree = reader.packedRows()?.degreeOf(id);
        if (degree !== undefined) expect([id, degree]).toEqual([id, reader.degree(id)]);
        expectSameRow(reader, id);
      }
    },
    SHORTEST,
  );
  writesLeft = 40;
  await packer.pack();
  // The packing was not held up for ever by what was written.
  expect(writesLeft).toBeLessThan(0);
  expect(expectSame(reader)).toBeGreaterThan(edges / 2);
  await packer.pack();
  const hub = graph.idOf('A', 'n0');
  reader.refresh();
  expect(reader.packedRows()?.degreeOf(hub)).toBe(reader.degree(hub));
  // The same once more, of rows that are packed already.
  await graph.write(to(5), to(6, 1), to(7, 2));
  slices = 0;
  writesLeft = 40;
  await packer.pack();
  expect(slices).toBeGreaterThan(4);
  expect(expectSame(reader)).toBeGreaterThan(edges / 2);
  await packer.pack();
  reader.refresh();
  expect(reader.packedRows()?.changedIds.size).toBe(0);
  expectSame(reader);
});

it('packs what changed without packing all again', async () => {
  await grow(5_000);
  const packer = new RowPacker(graph.state.local);
  await packer.pack();
  expect(packer.isBehind).toBe(false);
  await graph.write(to(4_000));
  expect(packer.isBehind).toBe(true);
  expect(graph.state.local.notedIds).toBe(2);
  const { reader } = graph;
  expect(reader.packedRows()?.changedIds.size).toBe(2);
  await packer.pack();
  reader.refresh();
  expect(graph.state.local.notedIds).toBe(0);
  expect(reader.packedRows()?.changedIds.size).toBe(0);
  expectSame(reader);
});

it('is not used any more when a version without it has written', async () => {
  await grow(2 * BLOCK_IDS);
  await new RowPacker(graph.state.local).pack();
  // As if commits had been applied without being noted.
  await graph.state.local.write((put) => put(DB.rowChanges, Uint8Array.of(0), Buffer.alloc(6)));
  const again = await graph.reopen();
  again.refresh();
  expect(again.packedRows()).toBeUndefined();
});

it('packs again what a program with another layout has packed', async () => {
  await grow(2 * BLOCK_IDS);
  const packer = new RowPacker(graph.state.local);
  await packer.pack();
  const { local } = graph.state;
  const other = Uint8Array.from(local.reader.get(DB.rows, ROW_STATE_KEY)!);
  other[0]! += 1;
  await local.write((put) => {
    put(DB.rows, ROW_STATE_KEY, other);
    put(DB.rows, rowKey(ROW_KIND.out, 0), Buffer.of(1, 2, 3));
  });
  const { reader } = graph;
  reader.refresh();
  expect(reader.packedRows()).toBeUndefined();
  await graph.write(to(3));
  expect(packer.isBehind).toBe(true);
  await packer.pack();
  expect(expectSame(reader)).toBe(2 * BLOCK_IDS);
});

it('leaves a damaged block to the keys', async () => {
  await grow(2 * BLOCK_IDS);
  await graph.write(to(3));
  await new RowPacker(graph.state.local).pack();
  const damaged = rowKey(ROW_KIND.out, 0).slice();
  const { snapshot } = graph;
  snapshot.refresh();
  const rows = new PackedRows(
    readerOver(snapshot, (db, wanted) => {
      if (db === DB.rows && Buffer.compare(wanted, damaged) === 0) throw DAMAGE;
    }),
  );
  const reader = new StateReader(snapshot, snapshot, rows);
  expect(reader.packedRows()?.collect(1, 'out', ANY_EDGE, new NeighborList())).toBe(false);
  expect(reader.packedRows()?.collect(1, 'in', ANY_EDGE, new NeighborList())).toBe(true);
});

/** A reader that first asks whether it may read an entry, or a range from there on. */
function readerOver(
  snapshot: SnapshotReader,
  check: (db: number, key: Uint8Array) => void,
): KeyValueReader {
  return {
    get: (db, wanted) => {
      check(db, wanted);
      return snapshot.get(db, wanted);
    },
    has: (db, wanted) => snapshot.has(db, wanted),
    scan: (db, range, visit) => {
      check(db, range.start);
      snapshot.scan(db, range, visit);
    },
    countRange: (db, range) => snapshot.countRange(db, range),
  };
}

it('leaves all to the keys while its state or its notes are damaged', async () => {
  await grow(2 * BLOCK_IDS);
  const packer = new RowPacker(graph.state.local);
  await packer.pack();
  let damaged: number = DB.rows;
  const { snapshot } = graph;
  snapshot.refresh();
  const rows = new PackedRows(
    readerOver(snapshot, (db, wanted) => {
      const isState = db === DB.rows && Buffer.compare(wanted, ROW_STATE_KEY) === 0;
      if (db === damaged && (isState || db === DB.rowChanges)) throw DAMAGE;
    }),
  );
  const reader = new StateReader(snapshot, snapshot, rows);
  expect(reader.packedRows()).toBeUndefined();
  damaged = DB.rowChanges;
  expect(reader.packedRows()).toBeUndefined();
  // Packed once more, they go by other notes.
  damaged = -1;
  await graph.write(to(3));
  await packer.pack();
  expect(expectSame(reader)).toBeGreaterThan(0);
});

it('shows nothing old after a read has failed', async () => {
  await grow(3 * BLOCK_IDS);
  await new RowPacker(graph.state.local).pack();
  let failingScan = 0;
  const { snapshot } = graph;
  const rows = new PackedRows(
    readerOver(snapshot, (db) => {
      if (db === DB.rowChanges && --failingScan === 0) throw new Error('a failed read');
    }),
  );
  const reader = new StateReader(snapshot, snapshot, rows);
  expect(expectSame(reader)).toBeGreaterThan(0);
  await graph.write(to(3));
  let isFirst = true;
  const packer = new RowPacker(graph.state.local, async () => {
    if (!isFirst) return;
    isFirst = false;
    // In another block than what is packed: its row is old when the rows are packed.
    await graph.write(to(2 * BLOCK_IDS, 2 * BLOCK_IDS + 1));
    expectSame(reader);
  });
  await packer.pack();
  await graph.write(to(4));
  reader.refresh();
  failingScan = 2;
  expect(() => reader.packedRows()).toThrow('a failed read');
  expect(expectSame(reader)).toBeGreaterThan(0);
});

const NOTED = 60_000;

it('keeps no ids while so many have changed that the keys tell all', async () => {
  await grow(2 * BLOCK_IDS);
  const packer = new RowPacker(graph.state.local);
  await packer.pack();
  const { reader } = graph;
  reader.refresh();
  const rows = reader.packedRows();
  const { packedTo } = readRowState(graph.snapshot)!;
  await graph.write(to(3), to(4), to(5));
  await graph.state.local.write((put) => {
    for (const part of [0, 1]) {
      const ids = Buffer.alloc(NOTED * 5);
      for (let i = 0; i < NOTED; i++) ids.writeUIntBE(part * NOTED + i, i * 5, 5);
      put(DB.rowChanges, rowChangesKey(packedTo + 1 + part), ids);
    }
  });
  reader.refresh();
  expect(reader.packedRows()).toBeUndefined();
  expect(rows?.changedIds.size).toBe(0);
  await packer.pack();
  expectSame(reader);
  expect(reader.packedRows()?.changedIds.size).toBe(0);
});

it('removes many notes in several transactions, and all of them', async () => {
  await grow(3_000);
  await new RowPacker(graph.state.local).pack();
  // As if many small commits had come.
  await graph.state.local.write((put) => {
    for (let i = 1; i <= 2_500; i++) put(DB.rowChanges, rowChangesKey(i), Buffer.alloc(5));
  });
  await graph.write(to(3));
  const { local } = graph.state;
  let most = 0;
  const write: LocalState['write'] = (put) =>
    local.write((own) => {
      let count = 0;
      put((...entry) => {
        count++;
        own(...entry);
      });
      most = Math.max(most, count);
    });
  await new RowPacker(Object.create(local, { write: { value: write } })).pack();
  expect(most).toBe(1_000);
  graph.reader.refresh();
  const range = { start: rowChangesKey(0), end: rowChangesKey(2_501) };
  expect(graph.snapshot.countRange(DB.rowChanges, range)).toBe(0);
});
