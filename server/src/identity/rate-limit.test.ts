import { LOGIN_THROTTLE_SUBJECTS_MAX } from '#base/sign-in-limits.ts';
import { expect, test } from 'vitest';
import { RateLimit } from './password-reset-service.ts';

const MINUTE_MS = 60_000;

function limit() {
  const clock = { time: 1_000_000, now: () => clock.time };
  return { clock, limit: new RateLimit(clock, 3, 60 * MINUTE_MS) };
}

test('allows so many in any window, wherever it begins', () => {
  const { clock, limit: three } = limit();
  const take = () => three.take('ann');
  expect([take(), take()]).toEqual([true, true]);
  clock.time += 59 * MINUTE_MS;
  expect([take(), take()]).toEqual([true, false]);
  clock.time += MINUTE_MS - 1;
  expect(take()).toBe(false);
  clock.time += 1;
  // The first two are an hour old; the third is not, nor did the refused ones count.
  expect([take(), take(), take()]).toEqual([true, true, false]);
});

test('counts each subject for itself', () => {
  const { limit: three } = limit();
  for (let i = 0; i < 3; i++) three.take('ann');
  expect([three.take('ann'), three.take('bob')]).toEqual([false, true]);
});

test('forgets the one that asked longest ago when there are too many', () => {
  const { limit: three } = limit();
  for (let i = 0; i < 3; i++) three.take('ann');
  for (let i = 0; i < 3; i++) three.take('bob');
  for (let i = 0; i < LOGIN_THROTTLE_SUBJECTS_MAX - 1; i++) three.take(`subject ${i}`);
  expect(three.take('bob')).toBe(false);
  expect(three.take('ann')).toBe(true);
});
