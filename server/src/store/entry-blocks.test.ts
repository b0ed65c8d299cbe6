import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scale, seed } from '../../../test/support/scale.ts';
import type { State } from './commit-pipeline.ts';
import { DB } from './databases.ts';
import {
  BLOCKS_STATE_KEY,
  encodeBlockCount,
  encodeBlocksState,
  END_KEY,
  FIRST_KEY,
  NOT_COUNTED,
  readBlocksState,
} from './entry-blocks.ts';
import { openEnvironment } from './environment.ts';
import { readStoreKeys } from './master-key.ts';
import { createStorage, MASTER_KEY, type TestStorage } from './testing/storage.ts';

/** A key of one of two indexes. */
function keyOf(place: number): Uint8Array {
  return Uint8Array.of(0, place < 500 ? 1 : 2, place >> 8, place & 255);
}

function isBetween(place: number, start: Uint8Array, end: Uint8Array): boolean {
  const key = keyOf(place);
  return Buffer.compare(key, start) >= 0 && Buffer.compare(key, end) < 0;
}

function countOf(places: ReadonlySet<number>, start: Uint8Array, end: Uint8Array): number {
  return [...places].filter((place) => isBetween(place, start, end)).length;
}

const ENDS = [Uint8Array.of(0, 2), Uint8Array.of(0, 3)];

/** Counts from these places on, each up to the next one, in place of those that there are. */
async function writeBlocks(
  { local, sequence }: State,
  begins: readonly number[],
  countBetween: (start: Uint8Array, end: Uint8Array) => number,
): Promise<void> {
  const starts = [...begins].toSorted((a, b) => a - b).map(keyOf);
  await local.write((put) => {
    local.reader.scan(DB.entryBlocks, { start: FIRST_KEY, end: END_KEY }, (key) =>
      put(DB.entryBlocks, key, undefined),
    );
    put(DB.entryBlocks, BLOCKS_STATE_KEY, encodeBlocksState(sequence));
    for (const [i, start] of starts.entries()) {
      const next = starts[i + 1];
      const end = next?.[1] === start[1] ? next! : ENDS[start[1]! - 1]!;
      put(DB.entryBlocks, start, encodeBlockCount(countBetween(start, end)));
    }
  });
}

const place = fc.nat(999);
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ toggled: fc.uniqueArray(place, { maxLength: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ begins: fc.uniqueArray(place, { maxLength: 8 }) }) },
  { weight: 1, arbitrary: fc.constantFrom('reopen' as const, 'fail' as const) },
);

/** Puts what is not there, deletes what is there. */
function toggle(state: State, there: Set<number>, toggled: readonly number[]): Promise<unknown> {
  return state.commit((batch) => {
    for (const one of toggled) {
      if (there.delete(one)) {
        batch.delete(DB.indexes, keyOf(one));
      } else {
        there.add(one);
        batch.put(DB.indexes, keyOf(one), new Uint8Array(0));
      }
    }
  });
}

it.each([undefined, MASTER_KEY])('counts ranges by blocks as without them', async (masterKey) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 12 }),
      fc.array(fc.tuple(place, place), { minLength: 5, maxLength: 5 }),
      async (acts, ranges) => {
        await using storage = await createStorage(masterKey);
        let state = await storage.openState();
        const there = new Set<number>();
        for (const one of acts) {
          if (one === 'reopen') {
            await state[Symbol.asyncDispose]();
            state = await storage.openState();
          } else if (one === 'fail') {
            const failed = state.commit(() => {
              throw new Error('not built');
            });
            await expect(failed).rejects.toThrow('not built');
          } else if ('begins' in one) {
            await writeBlocks(state, one.begins, (start, end) => countOf(there, start, end));
          } else {
            await toggle(state, there, one.toggled);
          }
          using reader = storage.openReader(['graph']);
          for (const [a, b] of ranges) {
            const start = keyOf(Math.min(a, b));
            const last = keyOf(Math.max(a, b));
            const end = start[1] === last[1] ? last : ENDS[0]!;
            expect(reader.countRange(DB.indexes, { start, end })).toBe(countOf(there, start, end));
          }
          const all = { start: Uint8Array.of(0, 2), end: Uint8Array.of(0, 3) };
          expect(reader.countRange(DB.indexes, all)).toBe(countOf(there, all.start, all.end));
        }
        await state[Symbol.asyncDispose]();
      },
    ),
    {
      // To open an encrypted store takes a while.
      numRuns: scale({ sample: masterKey === undefined ? 20 : 3, soak: 200 }),
      seed: seed(),
      endOnFailure: true,
    },
  );
});

const ALL = { start: Uint8Array.of(0, 1), end: Uint8Array.of(0, 2) };

/** Ten entries, and blocks that claim a thousand: what is told shows whether they are used. */
async function claimThousand(storage: TestStorage): Promise<void> {
  await using state = await storage.openState();
  await toggle(state, new Set(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  await writeBlocks(state, [0], () => 1_000);
  expect(state.local.reader.countRange(DB.indexes, ALL)).toBe(1_000);
}

it('uses its counts again after a restart, unless another version has written since', async () => {
  await using storage = await createStorage();
  await claimThousand(storage);
  {
    await using state = await storage.openState();
    expect(state.local.reader.countRange(DB.indexes, ALL)).toBe(1_000);
    await toggle(state, new Set(), [20]);
    expect(state.local.reader.countRange(DB.indexes, ALL)).toBe(1_001);
    await state.local.write((put) => {
      put(DB.entryBlocks, BLOCKS_STATE_KEY, encodeBlocksState(state.sequence - 1));
    });
  }
  await using state = await storage.openState();
  expect(readBlocksState(state.local.reader.get(DB.entryBlocks, BLOCKS_STATE_KEY))).toBeUndefined();
  expect(state.local.reader.countRange(DB.indexes, ALL)).toBe(11);
});

it.each([
  ['their state', BLOCKS_STATE_KEY],
  ['one of them', keyOf(0)],
])('leaves damaged counts alone: %s', async (_, key) => {
  await using storage = await createStorage(MASTER_KEY);
  await claimThousand(storage);
  const { environmentKey } = readStoreKeys({ storage: storage.path, masterKey: MASTER_KEY });
  const opening = { storage: storage.path, readOnly: false, encryptionKey: environmentKey };
  const { root, stores, steady } = openEnvironment('graph', opening);
  await stores[DB.entryBlocks]!.stored.put(key, Buffer.alloc(40, 7));
  steady?.releaseAll();
  await root.close();
  await steady?.close();
  await using state = await storage.openState();
  expect(state.local.reader.countRange(DB.indexes, ALL)).toBe(10);
  await toggle(state, new Set(), [20]);
  expect(state.local.reader.countRange(DB.indexes, ALL)).toBe(11);
});

it('reads the keys that are not counted yet', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState();
  const there = new Set<number>();
  await toggle(state, there, [1, 2, 3, 40, 50, 60]);
  await writeBlocks(state, [0, 30], (start) => (start[3] === 30 ? NOT_COUNTED : 3));
  await toggle(state, there, [4, 70, 50]);
  expect(state.local.reader.countRange(DB.indexes, ALL)).toBe(there.size);
});
