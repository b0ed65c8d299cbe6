import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IdSet } from './id-set.ts';

/** Beside one another, in words and chunks of their own, and the highest there is. */
const id = fc.oneof(
  fc.integer({ min: 0, max: 70 }),
  fc.integer({ min: 65_530, max: 65_540 }),
  fc.constantFrom(31, 32, 1_000_000, 50_000_000),
);
const change = fc.tuple(fc.boolean(), id);

test('is the same as a Set of numbers', () => {
  fc.assert(
    fc.property(fc.array(change), fc.array(change), (first, second) => {
      const [a, modelA] = built(first);
      const [b, modelB] = built(second);
      a.addAll(b);
      for (const one of modelB) modelA.add(one);
      expect(a.size).toBe(modelA.size);
      expect(b.size).toBe(modelB.size);
      for (const [, one] of [...first, ...second]) expect(a.has(one)).toBe(modelA.has(one));
    }),
  );
});

test('counts what others lack, and walks in ascending order', () => {
  fc.assert(
    fc.property(fc.array(change), fc.array(change), fc.array(change), (first, second, third) => {
      const [a, modelA] = built(first);
      const [b, modelB] = built(second);
      const [c, modelC] = built(third);
      expect(a.countBeyond()).toBe(modelA.size);
      expect(a.countBeyond(b)).toBe(modelA.difference(modelB).size);
      expect(a.countBeyond(b, c)).toBe(modelA.difference(modelB).difference(modelC).size);
      expect([...a]).toEqual([...modelA].toSorted((x, y) => x - y));
    }),
  );
});

function built(changes: readonly (readonly [boolean, number])[]): [IdSet, Set<number>] {
  const set = new IdSet();
  const model = new Set<number>();
  for (const [isIn, one] of changes) {
    set.put(one, isIn);
    if (isIn) model.add(one);
    else model.delete(one);
  }
  return [set, model];
}
