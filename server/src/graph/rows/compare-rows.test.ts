import { afterEach, beforeEach, expect, it } from 'vitest';
import { DERIVED_DIFFERENCES_NAMED_MAX } from '#base/limits.ts';
import { DB, type DatabaseNumber } from '#store/databases.ts';
import type { HeldReader } from '#store/held-reader.ts';
import { rowChangesKey } from '#store/row-changes.ts';
import { readRowState, ROW_STATE_KEY } from '#store/row-state.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { valueDamaged } from '#store/value-seal.ts';
import type { WriterOperation } from '../operations.ts';
import { openTestGraph, type TestGraph } from '../testing/test-graph.ts';
import { compareRows, type RowsReport } from './compare-rows.ts';
import { BLOCK_IDS, blockOf, RowBlockWriter } from './row-block.ts';
import { CHUNK_IDS, chunkOf, ColumnChunk } from './row-columns.ts';
import { ROW_KIND, rowKey } from './row-keys.ts';
import { RowPacker } from './row-packer.ts';

const NODES = CHUNK_IDS + 3 * BLOCK_IDS;

let graph: TestGraph;

beforeEach(async () => {
  graph = await openTestGraph();
  await graph.addSchema({ nodes: [{ type: 'A', key: 'K', fields: {} }], edges: [{ type: 'E' }] });
  await graph.write(
    ...Array.from({ length: NODES }, (_, i): WriterOperation => ({
      op: 'addOrUpdate',
      type: 'A',
      key: `n${i}`,
      fields: {},
    })),
    ...Array.from({ length: NODES }, (_, i) => link(i, (i * 7) % NODES)),
  );
  await new RowPacker(graph.state.local).pack();
});

afterEach(() => graph[Symbol.asyncDispose]());

function link(from: number, to: number): WriterOperation {
  return {
    op: 'link',
    from: { type: 'A', key: `n${from}` },
    edge: 'E',
    to: { type: 'A', key: `n${to}` },
  };
}

const id = (i: number): number => graph.idOf('A', `n${i}`);

function uidOf(i: number): string {
  graph.reader.refresh();
  return graph.reader.record(id(i))?.uid ?? '';
}

/** As if these values were damaged on the disk. */
async function compare(
  damaged?: readonly [db: DatabaseNumber, key: Uint8Array],
): Promise<RowsReport> {
  using reader = openSnapshotReader({ storage: graph.storage, environments: ['graph'] });
  using held = reader.hold();
  const check = (db: DatabaseNumber, key: Uint8Array): void => {
    if (damaged === undefined || db !== damaged[0]) return;
    if (Buffer.compare(key, damaged[1]) === 0) throw valueDamaged(db, key);
  };
  const state: HeldReader = {
    environments: held.environments,
    sequence: held.sequence,
    epoch: held.epoch,
    get: (db, key) => {
      check(db, key);
      return held.get(db, key);
    },
    has: (db, key) => held.has(db, key),
    scan: (db, range, visit) =>
      held.scan(db, range, (key, value) => {
        check(db, key);
        return visit(key, value);
      }),
    countRange: (db, range) => held.countRange(db, range),
    visit: (db, start, visit) => held.visit(db, start, visit),
    inspect: (db, start, visit) => held.inspect(db, start, visit),
    count: (db) => held.count(db),
    placeOf: (db) => held.placeOf(db),
    [Symbol.dispose]: () => {},
  };
  const steps: number[] = [];
  const onProgress = (done: number, total: number): void => void steps.push(done / total);
  const report = await compareRows({ state, rest: async () => {}, onProgress });
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  return report;
}

async function plant(key: Uint8Array, value: Uint8Array | undefined): Promise<void> {
  const own = Uint8Array.from(key);
  await graph.state.local.write((put) => put(DB.rows, own, value));
}

function stored(key: Uint8Array): Uint8Array {
  return Uint8Array.from(graph.state.local.reader.get(DB.rows, key) ?? []);
}

/** What `storage verify` and the scrub have done to damaged rows. */
async function expectMended(): Promise<void> {
  await graph.state.local.write((put) => put(DB.rows, ROW_STATE_KEY, undefined));
  expect(await compare()).toEqual({ nodes: 0, differenceCount: 0, differences: [] });
  await new RowPacker(graph.state.local).pack();
  expect(await compare()).toEqual({ nodes: packed(), differenceCount: 0, differences: [] });
}

const packed = (): number => readRowState(graph.state.local.reader)?.packedIds ?? 0;
const outKey = (i: number): Uint8Array => rowKey(ROW_KIND.out, blockOf(id(i))).slice();
const inKey = (i: number): Uint8Array => rowKey(ROW_KIND.in, blockOf(id(i))).slice();
const columnsKey = (i: number): Uint8Array => rowKey(ROW_KIND.columns, chunkOf(id(i))).slice();

