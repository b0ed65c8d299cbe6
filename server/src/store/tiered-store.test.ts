import { readFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryLog, createMemoryMedium, type MemoryMedium } from '#log/memory-log.ts';
import { KEEP_ALL, TestClock } from '#log/testing/log-engine.ts';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { scale, seed } from '../../../test/support/scale.ts';
import { must } from '#base/assert.ts';
import { BatchEncoder, readBatch } from './batch.ts';
import { ChangedPieces } from './changed-pieces.ts';
import type { State } from './commit-pipeline.ts';
import { DB } from './databases.ts';
import { openEnvironment } from './environment.ts';
import { readSizes } from './care/entry-counts.ts';
import { scrubState } from './care/scrub-state.ts';
import type { KeyValueReader, WriteBatch } from './key-value.ts';
import { readStoreKeys } from './master-key.ts';
import { digestState, updateSnapshot } from './snapshot.ts';
import { type HoldingReader, openSnapshotReader } from './snapshot-reader.ts';
import { openState } from './state-writer.ts';
import { MASTER_KEY } from './testing/storage.ts';
import type { TierRule } from './tiered-store.ts';

const clock = new TestClock();
const EARLY: TierRule = { firstMin: 0, recentMin: 40, recentDivisor: 1_000 };
const NEVER: TierRule = { firstMin: Infinity, recentMin: 0, recentDivisor: 1 };
/** Makes the group of a commit a large one. */
const LARGE = new Uint8Array(30_000);
const ALL = { start: new Uint8Array(0), end: new Uint8Array(17).fill(255) };
const BOTH = ['graph', 'vault'] as const;

interface Place {
  readonly storage: string;
  readonly masterKey: string | undefined;
  readonly medium: MemoryMedium;
}

function open({ storage, masterKey, medium }: Place, tierRule: TierRule): Promise<State> {
  const log = createMemoryLog({ clock, archive: KEEP_ALL, medium });
  return openState({ storage, masterKey, clock, log, tierRule });
}

function readerOf({ storage, masterKey }: Place): HoldingReader {
  return openSnapshotReader({ storage, masterKey, environments: BOTH });
}

/** Numbers are spread over all keys, as digests are. */
function keyOf(number: number): Uint8Array {
  const key = Buffer.alloc(16);
  key.writeUInt32BE(Math.imul(number, 0x9e3779b1) >>> 0);
  key.writeUInt32BE(number, 12);
  return key;
}

interface Change {
  readonly added: number;
  /** Places among the keys that are there, as shares of them. */
  readonly removed: readonly number[];
  readonly isLarge: boolean;
  readonly isOpenedAnew: boolean;
}

const anyChange: fc.Arbitrary<Change> = fc.record({
  added: fc.integer({ min: 0, max: 120 }),
  removed: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { maxLength: 20 }),
  isLarge: fc.boolean(),
  isOpenedAnew: fc.boolean(),
});

/** The UIDs that a state should have, by number. */
class Uids {
  readonly values = new Map<number, Uint8Array>();
  #next = 1;

