import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { DB } from '#store/databases.ts';
import {
  encodeBlockCount,
  END_KEY,
  FIRST_KEY,
  NOT_COUNTED,
  readBlockCount,
} from '#store/entry-blocks.ts';
import type { KeyRange } from '#store/key-value.ts';
import { ValueStore } from '#store/value-store.ts';
import { scale, seed } from '../../../../test/support/scale.ts';
import type { WriterOperation } from '../operations.ts';
import { finishIndexes } from '../testing/index-content.ts';
import { openTestGraph, type TestGraph } from '../testing/test-graph.ts';
import { type BlockSizes, IndexBlocks } from './index-blocks.ts';

const SIZES: BlockSizes = { entries: 4, countedFrom: 8, blocksMax: 12 };
const INDEXES = [{ field: 'N' }, { field: 'S' }, { fields: ['N', 'S'] }, { field: 'L' }];
const KEYS = 60;

let graph: TestGraph;

afterEach(() => graph[Symbol.asyncDispose]());

async function open(hashesIndexes = false): Promise<void> {
  graph = await openTestGraph({ hashesIndexes });
  await graph.addSchema({
    nodes: [
      { type: 'T', key: 'K', fields: { N: 'Int', S: 'String', L: 'Int[]' }, indexes: INDEXES },
    ],
  });
}

interface StoredBlock {
  readonly key: Uint8Array;
  readonly count: number;
}

function storedBlocks(): StoredBlock[] {
  const found: StoredBlock[] = [];
  graph.reader.refresh();
  graph.snapshot.scan(DB.entryBlocks, { start: FIRST_KEY, end: END_KEY }, (key, value) => {
    found.push({ key: Uint8Array.from(key), count: readBlockCount(value) });
  });
  return found;
}

function entryKeys(): Uint8Array[] {
  const keys: Uint8Array[] = [];
  const all = { start: FIRST_KEY, end: END_KEY, keysOnly: true };
  graph.snapshot.scan(DB.indexes, all, (key) => void keys.push(Uint8Array.from(key)));
  return keys;
}

const indexOf = (key: Uint8Array): number => key[0]! * 256 + key[1]!;

function within(keys: readonly Uint8Array[], { start, end }: KeyRange): number {
  return keys.filter((key) => Buffer.compare(key, start) >= 0 && Buffer.compare(key, end) < 0)
    .length;
}

/** Each block against the entries, and many ranges against a count one by one. */
function expectRightCounts(): void {
  const blocks = storedBlocks();
  const keys = entryKeys();
  for (const [i, { key, count }] of blocks.entries()) {
    if (count === NOT_COUNTED) continue;
    const next = blocks[i + 1]?.key;
    const end = next !== undefined && indexOf(next) === indexOf(key) ? next : endOf(key);
    expect(count).toBe(within(keys, { start: key, end }));
  }
  const bounds = [...blocks.map(({ key }) => key), ...keys.filter((_, i) => i % 7 === 0)];
  for (const [i, start] of bounds.entries()) {
    for (const end of [bounds[(i * 5 + 3) % bounds.length]!, endOf(start)]) {
      if (indexOf(start) !== indexOf(end) && Buffer.compare(end, endOf(start)) !== 0) continue;
      if (Buffer.compare(start, end) > 0) continue;
      const range = { start, end };
      expect(graph.snapshot.countRange(DB.indexes, range)).toBe(within(keys, range));
    }
  }
}

/** The end of the index of a key. */
function endOf(key: Uint8Array): Uint8Array {
  const next = indexOf(key) + 1;
  return Uint8Array.of(next >> 8, next & 255);
}

const fields = fc.record({
  N: fc.option(fc.constantFrom(-1, 0, 1, 2, 3, 2 ** 31 - 1), { nil: null }),
  S: fc.option(fc.constantFrom('', 'a', 'ab', '\ud800', 'z'.repeat(70_000)), { nil: null }),
  L: fc.option(fc.array(fc.nat(5), { maxLength: 4 }), { nil: null }),
});
const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ key: fc.nat(KEYS), fields }) },
  { weight: 1, arbitrary: fc.record({ key: fc.nat(KEYS) }) },
);
const act = fc.oneof(
  { weight: 5, arbitrary: fc.array(change, { minLength: 1, maxLength: 40 }) },
  { weight: 3, arbitrary: fc.constant('divide' as const) },
  { weight: 1, arbitrary: fc.constantFrom('index' as const, 'edge' as const) },
);

