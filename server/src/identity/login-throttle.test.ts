import { describe, expect, test } from 'vitest';
import {
  ADDRESS_DELAY_MAX_MS,
  ADDRESS_DELAY_MIN_MS,
  ADDRESS_FAILURES_MAX,
  LOGIN_DELAY_MAX_MS,
  LOGIN_DELAY_MIN_MS,
  LOGIN_FAILURE_FORGOTTEN_MS,
  LOGIN_FAILURES_MAX,
} from '#base/sign-in-limits.ts';
import { LoginThrottle, type Attempt } from './login-throttle.ts';

function setUp() {
  const now = { ms: 1_000_000 };
  const throttle = new LoginThrottle({ now: () => now.ms });
  const begin = (user: string, address: string, device?: string, onRefused?: () => void) =>
    throttle.begin({ user, address, device } satisfies Attempt, onRefused);
  const fail = async (user: string, address: string, times = 1, device?: string): Promise<void> => {
    for (let i = 0; i < times; i++) (await begin(user, address, device)).end('wrong');
  };
  /** How long the next try must wait, in milliseconds to the second. */
  const delay = async (user: string, address: string, device?: string): Promise<number> => {
    try {
      (await begin(user, address, device)).end('untried');
      return 0;
    } catch (error) {
      expect(error).toMatchObject({ code: 'too_many_requests' });
      return Number(Object(error).details.retryAfterSeconds) * 1_000;
    }
  };
  return { now, throttle, begin, fail, delay };
}

describe('the throttle of sign-ins', () => {
  test('lets one failure less than the limit through, and refuses at the limit', async () => {
    const { fail, delay } = setUp();
    await fail('ann', 'a', LOGIN_FAILURES_MAX - 1);
    expect(await delay('ann', 'a')).toBe(0);
    await fail('ann', 'a');
    expect(await delay('ann', 'a')).toBe(LOGIN_DELAY_MIN_MS);
  });

  test('locks nobody out elsewhere, and nobody else behind the same address', async () => {
    const { fail, delay } = setUp();
    await fail('ann', 'a', LOGIN_FAILURES_MAX);
    expect([await delay('ann', 'b'), await delay('bob', 'a')]).toEqual([0, 0]);
  });

  test('waits twice as long after every further failure, up to a bound', async () => {
    const { now, fail, delay } = setUp();
    await fail('ann', 'a', LOGIN_FAILURES_MAX);
    const delays: number[] = [];
    for (let i = 0; i < 8; i++) {
      const waited = await delay('ann', 'a');
      delays.push(waited);
      now.ms += waited - 1;
      expect(await delay('ann', 'a')).toBe(1_000);
      now.ms += 1;
      await fail('ann', 'a');
    }
    expect(delays.slice(0, 4)).toEqual([1, 2, 4, 8].map((factor) => LOGIN_DELAY_MIN_MS * factor));
    expect(Math.max(...delays)).toBe(LOGIN_DELAY_MAX_MS);
  });

  test('forgets failures with time, and all of them once the password was right', async () => {
    const { now, begin, fail, delay } = setUp();
    await fail('ann', 'a', LOGIN_FAILURES_MAX);
    now.ms += LOGIN_FAILURE_FORGOTTEN_MS;
    await fail('ann', 'a');
    expect(await delay('ann', 'a')).toBe(LOGIN_DELAY_MIN_MS);
    now.ms += LOGIN_DELAY_MIN_MS;
    (await begin('ann', 'a')).end('right');
    await fail('ann', 'a', LOGIN_FAILURES_MAX - 1);
    expect(await delay('ann', 'a')).toBe(0);
  });

  test('invented names delay their address for strangers, for a while that is bounded', async () => {
    const { now, fail, delay } = setUp();
    for (let i = 0; i < ADDRESS_FAILURES_MAX; i++) await fail(`user ${i}`, 'b');
    expect(await delay('ann', 'b')).toBe(ADDRESS_DELAY_MIN_MS);
    for (let i = 0; i < 50; i++) {
      const waited = await delay('ann', 'b');
      expect(waited).toBeLessThanOrEqual(ADDRESS_DELAY_MAX_MS);
      now.ms += waited;
      await fail(`more ${i}`, 'b');
    }
    expect([await delay('ann', 'c'), await delay('ann', 'b', 'device')]).toEqual([0, 0]);
  });

  test('of IPv6, 64 bits are one address', async () => {
    const { fail, delay } = setUp();
    for (let i = 0; i < LOGIN_FAILURES_MAX; i++) await fail('ann', `2001:db8::${i}`);
    expect(await delay('ann', '2001:db8:0:0:ffff::1')).toBe(LOGIN_DELAY_MIN_MS);
    expect(await delay('ann', '2001:db8:0:1::1')).toBe(0);
  });

  test('a device that is known counts for itself: neither for others nor with them', async () => {
    const { fail, delay } = setUp();
    await fail('ann', 'a', LOGIN_FAILURES_MAX);
    expect(await delay('ann', 'a', 'laptop')).toBe(0);
    await fail('ann', 'a', LOGIN_FAILURES_MAX, 'laptop');
    expect(await delay('ann', 'a', 'laptop')).toBe(LOGIN_DELAY_MIN_MS);
    expect(await delay('ann', 'a', 'phone')).toBe(0);
    expect(await delay('bob', 'a')).toBe(0);
  });

  test('tells of a refusal once after each failure', async () => {
    const { begin, fail } = setUp();
    await fail('ann', 'a', LOGIN_FAILURES_MAX);
    let told = 0;
    for (let i = 0; i < 20; i++) {
      await expect(begin('ann', 'a', undefined, () => told++)).rejects.toThrow('Too many');
    }
    expect(told).toBe(1);
  });

  test('guesses at once cannot outnumber the failures that are left', async () => {
    const { begin } = setUp();
    let begun = 0;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, async () => {
        const attempt = await begin('ann', 'a');
        begun++;
        await Promise.resolve();
        attempt.end('wrong');
      }),
    );
    expect(begun).toBe(LOGIN_FAILURES_MAX);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(50 - begun);
  });

  test('good sign-ins at once all go through', async () => {
    const { begin } = setUp();
    const signIn = async (): Promise<void> => {
      const attempt = await begin('ann', 'a');
      await Promise.resolve();
      attempt.end('right');
    };
    await expect(Promise.all(Array.from({ length: 50 }, signIn))).resolves.toHaveLength(50);
  });
});
