import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DB } from './databases.ts';
import type { KeyValueReader, StateWriter } from './key-value.ts';
import { MemoryState } from './memory-state.ts';
import { anyCommit, anyKey, contentOf, putAll, scanned } from './testing/operations.ts';
import { createStorage } from './testing/storage.ts';

const anyCommits = fc.array(fc.record({ operations: anyCommit, throws: fc.boolean() }), {
  minLength: 1,
  maxLength: 12,
});
const anyRanges = fc.array(
  fc.record({
    db: fc.constantFrom(DB.nodes, DB.out, DB.types),
    range: fc.record({ start: anyKey, end: anyKey, reverse: fc.boolean() }),
  }),
  { minLength: 1, maxLength: 8 },
);

/** The result of a commit, and what the view shows while the commit is built and afterwards. */
async function committed(
  state: StateWriter,
  { operations, throws }: { operations: Parameters<typeof putAll>[1]; throws: boolean },
) {
  const seen: unknown[] = [];
  const outcome = await state
    .commit((batch) => {
      seen.push(batch.nextSequence);
      putAll(batch, operations);
      seen.push(batch.count, batch.nextSequence, contentOf(state.view));
      if (throws) throw new Error('thought better of it');
    })
    .catch((error: Error) => error.message);
  return { outcome, seen, sequence: state.sequence, content: contentOf(state.view) };
}

it('answers as the state on disk does', async () => {
  await fc.assert(
    fc.asyncProperty(anyCommits, anyRanges, async (commits, ranges) => {
      await using storage = await createStorage();
      await using stored = await storage.openState();
      await using inMemory = new MemoryState();
      for (const commit of commits) {
        expect(await committed(inMemory, commit)).toEqual(await committed(stored, commit));
      }
      const { view } = stored;
      for (const { db, range } of ranges) {
        const { start, end, reverse } = range;
        // A range of the state lies within one prefix: see `Overlay`.
        const prefix = start.subarray(0, 5);
        const inside = { start, end: Uint8Array.of(...prefix, ...end.subarray(5)), reverse };
        expect(scanned(inMemory, db, inside)).toEqual(scanned(view, db, inside));
        expect(inMemory.has(db, start)).toBe(view.has(db, start));
        expect(inMemory.get(db, start)).toEqual(bytesOf(view, db, start));
      }
    }),
    { numRuns: 40 },
  );
});

it('keeps what it is given, whatever becomes of the bytes', async () => {
  await using state = new MemoryState();
  const key = Buffer.from([1, 2]);
  const value = Buffer.from([3, 4]);
  await state.commit((batch) => batch.put(DB.meta, key, value));
  key.fill(9);
  value.fill(9);
  const kept = state.get(DB.meta, Uint8Array.of(1, 2));
  expect(kept && [...kept]).toEqual([3, 4]);
});

it('shows a scan what it began with', async () => {
  await using state = new MemoryState();
  const at = (byte: number) => Uint8Array.of(byte);
  await state.commit((batch) => {
    for (const byte of [1, 2, 3]) batch.put(DB.meta, at(byte), at(byte));
  });
  const seen: number[] = [];
  await state.commit((batch) => {
    state.view.scan(DB.meta, { start: at(0), end: at(9) }, (key) => {
      seen.push(key[0]!);
      batch.delete(DB.meta, key);
      batch.put(DB.meta, at(8), at(8));
    });
  });
  expect(seen).toEqual([1, 2, 3]);
  expect(scanned(state, DB.meta, { start: at(0), end: at(9) })).toHaveLength(1);
});

it('refuses a commit within the construction of another', async () => {
  await using state = new MemoryState();
  const inner: Promise<unknown>[] = [];
  await state.commit(() => void inner.push(state.commit(() => undefined)));
  await expect(inner[0]).rejects.toThrow('a commit within the construction of another');
});

/** A copy: the bytes of a reader are valid until the next call. */
function bytesOf(
  reader: KeyValueReader,
  ...place: Parameters<KeyValueReader['get']>
): Uint8Array | undefined {
  const bytes = reader.get(...place);
  return bytes && new Uint8Array(bytes);
}