it('finds nothing in rows that are as the keys say', async () => {
  expect(packed()).toBeGreaterThan(CHUNK_IDS);
  expect(await compare()).toEqual({ nodes: packed(), differenceCount: 0, differences: [] });
});

it('names a node whose row has another neighbour', async () => {
  const value = stored(outKey(100));
  const words = new Uint32Array(value.buffer, 0, Math.floor(value.length / 4));
  const at = words.lastIndexOf(id((100 * 7) % NODES));
  words[at]! += 1;
  await plant(outKey(100), value);
  const { differences } = await compare();
  expect(differences).toEqual([`rows has other neighbours of ${uidOf(100)} than out`]);
  await expectMended();
});

it('names the nodes of a block that is not there, the first ones one by one', async () => {
  await plant(inKey(100), undefined);
  const { differences, differenceCount } = await compare();
  expect(differenceCount).toBe(BLOCK_IDS);
  expect(differences).toHaveLength(DERIVED_DIFFERENCES_NAMED_MAX);
  expect(differences[0]).toMatch(/^rows has other neighbours of .{22} than in$/);
  await expectMended();
});

it.each([
  ['is cut off', (value: Uint8Array) => value.slice(0, 100)],
  ['has a number of neighbours that is wrong', (value: Uint8Array) => value.fill(9, 0, 1)],
  ['has rows that go on beyond it', (value: Uint8Array) => value.fill(255, 40, 44)],
])('names a block that %s', async (_, change) => {
  await plant(outKey(100), change(stored(outKey(100))));
  const { differences } = await compare();
  expect(differences).toEqual([
    `rows has no whole block under ${Buffer.from(outKey(100)).toString('hex')}`,
  ]);
  await expectMended();
});

it('names a row that is left out without need', async () => {
  const writer = new RowBlockWriter();
  writer.clear();
  for (let i = 0; i < 10_000; i++) writer.add(0, i, 1);
  await plant(outKey(100), writer.finish());
  expect((await compare()).differenceCount).toBe(BLOCK_IDS);
  await expectMended();
});

it('names a node with another number of edges, or another type', async () => {
  const columns = new ColumnChunk(stored(columnsKey(100)));
  columns.degrees[id(100) % CHUNK_IDS]! += 1;
  columns.types[id(101) % CHUNK_IDS] = 0;
  await plant(columnsKey(100), Buffer.from(columns.degrees.buffer));
  const { differences } = await compare();
  expect(differences).toEqual([
    `rows has another number of edges of ${uidOf(100)} than its keys`,
    `rows has another type of ${uidOf(101)} than nodes`,
  ]);
  await expectMended();
});

it.each([
  ['missing', () => undefined],
  ['cut off', (value: Uint8Array) => value.slice(0, 60)],
])('names a chunk of columns that is %s', async (_, change) => {
  await plant(columnsKey(100), change(stored(columnsKey(100))));
  const { differences } = await compare();
  expect(differences).toEqual([
    `rows has no whole chunk of columns under ${Buffer.from(columnsKey(100)).toString('hex')}`,
  ]);
  await expectMended();
});

it('names each value that is damaged on the disk', async () => {
  for (const key of [ROW_STATE_KEY, outKey(100), inKey(100), columnsKey(100)]) {
    const { differences } = await compare([DB.rows, key]);
    expect(differences).toEqual([`rows is damaged under ${Buffer.from(key).toString('hex')}`]);
  }
  await graph.write(link(100, 5));
  const note = rowChangesKey(graph.state.sequence);
  expect((await compare([DB.rowChanges, note])).differences).toEqual([
    'row-changes is damaged: which nodes have changed is not known',
  ]);
  await expectMended();
});

it('passes over blocks with a node that has changed since', async () => {
  await plant(outKey(100), undefined);
  await graph.write(link(100, 5));
  const blocks = new Set([blockOf(id(100)), blockOf(id(5))]);
  expect(await compare()).toEqual({
    nodes: packed() - blocks.size * BLOCK_IDS,
    differenceCount: 0,
    differences: [],
  });
});

it('begins anew when what it is to go on with is damaged', async () => {
  await plant(columnsKey(100), undefined);
  await graph.write(link(100, 5));
  const packer = new RowPacker(graph.state.local);
  await packer.pack();
  expect(packer.isBehind).toBe(true);
  await packer.pack();
  expect(await compare()).toEqual({ nodes: packed(), differenceCount: 0, differences: [] });
  expect(packed()).toBeGreaterThan(CHUNK_IDS);
});
