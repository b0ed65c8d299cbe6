import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IdMap } from './id-map.ts';

test('behaves like a Map', () => {
  const step = fc.record({
    what: fc.constantFrom('add', 'add', 'add', 'again', 'delete', 'delete', 'clear'),
    /** Numbers that share a slot, and neighbours. */
    ahead: fc.constantFrom(1, 1, 1, 63, 64, 128),
    which: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const map = new IdMap<string>();
      const model = new Map<number, string>();
      let last = 0;
      for (const { what, ahead, which } of steps) {
        const some = [...model.keys()][which % Math.max(1, model.size)] ?? which;
        if (what === 'add') {
          last += ahead;
          map.set(last, `value ${last}`);
          model.set(last, `value ${last}`);
        } else if (what === 'again') {
          map.set(some, 'again');
          model.set(some, 'again');
        } else if (what === 'delete') {
          map.delete(some);
          model.delete(some);
        } else if (which % 20 === 0) {
          map.clear();
          model.clear();
        }
        expect(map.size).toBe(model.size);
        expect(map.has(some)).toBe(model.has(some));
        for (const [id, value] of model) expect(map.get(id)).toBe(value);
      }
      expect(map.keys().toSorted()).toEqual([...model.keys()].toSorted());
      expect(map.values().toSorted()).toEqual([...model.values()].toSorted());
    }),
  );
});
