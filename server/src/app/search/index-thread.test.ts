import { SEARCH_RESTARTS_MAX, SEARCH_RESTARTS_WINDOW_MS } from '#base/search-limits.ts';
import { expect, test } from 'vitest';
import { RestartRule } from './index-thread.ts';

test('a thread is started later each time, only so often, and again when an hour has passed', () => {
  let now = 0;
  const rule = new RestartRule({ now: () => now });
  const delays = Array.from({ length: SEARCH_RESTARTS_MAX }, () => rule.next()!);
  expect(delays.slice(0, 4)).toEqual([100, 400, 1_600, 6_400]);
  expect(delays).toEqual(delays.toSorted((a, b) => a - b));
  expect(delays.at(-1)).toBe(60_000);
  expect(rule.next()).toBeUndefined();
  now += SEARCH_RESTARTS_WINDOW_MS;
  expect(rule.next()).toBe(100);
});
