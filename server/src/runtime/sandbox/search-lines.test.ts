import { beforeEach, expect, it } from 'vitest';
import { SEARCH_HEAVY_MS } from '#base/endpoint-limits.ts';
import { type AskedSearch, SearchLines } from './search-thread.ts';

let lines: SearchLines;
let rejected: [string, unknown][];
beforeEach(() => {
  lines = new SearchLines();
  rejected = [];
});

function search(budget: string, payload: string): AskedSearch {
  return {
    caller: '{}',
    budget,
    operation: 'search',
    payload,
    deadline: Infinity,
    signal: { aborted: false, reason: undefined },
    retries: 0,
    resolve: () => {},
    reject: (reason) => void rejected.push([payload, reason]),
  };
}

/** The next so many that begin. */
function take(count: number, may: (search: AskedSearch) => boolean = () => true): string[] {
  const begun: string[] = [];
  lines.advance((one) => {
    if (begun.length >= count || !may(one)) return false;
    begun.push(one.payload);
    return true;
  });
  return begun;
}

it('lets callers take turns, and each of them have their searches in their order', () => {
  for (const payload of ['a1', 'a2', 'a3', 'a4']) lines.push(search('a', payload));
  for (const payload of ['b1', 'b2']) lines.push(search('b', payload));
  expect(take(3)).toEqual(['a1', 'b1', 'a2']);
  lines.putBack(search('a', 'a2'));
  expect(take(9)).toEqual(['b2', 'a2', 'a3', 'a4']);
  expect(lines.isEmpty).toBe(true);
});

it('goes on with others where one caller may have no more', () => {
  for (const payload of ['a1', 'a2']) lines.push(search('a', payload));
  for (const payload of ['b1', 'b2']) lines.push(search('b', payload));
  expect(take(9, ({ budget }) => budget === 'b')).toEqual(['b1', 'b2']);
  expect([lines.waiting('a'), lines.waiting('b')]).toEqual([2, 0]);
});

it('lets go of what nobody waits for', () => {
  for (const payload of ['a1', 'a2']) lines.push(search('a', payload));
  lines.drop(({ payload }) => (payload === 'a1' ? 'gone' : undefined));
  expect(rejected).toEqual([['a1', 'gone']]);
  expect(take(9)).toEqual(['a2']);
  lines.drop(() => 'gone');
  expect(rejected).toHaveLength(1);
});

it('knows whose searches take long', () => {
  const [a, b] = [search('a', ''), search('b', '')];
  lines.note(a, SEARCH_HEAVY_MS);
  lines.note(b, SEARCH_HEAVY_MS - 1);
  expect(['a', 'b', 'c'].map((caller) => lines.isHeavy(caller))).toEqual([true, false, false]);
  for (let i = 0; i < 20; i++) lines.note(a, 1);
  expect(lines.isHeavy('a')).toBe(false);
});
