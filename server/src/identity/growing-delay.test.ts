import { expect, test } from 'vitest';
import { LOGIN_THROTTLE_SUBJECTS_MAX, LOGIN_WAITING_MAX } from '#base/sign-in-limits.ts';
import { GrowingDelay } from './growing-delay.ts';

const HOUR_MS = 3_600_000;
const RULE = { freeFailures: 1, delayMinMs: 1_000, delayMaxMs: 4_000, forgottenMs: HOUR_MS };
const quiet = (): void => {};

function setUp() {
  const clock = { time: 1_000_000, now: () => clock.time };
  const delay = new GrowingDelay(clock, RULE);
  const fail = async (key: string): Promise<void> => (await delay.begin(key, quiet))(true);
  return { clock, delay, fail };
}

test('remembers no more subjects than its bound, and the newest of them', async () => {
  const { delay, fail } = setUp();
  for (let i = 0; i < LOGIN_THROTTLE_SUBJECTS_MAX; i++) await fail(`subject ${i}`);
  expect(delay.size).toBe(LOGIN_THROTTLE_SUBJECTS_MAX);
  await expect(delay.begin('subject 0', quiet)).rejects.toThrow('Too many');
  await fail('one more');
  expect(delay.size).toBe(LOGIN_THROTTLE_SUBJECTS_MAX);
  (await delay.begin('subject 0', quiet))(false);
  await expect(delay.begin('subject 2', quiet)).rejects.toThrow('Too many');
});

test('forgets subjects with time, and at once those that did not fail', async () => {
  const { clock, delay, fail } = setUp();
  for (let i = 0; i < 10; i++) await fail(`subject ${i}`);
  (await delay.begin('right', quiet))(false);
  expect(delay.size).toBe(10);
  clock.time += HOUR_MS;
  await fail('another');
  expect(delay.size).toBe(1);
});

test('so many tries wait for one that is open, and no more', async () => {
  const { delay } = setUp();
  const end = await delay.begin('one', quiet);
  const waiting = Array.from({ length: LOGIN_WAITING_MAX }, () => delay.begin('one', quiet));
  await expect(delay.begin('one', quiet)).rejects.toMatchObject({
    details: { retryAfterSeconds: 1 },
  });
  end(false);
  let succeeded = 0;
  for (const next of waiting) {
    (await next)(false);
    succeeded++;
  }
  expect(succeeded).toBe(LOGIN_WAITING_MAX);
  expect(delay.size).toBe(0);
});
