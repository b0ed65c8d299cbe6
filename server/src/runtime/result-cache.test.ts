import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENDPOINT_CACHED_ANSWER_CHARACTERS_MAX } from '#base/endpoint-limits.ts';
import { ResultCache } from './cached-runs.ts';

const answer = (json: string) => ({ kind: 'answer', status: 200, json }) as const;
const KEPT = { seconds: 10, sequence: 5 };

describe('what is kept', () => {
  it('has a size, one and all together: the oldest goes first', () => {
    const cache = new ResultCache(() => 0, 10);
    cache.find('', 1, 0);
    for (const key of ['a', 'b', 'c']) cache.put(key, answer('12345'), KEPT);
    const found = ['a', 'b', 'c'].map((key) => cache.find(key, 1, 0)?.answer.json);
    expect(found).toEqual([undefined, '12345', '12345']);
    const large = new ResultCache(() => 0);
    large.put('a', answer('x'.repeat(ENDPOINT_CACHED_ANSWER_CHARACTERS_MAX + 1)), KEPT);
    expect(large.find('a', -1, 0)).toBeUndefined();
    large.put('a', answer('x'.repeat(ENDPOINT_CACHED_ANSWER_CHARACTERS_MAX)), KEPT);
    expect(large.find('a', -1, 0)).toBeDefined();
  });

  it('is not given to whoever has seen a newer state', () => {
    const cache = new ResultCache(() => 0);
    cache.put('a', answer('1'), KEPT);
    expect(cache.find('a', -1, 5)).toMatchObject({ sequence: 5, ageSeconds: 0 });
    expect(cache.find('a', -1, 6)).toBeUndefined();
    // It is still there for others.
    expect(cache.find('a', -1, 0)).toBeDefined();
  });
});

const step = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), key: fc.nat(3), size: fc.nat(6) }),
  fc.record({ kind: fc.constant('find' as const), key: fc.nat(3) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(6_000) }),
  fc.record({ kind: fc.constant('access' as const) }),
);

it('what is found was put last, not too long ago, and under the same access', () => {
  const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    let now = 0;
    let epoch = 0;
    const cache = new ResultCache(() => now, 12);
    cache.find('', epoch, 0);
    const put = new Map<string, { json: string; at: number; epoch: number }>();
    for (const [i, one] of steps.entries()) {
      if (one.kind === 'wait') now += one.ms;
      else if (one.kind === 'access') cache.find('', ++epoch, 0);
      else if (one.kind === 'put') {
        const json = String(i).padEnd(one.size);
        cache.put(String(one.key), answer(json), { seconds: 10, sequence: 0 });
        put.set(String(one.key), { json, at: now, epoch });
      } else {
        const hit = cache.find(String(one.key), epoch, 0);
        if (hit === undefined) continue;
        const expected = put.get(String(one.key));
        expect([hit.answer.json, epoch]).toEqual([expected?.json, expected?.epoch]);
        expect(now - (expected?.at ?? 0)).toBeLessThan(10_000);
      }
    }
  });
  fc.assert(property, { numRuns: 500 });
});
