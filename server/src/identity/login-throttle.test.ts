import { describe, expect, test } from 'vitest';
import { LOGIN_FAILURES_MAX, LOGIN_FAILURES_WINDOW_MS } from '#base/sign-in-limits.ts';
import { LoginThrottle } from './login-throttle.ts';

function setUp() {
  const now = { ms: 1_000_000 };
  const throttle = new LoginThrottle({ now: () => now.ms });
  const fail = async (user: string, address: string, times: number): Promise<void> => {
    for (let i = 0; i < times; i++) (await throttle.begin(user, address)).end(false);
  };
  return { now, throttle, fail };
}

describe('the throttle of sign-ins', () => {
  test('lets one failure less than the limit through, and refuses at the limit', async () => {
    const { throttle, fail } = setUp();
    await fail('ann', 'a', LOGIN_FAILURES_MAX - 1);
    (await throttle.begin('ann', 'a')).end(true);
    await fail('ann', 'a', 1);
    await expect(throttle.begin('ann', 'a')).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  test('counts by user from anywhere, and by address for anybody', async () => {
    const { throttle, fail } = setUp();
    for (let i = 0; i < LOGIN_FAILURES_MAX; i++) await fail('ann', `address ${i}`, 1);
    await expect(throttle.begin('ann', 'elsewhere')).rejects.toThrow('Too many');
    for (let i = 0; i < LOGIN_FAILURES_MAX; i++) await fail(`user ${i}`, 'b', 1);
    await expect(throttle.begin('bob', 'b')).rejects.toThrow('Too many');
    (await throttle.begin('bob', 'elsewhere')).end(true);
  });

  test('forgets a failure a minute later, and says when', async () => {
    const { now, throttle, fail } = setUp();
    await fail('ann', 'a', LOGIN_FAILURES_MAX);
    now.ms += LOGIN_FAILURES_WINDOW_MS - 1;
    await expect(throttle.begin('ann', 'a')).rejects.toMatchObject({
      details: { retryAfterSeconds: 1 },
    });
    now.ms += 1;
    (await throttle.begin('ann', 'a')).end(true);
  });

  test('guesses at once cannot outnumber the failures that are left', async () => {
    const { throttle } = setUp();
    let begun = 0;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, async () => {
        const attempt = await throttle.begin('ann', 'a');
        begun++;
        await Promise.resolve();
        attempt.end(false);
      }),
    );
    expect(begun).toBe(LOGIN_FAILURES_MAX);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(50 - begun);
  });

  test('good sign-ins at once all go through, however many', async () => {
    const { throttle } = setUp();
    const signIn = async (): Promise<void> => {
      const attempt = await throttle.begin('ann', 'a');
      await Promise.resolve();
      attempt.end(true);
    };
    await expect(Promise.all(Array.from({ length: 50 }, signIn))).resolves.toHaveLength(50);
  });
});
