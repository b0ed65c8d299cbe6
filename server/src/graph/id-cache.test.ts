import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdCache } from './id-cache.ts';

const LONGEST_BYTES = 244;

/** Short and long keys, of one to three bytes a character, and pairs that differ at the end. */
const key = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.nat(40).map((i) => `a key of a usual length, such as an e-mail address${i}@example.org`),
  fc.nat(260).map((length) => 'k'.repeat(length)),
  fc.constantFrom('ä', 'äö', 'é'.repeat(60), '語', '語'.repeat(81), '語'.repeat(82), '𝄞'),
);

describe('the cache of ids', () => {
  it('tells the id that was set last, or that it does not know', () => {
    const step = fc.record({
      type: fc.constantFrom(0, 1, 65_534),
      key,
      // 0 deletes.
      id: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 2 ** 40 - 1 })),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const cache = new IdCache(1_024);
        const model = new Map<string, number>();
        for (const { type, key: name, id } of steps) {
          if (id === 0) cache.delete(type, name);
          else cache.set(type, name, id);
          model.set(`${type} ${name}`, id);
          expect([id, 0]).toContain(cache.get(type, name));
        }
        for (const { type, key: name } of steps) {
          expect([model.get(`${type} ${name}`), 0]).toContain(cache.get(type, name));
        }
      }),
    );
  });

  it('knows keys up to its longest', () => {
    const cache = new IdCache(1_024);
    const name = 'k'.repeat(LONGEST_BYTES);
    cache.set(1, name, 7);
    cache.set(1, `${name}k`, 8);
    expect([cache.get(1, name), cache.get(1, `${name}k`)]).toEqual([7, 0]);
  });

  it('does not take a lone surrogate for the character that stands for one', () => {
    const cache = new IdCache(1_024);
    cache.set(1, 'a\ufffd', 7);
    expect([cache.get(1, 'a\ufffd'), cache.get(1, 'a\ud800')]).toEqual([7, 0]);
    cache.set(1, 'b\ud800', 8);
    expect([cache.get(1, 'b\ufffd'), cache.get(1, 'b\ud800')]).toEqual([0, 0]);
  });

  it('keeps no more keys than it may, and tells none of them wrong', () => {
    const cache = new IdCache(4_096);
    for (let i = 1; i <= 20_000; i++) cache.set(1, `key ${i}`, i);
    const wrong: number[] = [];
    let known = 0;
    for (let i = 1; i <= 20_000; i++) {
      const id = cache.get(1, `key ${i}`);
      if (id !== 0 && id !== i) wrong.push(i);
      if (id !== 0) known++;
    }
    expect(wrong).toEqual([]);
    expect(known).toBeLessThanOrEqual(4_096);
    expect(known).toBeGreaterThan(3_500);
    cache.clear();
    expect(cache.get(1, 'key 20000')).toBe(0);
  });
});
