import { expect, test } from 'vitest';
import { SSO_FAILURES_MAX, SSO_FAILURE_FORGOTTEN_MS } from '#base/limits.ts';
import { ADDRESS_DELAY_MAX_MS, ADDRESS_DELAY_MIN_MS } from '#base/sign-in-limits.ts';
import { SsoThrottle, type SsoOutcome } from '../login-throttle.ts';

function setUp() {
  const now = { ms: 1_000_000 };
  const throttle = new SsoThrottle({ now: () => now.ms });
  const end = async (outcome: SsoOutcome, times = 1, device?: string) => {
    for (let i = 0; i < times; i++) (await throttle.begin('a', device))(outcome);
  };
  const delay = async (address: string, device?: string): Promise<number> => {
    try {
      (await throttle.begin(address, device))('untried');
      return 0;
    } catch (error) {
      return Number(Object(error).details.retryAfterSeconds) * 1_000;
    }
  };
  return { now, end, delay };
}

test('one address may be refused so often, and then waits a little longer each time', async () => {
  const { now, end, delay } = setUp();
  await end('refused', SSO_FAILURES_MAX - 1);
  expect(await delay('a')).toBe(0);
  await end('refused');
  expect([await delay('a'), await delay('b')]).toEqual([ADDRESS_DELAY_MIN_MS, 0]);
  const delays: number[] = [];
  for (let i = 0; i < 7; i++) {
    const waited = await delay('a');
    delays.push(waited);
    now.ms += waited;
    await end('refused', 1 + Math.floor(waited / SSO_FAILURE_FORGOTTEN_MS)).catch(() => {});
  }
  expect(delays.toSorted((a, b) => a - b)).toEqual(delays);
  expect(Math.max(...delays)).toBeLessThanOrEqual(ADDRESS_DELAY_MAX_MS);
  now.ms += SSO_FAILURES_MAX * SSO_FAILURE_FORGOTTEN_MS;
  expect(await delay('a')).toBe(0);
});

test('a device that is known counts for itself, and begins again when it was let in', async () => {
  const { end, delay } = setUp();
  await end('refused', SSO_FAILURES_MAX);
  expect([await delay('a'), await delay('a', 'mine')]).toEqual([ADDRESS_DELAY_MIN_MS, 0]);
  await end('refused', SSO_FAILURES_MAX - 1, 'mine');
  await end('admitted', 1, 'mine');
  await end('refused', SSO_FAILURES_MAX - 1, 'mine');
  expect(await delay('a', 'mine')).toBe(0);
  await end('refused', 1, 'mine');
  expect(await delay('a', 'mine')).toBe(ADDRESS_DELAY_MIN_MS);
});
