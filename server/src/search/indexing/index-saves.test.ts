import { expect, test } from 'vitest';
import {
  SEARCH_BUSY_SAVE_INTERVAL_MS,
  SEARCH_CROWDED_SAVE_INTERVAL_MS,
  SEARCH_SAVE_INTERVAL_MS,
} from '#base/search-limits.ts';
import type { IndexedDocument } from '../text/segment-builder.ts';
import { limitsWithin, TextIndex } from '../text/text-index.ts';
import type { IndexProgress } from './index-follower.ts';
import { type IndexFiles, IndexSaves } from './index-saves.ts';

class Bench {
  now = 0;
  /** Each save: the documents of the view, and its sequence. */
  readonly saved: [documents: number, sequence: number][] = [];
  readonly index = new TextIndex(limitsWithin(Infinity));
  readonly saves: IndexSaves;
  /** What every save waits for. */
  disk = Promise.resolve();
  readonly countedConnections = undefined;
  progress: IndexProgress = {
    sequence: 0,
    numbers: { fields: [], columns: [] },
    digests: {},
    isWhole: true,
  };

  constructor(memoryBytesMax = Infinity) {
    const files: IndexFiles = {
      memoryBytesMax,
      savedSequence: undefined,
      load: async () => undefined,
      save: async (view, { sequence }) => {
        await this.disk;
        this.saved.push([view.documentCount, sequence]);
        return new Set();
      },
    };
    const clock = { now: () => this.now };
    this.saves = new IndexSaves({ index: this.index, follower: this }, { clock, files }, () => {});
  }

  write(sequence: number): void {
    this.progress = { ...this.progress, sequence };
    this.index.add(documentOf(sequence));
    this.saves.note();
  }
}

function documentOf(node: number): IndexedDocument {
  return { node, type: 1, timestampMs: 0, language: '--', fields: [], facets: [] };
}

test('an index that never comes to rest is saved every few minutes, one at rest sooner', async () => {
  const bench = new Bench();
  expect(bench.saves.startIfDue(true)).toBeUndefined();
  bench.write(1);
  expect(bench.saves.startIfDue(true)).toBe(SEARCH_SAVE_INTERVAL_MS);
  expect(bench.saves.startIfDue(false)).toBe(SEARCH_BUSY_SAVE_INTERVAL_MS);
  bench.now = SEARCH_BUSY_SAVE_INTERVAL_MS - 1;
  expect(bench.saves.startIfDue(false)).toBe(1);
  bench.now++;
  expect(bench.saves.startIfDue(false)).toBeUndefined();
  await bench.saves.settled();
  expect(bench.saved).toEqual([[1, 1]]);
  expect(bench.saves.startIfDue(false)).toBeUndefined();
});

test('what comes while it is saved is saved the next time, and at the end', async () => {
  const bench = new Bench();
  const disk = Promise.withResolvers<void>();
  bench.disk = disk.promise;
  bench.write(1);
  bench.now = SEARCH_SAVE_INTERVAL_MS;
  bench.saves.startIfDue(true);
  bench.write(2);
  expect(bench.saves.startIfDue(true)).toBeUndefined();
  disk.resolve();
  await bench.saves.settled();
  expect(bench.saved).toEqual([[1, 1]]);
  expect(bench.saves.startIfDue(true)).toBe(SEARCH_SAVE_INTERVAL_MS);
  await bench.saves.finish();
  await bench.saves.finish();
  expect(bench.saved).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('beyond its budget of memory it is saved soon, so that segments can leave memory', () => {
  const bench = new Bench(1);
  bench.write(1);
  bench.index.refresh();
  expect(bench.saves.startIfDue(false)).toBe(SEARCH_CROWDED_SAVE_INTERVAL_MS);
});