  /** Puts new keys, removes some, and puts one of the removed again. */
  change(batch: Pick<WriteBatch, 'put' | 'delete'>, { added, removed, isLarge }: Change): void {
    const put = (number: number): void => {
      const value = Uint8Array.of(0, 0, this.#next >> 8, this.#next, number);
      this.values.set(number, value);
      batch.put(DB.uids, keyOf(number), value);
    };
    for (let i = 0; i < added; i++) put(this.#next++);
    for (const [i, share] of removed.entries()) {
      const numbers = [...this.values.keys()];
      const number = numbers[Math.floor(share * numbers.length)];
      if (number === undefined) continue;
      batch.delete(DB.uids, keyOf(number));
      this.values.delete(number);
      if (i === 0) put(number);
    }
    if (isLarge) batch.put(DB.nodes, keyOf(0), LARGE);
  }

  entries(): string[] {
    return [...this.values].map(([number, value]) => shown(keyOf(number), value)).toSorted();
  }
}

function shown(key: Uint8Array, value: Uint8Array): string {
  return `${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('hex')}`;
}

function scanned(reader: KeyValueReader, range: Parameters<KeyValueReader['scan']>[1]): string[] {
  const found: string[] = [];
  reader.scan(DB.uids, range, (key, value) => void found.push(shown(key, value)));
  return found;
}

function expectUids(reader: KeyValueReader, uids: Uids): void {
  const entries = uids.entries();
  expect(scanned(reader, ALL)).toEqual(entries);
  expect(scanned(reader, { ...ALL, reverse: true })).toEqual(entries.toReversed());
  expect(reader.countRange(DB.uids, ALL)).toBe(entries.length);
  const numbers = [...uids.values.keys()];
  for (const number of numbers.filter((_, i) => i % 7 === 0)) {
    const value = must(reader.get(DB.uids, keyOf(number)), 'a value');
    expect(Buffer.from(value)).toEqual(Buffer.from(must(uids.values.get(number), 'a value')));
    expect(reader.has(DB.uids, keyOf(number))).toBe(true);
  }
  expect(reader.get(DB.uids, keyOf(1e6))).toBeUndefined();
  const from = keyOf(numbers[numbers.length >> 1] ?? 1);
  const rest = entries.filter((entry) => entry >= Buffer.from(from).toString('hex'));
  expect(scanned(reader, { start: from, end: ALL.end })).toEqual(rest);
  let first: string | undefined;
  reader.scan(DB.uids, ALL, (key, value) => {
    first = shown(key, value);
    return false;
  });
  expect(first).toBe(entries[0]);
}

/** The entries of the two trees of UIDs. */
function treesOf({ storage, masterKey }: Place): { first: number; recent: number } {
  const { environmentKey, values } = readStoreKeys({ storage, masterKey });
  const graph = openEnvironment('graph', {
    storage,
    readOnly: true,
    encryptionKey: environmentKey,
    values,
  });
  try {
    const uids = must(graph.stores[DB.uids], 'the UIDs');
    const all = uids.size().entries;
    const first = Number(Object(uids.stored.getStats())['entryCount']);
    return { first, recent: all - first };
  } finally {
    void graph.root.close();
  }
}

it.each([
  ['checked', undefined],
  ['sealed', MASTER_KEY],
])(
  'shows the same in two trees as in one, whatever is written: %s',
  async (_name, masterKey) => {
    let wasMoved = 0;
    const place = (storage: string): Place => ({
      storage,
      masterKey,
      medium: createMemoryMedium(),
    });
    const run = async (changes: readonly Change[]): Promise<void> => {
      await using folder = await temporaryFolder();
      await using other = await temporaryFolder();
      const tiered = place(folder.path);
      const single = place(other.path);
      let live = await open(tiered, EARLY);
      await using plain = await open(single, NEVER);
      try {
        using plainReader = readerOf(single);
        const uids = new Uids();
        using emptyReader = readerOf(tiered);
        let manifest = await digestState(emptyReader);
        for (const change of changes) {
          if (change.isOpenedAnew) {
            await live[Symbol.asyncDispose]();
            live = await open(tiered, EARLY);
          }
          // The same operations for the state, for the other one, and as the log has them.
          const logged = new BatchEncoder();
          uids.change(logged, change);
          const copy = (batch: WriteBatch): void =>
            readBatch(logged.payload, (db, key, value) => {
              if (value === undefined) batch.delete(db, key);
              else batch.put(db, key, value);
            });
          await live.commit(copy);
          await plain.commit(copy);
          expectUids(live.view, uids);
          using reader = readerOf(tiered);
          expectUids(reader, uids);
          const changed = new ChangedPieces(manifest);
          changed.add(logged.payload);
          {
            using held = reader.hold();
            expect(held.count(DB.uids)).toBe(uids.values.size);
            manifest = await updateSnapshot(held, changed, { write: async () => undefined });
          }
          plainReader.refresh();
          const whole = await digestState(reader);
          expect(whole.databases).toEqual(manifest.databases);
          expect(whole.databases).toEqual((await digestState(plainReader)).databases);
        }
        const { first, recent } = treesOf(tiered);
        expect(first + recent).toBe(uids.values.size);
        if (first > 0 && recent > 0) wasMoved++;
      } finally {
        await live[Symbol.asyncDispose]();
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(anyChange, { minLength: 4, maxLength: 10 }), run), {
      numRuns: scale({ sample: 3, soak: 100 }),
      seed: seed(),
      endOnFailure: true,
    });
    expect(wasMoved).toBeGreaterThan(0);
  },
  scale({ sample: 120_000, soak: 1_200_000 }),
);

async function fill(place: Place, numbers: readonly number[], tierRule = EARLY): Promise<void> {
  await using state = await open(place, tierRule);
  for (const number of numbers) {
    await state.commit((batch) => {
      for (let i = 0; i < 100; i++) batch.put(DB.uids, keyOf(number * 100 + i), Uint8Array.of(i));
      batch.put(DB.nodes, keyOf(0), LARGE);
      batch.put(DB.vault, keyOf(number), LARGE);
    });
  }
}

async function digestOf(place: Place): Promise<string> {
  using reader = readerOf(place);
  return (await digestState(reader)).digest;
}

function formatOf({ storage }: Place): unknown {
  return JSON.parse(readFileSync(join(storage, 'store.json'), 'utf8')).format;
}

it('has a newer format once it has two trees', async () => {
  await using folder = await temporaryFolder();
  const place = { storage: folder.path, masterKey: undefined, medium: createMemoryMedium() };
  await fill(place, [1, 2], { ...EARLY, firstMin: 150 });
  expect(formatOf(place)).toBe(3);
  await fill(place, [3, 4], { ...EARLY, firstMin: 150 });
  expect(formatOf(place)).toBe(4);
  expect(treesOf(place)).toEqual({ first: 251, recent: 149 });
  const uids = readSizes(place).databases.find(({ name }) => name === 'uids');
  expect(uids?.entries).toBe(400);
});

it.each([undefined, MASTER_KEY])(
  'is read as a whole by a scrub, with the key %s',
  async (masterKey) => {
    await using folder = await temporaryFolder();
    const place = { storage: folder.path, masterKey, medium: createMemoryMedium() };
    await fill(place, [1, 2, 3]);
    expect(treesOf(place).recent).toBeGreaterThan(0);
    using reader = readerOf(place);
    const damaged: string[] = [];
    const entries = await scrubState({
      reader,
      rest: () => Promise.resolve(),
      onDamage: (found) => void damaged.push(found),
      onProgress: () => undefined,
    });
    // What the last commit put into the vault is still pending.
    expect({ entries, damaged }).toEqual({ entries: 300 + 1 + 2, damaged: [] });
  },
);

it('carries out again what only the vault lacks, without a second entry', async () => {
  await using folder = await temporaryFolder();
  await using former = await temporaryFolder();
  const place = { storage: folder.path, masterKey: undefined, medium: createMemoryMedium() };
  const [vault, copy] = [join(folder.path, 'vault'), join(former.path, 'vault')];
  await fill(place, [1]);
  await cp(vault, copy, { recursive: true });
  await fill(place, [2, 3, 4]);
  const digest = await digestOf(place);
  await rm(vault, { recursive: true });
  await cp(copy, vault, { recursive: true });
  await fill(place, []);
  const { first, recent } = treesOf(place);
  expect(recent).toBeGreaterThan(0);
  expect(first + recent).toBe(400);
  expect(await digestOf(place)).toBe(digest);
});

it('is made again from the log, whatever the rule was', async () => {
  await using folder = await temporaryFolder();
  const place = { storage: folder.path, masterKey: MASTER_KEY, medium: createMemoryMedium() };
  await fill(place, [1, 2, 3]);
  const digest = await digestOf(place);
  await rm(join(folder.path, 'graph'), { recursive: true });
  await fill(place, [], NEVER);
  expect(treesOf(place)).toEqual({ first: 300, recent: 0 });
  expect(await digestOf(place)).toBe(digest);
});
