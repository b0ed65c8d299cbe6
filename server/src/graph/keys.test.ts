import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readId } from '#store/bytes.ts';
import {
  ID_MAX,
  KeyEncoder,
  TYPE_ID_MAX,
  edgeOfKey,
  idOfTypeKey,
  neighborOfKey,
  versionOfKey,
} from './keys.ts';
import { TIME_MAX_MS, TIME_MIN_MS } from './time.ts';

const version = fc.integer({ min: 1, max: 2 ** 32 - 1 });
const id = fc.oneof(fc.nat(), fc.integer({ min: 1, max: ID_MAX }));
const type = fc.integer({ min: 1, max: TYPE_ID_MAX });
/** Times of the years that 48 bits can hold in order. */
const time = fc.integer({ min: TIME_MIN_MS, max: 2 ** 47 - 2 });

/** Copies a key, since it is valid only until the next one. */
const copy = (key: Uint8Array): Buffer => Buffer.from(key);
const order = (a: readonly number[], b: readonly number[]): number => {
  const i = a.findIndex((part, at) => part !== b[at]);
  return i < 0 ? 0 : Math.sign(a[i]! - b[i]!);
};
const keys = new KeyEncoder();

it('gives ids, edge types and neighbours back', () => {
  fc.assert(
    fc.property(id, type, id, version, (a, edge, b, made) => {
      expect(readId(keys.node(a), 0)).toBe(a);
      expect(readId(keys.idValue(a), 0)).toBe(a);
      for (const key of [keys.out(a, edge, b), keys.in(a, edge, b)]) {
        expect([readId(key, 0), edgeOfKey(key), neighborOfKey(key)]).toEqual([a, edge, b]);
      }
      expect(idOfTypeKey(keys.type(edge, 0, b))).toBe(b);
      expect(readId(keys.version(a, made), 0)).toBe(a);
      expect(versionOfKey(keys.version(a, made))).toBe(made);
    }),
  );
});

it('sorts keys by their numbers', () => {
  fc.assert(
    fc.property(fc.tuple(id, type, id), fc.tuple(id, type, id), (a, b) => {
      expect(Buffer.compare(copy(keys.out(...a)), copy(keys.out(...b)))).toBe(order(a, b));
    }),
  );
  fc.assert(
    fc.property(fc.tuple(type, time, id), fc.tuple(type, time, id), (a, b) => {
      expect(Buffer.compare(copy(keys.type(...a)), copy(keys.type(...b)))).toBe(order(a, b));
    }),
  );
});

it('holds times beyond 48 bits at the end of the order', () => {
  const last = copy(keys.type(1, 2 ** 47 - 2, 7));
  expect(copy(keys.type(1, TIME_MAX_MS, 7)).equals(last)).toBe(true);
  expect(Buffer.compare(last, copy(keys.nodesOfType(1).end))).toBe(-1);
});

it('makes ranges that hold exactly the keys of one node, edge type or node type', () => {
  const isWithin = (key: Buffer, { start, end }: { start: Uint8Array; end: Uint8Array }): boolean =>
    Buffer.compare(key, start) >= 0 && Buffer.compare(key, end) < 0;
  const near = fc.integer({ min: 1, max: 3 });
  const edgeType = fc.oneof(near, fc.constantFrom(255, 256, TYPE_ID_MAX));
  fc.assert(
    fc.property(near, near, edgeType, edgeType, id, time, (a, b, edge, other, far, at) => {
      expect(isWithin(copy(keys.version(a, far % 2 ** 32)), keys.versions(b))).toBe(a === b);
      const key = copy(keys.out(a, edge, far));
      expect(isWithin(key, keys.edges(b, 0))).toBe(a === b);
      expect(isWithin(key, keys.edges(b, other))).toBe(a === b && edge === other);
      const typed = copy(keys.type(edge, at, far));
      expect(isWithin(typed, keys.nodesOfType(other))).toBe(edge === other);
      expect(isWithin(typed, keys.nodesOfTypeBefore(edge, typed))).toBe(false);
    }),
  );
});
