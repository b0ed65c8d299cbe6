import type { State } from '../commit-pipeline.ts';
import { DB } from '../databases.ts';
import {
  BLOCKS_STATE_KEY,
  encodeBlockCount,
  encodeBlocksState,
  readBlocksState,
} from '../entry-blocks.ts';
import type { KeyRange, KeyValueReader, WriteBatch } from '../key-value.ts';

/** Entries of one index, whose numbers of entries are kept by blocks. */
const ENTRIES_MAX = 1_000;
const BLOCK_ENTRIES = 100;
const NOTHING = new Uint8Array(0);

function keyOf(place: number): Uint8Array {
  return Uint8Array.of(0, 1, place >> 8, place & 255);
}

/** Puts one of the entries when it is not there, and deletes it when it is. */
export function toggleEntry(view: KeyValueReader, batch: WriteBatch, number: number): void {
  const key = keyOf((Math.imul(number, 0x9e3779b1) >>> 0) % ENTRIES_MAX);
  if (view.has(DB.indexes, key)) batch.delete(DB.indexes, key);
  else batch.put(DB.indexes, key, NOTHING);
}

function blockRanges(): KeyRange[] {
  const begins = Array.from({ length: ENTRIES_MAX / BLOCK_ENTRIES }, (_, i) => i * BLOCK_ENTRIES);
  return begins.map((begin) => ({ start: keyOf(begin), end: keyOf(begin + BLOCK_ENTRIES) }));
}

function countOneByOne(reader: KeyValueReader, range: KeyRange): number {
  let count = 0;
  reader.scan(DB.indexes, { ...range, keysOnly: true }, () => void count++);
  return count;
}

/** Begins to keep the numbers of entries, unless they are kept. */
export async function countBlocks({ local, sequence }: State): Promise<void> {
  if (areCounted(local.reader)) return;
  await local.write((put) => {
    put(DB.entryBlocks, BLOCKS_STATE_KEY, encodeBlocksState(sequence));
    for (const range of blockRanges()) {
      const count = countOneByOne(local.reader, range);
      put(DB.entryBlocks, range.start, encodeBlockCount(count));
    }
  });
}

/** Whether the numbers of entries are kept. */
export function areCounted(reader: KeyValueReader): boolean {
  return readBlocksState(reader.get(DB.entryBlocks, BLOCKS_STATE_KEY)) !== undefined;
}

/** The numbers of entries by their blocks, and one by one. */
export function blockCounts(reader: KeyValueReader): { kept: number[]; found: number[] } {
  const ranges = blockRanges();
  // Up to the end of the index the last one is not counted by LMDB.
  const ends = ranges.map((range, i) =>
    i === ranges.length - 1 ? { ...range, end: Uint8Array.of(0, 2) } : range,
  );
  return {
    kept: ends.map((range) => reader.countRange(DB.indexes, { ...range, start: ranges[0]!.start })),
    found: ends.map((range) => countOneByOne(reader, { ...range, start: ranges[0]!.start })),
  };
}
