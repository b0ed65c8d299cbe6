import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BatchEncoder } from './batch.ts';
import { ChangedPieces } from './changed-pieces.ts';
import { DB } from './databases.ts';
import type { DatabaseNumber } from './databases.ts';
import type { WriteBatch } from './key-value.ts';
import type { Manifest } from './manifest.ts';
import { digestState, updateSnapshot } from './snapshot.ts';
import { createStorage } from './testing/storage.ts';

const KEYS = 2_000;
/** Chosen so that there are about a dozen pieces of similar size. */
const VALUE_BYTES = 12_000;

function keyOf(i: number): Uint8Array {
  return Uint8Array.of(i >> 8, i & 255);
}

const anyChange = fc.record({
  key: fc.integer({ min: 0, max: KEYS + 50 }),
  run: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 300 })),
  /** The length of the value; 0 deletes the key. */
  bytes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60_000 })),
  db: fc.constantFrom<DatabaseNumber>(DB.nodes, DB.out, DB.vault),
});

it('names the pieces that a whole snapshot names, whatever has changed since the one before', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState();
  for (let from = 0; from < KEYS; from += 500) {
    await state.commit((batch) => {
      for (let i = from; i < from + 500; i++) {
        batch.put(DB.nodes, keyOf(i), new Uint8Array(VALUE_BYTES).fill(i));
      }
    });
  }
  using reader = storage.openReader(['graph', 'vault']);
  let manifest = await digestState(reader);
  expect(
    manifest.databases.find(({ number }) => number === DB.nodes)!.pieces.length,
  ).toBeGreaterThan(4);
  await fc.assert(
    fc.asyncProperty(fc.array(anyChange, { maxLength: 6 }), async (changes) => {
      const changed = new ChangedPieces(manifest);
      for (const { key, run, bytes, db } of changes) {
        const change = (batch: Pick<WriteBatch, 'put' | 'delete'>): void => {
          for (let i = key; i < key + run; i++) {
            if (bytes === 0) batch.delete(db, keyOf(i));
            else batch.put(db, keyOf(i), new Uint8Array(bytes).fill(i));
          }
        };
        await state.commit(change);
        const logged = new BatchEncoder();
        change(logged);
        changed.add(logged.payload);
      }
      const written = new Map<string, Uint8Array>();
      reader.refresh();
      using held = reader.hold();
      const updated = await updateSnapshot(held, changed, {
        write: async (digest, piece) => void written.set(digest, piece),
      });
      const whole = await digestState(reader);
      expect(updated).toEqual(whole);
      const before = digestsOf(manifest);
      for (const digest of digestsOf(whole)) {
        expect(before.has(digest) || written.has(digest)).toBe(true);
      }
      if (changes.length === 0) expect(written.size).toBe(0);
      manifest = whole;
    }),
    { numRuns: 10 },
  );
});

function digestsOf({ databases }: Manifest): ReadonlySet<string> {
  return new Set(databases.flatMap(({ pieces }) => pieces.map(({ digest }) => digest)));
}
