import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BatchEncoder, KEY_BYTES_MAX, readBatch } from './batch.ts';
import { DB } from './databases.ts';
import { anyOperation, hex, putAll } from './testing/operations.ts';
import type { Operation } from './testing/operations.ts';

function operationsIn(payload: Uint8Array): Operation[] {
  const operations: Operation[] = [];
  readBatch(payload, (db, key, value) => {
    operations.push({ db, key: Uint8Array.from(key), value: value && Uint8Array.from(value) });
  });
  return operations;
}

it('reads back what was put, in order', () => {
  const long = fc.record({
    db: fc.constant(DB.nodes),
    key: fc.uint8Array({ minLength: 1, maxLength: KEY_BYTES_MAX }),
    value: fc.uint8Array({ maxLength: 5_000 }),
  });
  fc.assert(
    fc.property(fc.array(fc.oneof(anyOperation, long), { maxLength: 60 }), (operations) => {
      const batch = new BatchEncoder();
      putAll(batch, operations);
      expect(batch.count).toBe(operations.length);
      expect(batch.length).toBe(batch.payload.length);
      expect(operationsIn(batch.payload)).toEqual(operations);
    }),
  );
});

it('answers where keys lie, also after the buffer has moved', () => {
  const batch = new BatchEncoder(new Uint8Array(4));
  const places = Array.from({ length: 300 }, (_, i) =>
    batch.put(DB.meta, Uint8Array.of(1, i & 255), Uint8Array.of(i >> 8)),
  );
  for (const [i, at] of places.entries()) {
    expect(hex(batch.bytes.subarray(at, at + 3))).toBe(hex(Uint8Array.of(1, i & 255, i >> 8)));
  }
});

it('has the layout that logs keep', () => {
  const batch = new BatchEncoder();
  batch.put(DB.vault, Uint8Array.of(0xaa), Uint8Array.of(1, 2));
  batch.delete(DB.out, Uint8Array.of(0xbb, 0xcc));
  const layout = ['01', '20', '0100', '02000000', 'aa', '0102', '00', '04', '0200', 'bbcc'];
  expect(hex(batch.payload)).toBe(layout.join(''));
});

it('takes keys up to what LMDB takes, and no unknown database', () => {
  const batch = new BatchEncoder();
  const none = new Uint8Array(0);
  batch.put(DB.nodes, new Uint8Array(KEY_BYTES_MAX), none);
  expect(() => batch.put(DB.nodes, new Uint8Array(KEY_BYTES_MAX + 1), none)).toThrow(/a key has/);
  expect(() => batch.delete(DB.nodes, none)).toThrow(/a key has/);
  // @ts-expect-error There is no database with this number.
  expect(() => batch.delete(99, Uint8Array.of(1))).toThrow(/does not exist/);
  expect(batch.count).toBe(1);
});

it('refuses bytes that are not a batch', () => {
  const batch = new BatchEncoder();
  batch.put(DB.nodes, Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6));
  const { payload } = batch;
  for (let length = 1; length < payload.length; length++) {
    expect(() => operationsIn(payload.subarray(0, length))).toThrow(/ends within/);
  }
  expect(() => operationsIn(Uint8Array.of(7, 1, 1, 0, 1))).toThrow(/operation 7/);
});