/** Takes the first index away, and adds it again. */
async function replaceIndex(): Promise<void> {
  const remove = graph.reader.indexes()[0]?.number ?? 0;
  await graph.writer.commit({ operations: [], system: true, indexWork: { remove } });
  await finishIndexes(graph);
  await graph.addSchema({ nodes: [{ type: 'T', fields: {}, indexes: INDEXES }] });
  await finishIndexes(graph);
}

function divide(): Promise<void> {
  return new IndexBlocks(graph.state.local, undefined, SIZES).divide();
}

function operationOf({ key, fields: given }: { key: number; fields?: object }): WriterOperation {
  const node = { type: 'T', key: `k${key}` };
  return given === undefined
    ? { op: 'delete', ...node }
    : { op: 'addOrUpdate', ...node, fields: { ...given } };
}

it.each([false, true])(
  'the counts of blocks are right at every commit; hashed: %s',
  async (isHashed) => {
    await open(isHashed);
    let blocksMost = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 14 }), async (acts) => {
        for (const one of acts) {
          if (one === 'divide') await divide();
          else if (one === 'index') await replaceIndex();
          else if (one === 'edge') await graph.addSchema({ edges: [{ type: 'E' }] });
          else await graph.write(...one.map(operationOf));
          blocksMost = Math.max(blocksMost, storedBlocks().length);
          expectRightCounts();
        }
      }),
      { numRuns: scale({ sample: 15, soak: 300 }), seed: seed(), endOnFailure: true },
    );
    expect(blocksMost).toBeGreaterThan(20);
  },
);

function addMany(count: number): Promise<void> {
  const keys = Array.from({ length: count }, (_, i) => i);
  return graph.write(...keys.map((key) => operationOf({ key, fields: { N: key % 3 } })));
}

it('divides what has grown, joins what has shrunk, and forgets a small index', async () => {
  await open();
  await addMany(100);
  await divide();
  const ofN = (): number[] =>
    storedBlocks()
      .filter(({ key }) => indexOf(key) === 1)
      .map(({ count }) => count);
  // 100 entries in at most 12 blocks.
  expect(ofN()).toEqual([9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1]);
  const some = Array.from({ length: 80 }, (_, i) => operationOf({ key: i }));
  await graph.write(...some);
  await divide();
  expect(ofN().reduce((sum, count) => sum + count, 0)).toBe(20);
  expect(ofN().length).toBeLessThan(12);
  await addMany(300);
  await divide();
  expect(Math.max(...ofN())).toBeLessThanOrEqual(50);
  expect(ofN().reduce((sum, count) => sum + count, 0)).toBe(300);
  await graph.write(...Array.from({ length: 296 }, (_, i) => operationOf({ key: i })));
  await divide();
  expect(storedBlocks()).toEqual([]);
});

it('counts anew what is wrong or damaged', async () => {
  await open();
  await addMany(50);
  await divide();
  const [first, second] = storedBlocks();
  await graph.state.local.write((put) => {
    put(DB.entryBlocks, first!.key, encodeBlockCount(first!.count + 1));
  });
  await divide();
  expectRightCounts();
  await graph.state.local.write((put) => put(DB.entryBlocks, second!.key, Uint8Array.of(1)));
  await divide();
  expectRightCounts();
});

it('a count of a range does not read its keys', async () => {
  await open();
  await addMany(400);
  const read = (): number => {
    let reads = 0;
    const scanned = vi.spyOn(ValueStore.prototype, 'countRange').mockImplementation(function (
      this: ValueStore,
      range,
      options,
    ) {
      for (const _ of this.stored.getKeys({ ...range, ...options })) reads++;
      return reads;
    });
    graph.reader.refresh();
    const start = Uint8Array.of(0, 1);
    graph.snapshot.countRange(DB.indexes, { start, end: endOf(start) });
    scanned.mockRestore();
    return reads;
  };
  expect(read()).toBe(400);
  await divide();
  expect(read()).toBe(0);
});
