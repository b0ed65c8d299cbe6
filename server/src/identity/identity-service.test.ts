import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ADDRESS_FAILURES_MAX,
  LOGIN_DELAY_MIN_MS,
  LOGIN_FAILURES_MAX,
} from '#base/sign-in-limits.ts';
import { openTestIdentity, TEST_PASSWORD, type TestIdentity } from './testing/test-identity.ts';
import { userUid } from './users.ts';

let at: TestIdentity;
let ann: string;
beforeEach(async () => {
  at = await openTestIdentity();
  ann = await at.putUser('Ann');
});
afterEach(() => at[Symbol.asyncDispose]());

const login = (user: string, password: string, address = '10.0.0.1', marks?: string) =>
  at.identity.login(user, password, address, marks);

describe('the audit of a sign-in', () => {
  test('tells who came in, from where, and how', async () => {
    await login('ann', TEST_PASSWORD);
    const user = { uid: ann, name: 'Ann' };
    expect(at.events).toEqual([
      {
        action: 'login.succeeded',
        actor: user,
        target: { kind: 'user', id: ann, name: 'Ann' },
        outcome: 'success',
        address: '10.0.0.1',
        details: { via: 'password' },
      },
    ]);
  });

  test.each([
    ['a wrong password', 'ann', 'wrong'],
    ['a user there is not', 'nobody', TEST_PASSWORD],
    ['text that is no Unicode', '\ud800', TEST_PASSWORD],
  ])('%s: the name that was tried, and nothing of the password', async (_case, user, password) => {
    await expect(login(user, password)).rejects.toMatchObject({ code: 'invalid_credentials' });
    expect(at.events).toEqual([
      {
        action: 'login.failed',
        actor: null,
        target: { kind: 'user', id: userUid(user), name: user.toWellFormed() },
        outcome: 'failure',
        address: '10.0.0.1',
        details: { via: 'password', reason: 'credentials' },
      },
    ]);
  });

  test('keeps little of a very long name', async () => {
    await expect(login('x'.repeat(100_000), 'wrong')).rejects.toThrow('not right');
    expect(at.events[0]?.target?.name).toBe('x'.repeat(200));
  });

  test('tells of a throttled user once, and lets them in when the delay is over', async () => {
    await guess('ann');
    at.events.length = 0;
    const tries = async () => {
      for (let i = 0; i < 20; i++) {
        await expect(login('ann', TEST_PASSWORD)).rejects.toThrow('Too many');
      }
    };
    await tries();
    expect(at.events).toMatchObject([
      { action: 'login.failed', target: { name: 'ann' }, details: { reason: 'throttled' } },
    ]);
    at.graph.clock.time += LOGIN_DELAY_MIN_MS - 1;
    await tries();
    expect(at.events).toHaveLength(1);
    at.graph.clock.time += 1;
    await login('ann', TEST_PASSWORD);
    expect(at.events.at(-1)).toMatchObject({ action: 'login.succeeded' });
  });

  test('tells of a throttled address once, whoever it tries to be', async () => {
    for (let i = 0; i < ADDRESS_FAILURES_MAX + 20; i++) {
      await expect(login(`user ${i}`, 'wrong')).rejects.toMatchObject({
        code: i < ADDRESS_FAILURES_MAX ? 'invalid_credentials' : 'too_many_requests',
      });
    }
    expect(at.events).toHaveLength(ADDRESS_FAILURES_MAX + 1);
  });
});

describe('guesses of others', () => {
  test('lock nobody out elsewhere', async () => {
    await guess('ann');
    await expect(login('ann', TEST_PASSWORD)).rejects.toThrow('Too many');
    await login('ann', TEST_PASSWORD, '10.0.0.2');
  });

  test('lock nobody out of a device that they have signed in on, and of no session', async () => {
    const { marks, token } = await login('ann', TEST_PASSWORD);
    await guess('ann');
    for (let i = LOGIN_FAILURES_MAX; i < ADDRESS_FAILURES_MAX; i++) {
      await expect(login(`user ${i}`, 'wrong')).rejects.toThrow('not right');
    }
    await expect(login('bob', TEST_PASSWORD)).rejects.toThrow('Too many');
    await expect(login('ann', TEST_PASSWORD, '10.0.0.1', `${marks}x`)).rejects.toThrow('Too many');
    await login('ann', TEST_PASSWORD, '10.0.0.1', marks);
    const change = { oldPassword: TEST_PASSWORD, newPassword: 'another password' };
    await at.identity.changePassword(at.identity.authenticate(token), change, '10.0.0.1');
  });

  test('are no more with a mark: it counts for itself', async () => {
    const { marks } = await login('ann', TEST_PASSWORD);
    for (let i = 0; i < LOGIN_FAILURES_MAX; i++) {
      await expect(login('ann', 'wrong', '10.0.0.1', marks)).rejects.toThrow('not right');
    }
    await expect(login('ann', 'wrong', '10.0.0.9', marks)).rejects.toThrow('Too many');
    await login('ann', TEST_PASSWORD, '10.0.0.9');
  });
});

async function guess(user: string): Promise<void> {
  for (let i = 0; i < LOGIN_FAILURES_MAX; i++) {
    await expect(login(user, 'wrong')).rejects.toThrow('not right');
  }
}

describe('a sign-in that somebody else vouches for', () => {
  test('begins a session', () => {
    const { token } = at.identity.signInAs(ann, 'googlesso', '10.0.0.3');
    expect(at.identity.authenticate(token)).toMatchObject({ kind: 'session', userUid: ann });
    expect(at.events).toMatchObject([
      { action: 'login.succeeded', actor: { uid: ann }, details: { via: 'googlesso' } },
    ]);
  });

  test('of an inactive user, or of none, is refused', async () => {
    await at.putUser('Ann', { Active: false });
    for (const uid of [ann, '1'.repeat(22), 'nonsense']) {
      expect(() => at.identity.signInAs(uid, 'saml', '::1')).toThrow('may not sign in');
      expect(at.events.at(-1)).toMatchObject({
        action: 'login.failed',
        target: { id: uid },
        details: { via: 'saml', reason: 'inactive' },
      });
    }
  });
});

test('a changed password is an audit event and ends the other sessions; a wrong one is told too', async () => {
  const token = await at.signIn('ann');
  at.graph.clock.time += 1;
  const other = await at.signIn('ann');
  const caller = at.identity.authenticate(token);
  const change = { oldPassword: TEST_PASSWORD, newPassword: 'another battery' };
  await expect(
    at.identity.changePassword(caller, { ...change, oldPassword: 'wrong' }, '::1'),
  ).rejects.toMatchObject({ code: 'wrong_password' });
  expect(at.events.at(-1)).toMatchObject({ action: 'password.changed', outcome: 'failure' });
  await at.identity.changePassword(caller, change, '::1');
  expect(at.events.at(-1)).toMatchObject({ action: 'password.changed', outcome: 'success' });
  expect(JSON.stringify(at.events)).not.toContain('battery');
  expect(at.identity.authenticate(token).userUid).toBe(ann);
  expect(() => at.identity.authenticate(other)).toThrow('not valid');
});
