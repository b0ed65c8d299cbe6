import { expect, test } from 'vitest';
import { SSO_FAILURES_MAX, SSO_FAILURES_WINDOW_MS } from '#base/limits.ts';
import { LOGIN_THROTTLE_SUBJECTS_MAX } from '#base/sign-in-limits.ts';
import { FailureLimit } from './failure-limit.ts';

test('one address fails so often in one window, and no more', () => {
  let now = 0;
  const limit = new FailureLimit({ now: () => now });
  for (let i = 1; i < SSO_FAILURES_MAX; i++) limit.failed('a');
  limit.check('a');
  now = 1_000;
  limit.failed('a');
  expect(() => limit.check('a')).toThrow('Too many');
  limit.check('b');
  now = SSO_FAILURES_WINDOW_MS - 1;
  expect(() => limit.check('a')).toThrow('Too many');
  now = SSO_FAILURES_WINDOW_MS;
  limit.check('a');
  limit.failed('a');
  limit.check('a');
});

test('addresses beyond the bound push the oldest out', () => {
  const limit = new FailureLimit({ now: () => 0 });
  for (let i = 0; i < SSO_FAILURES_MAX; i++) limit.failed('first');
  for (let i = 1; i < LOGIN_THROTTLE_SUBJECTS_MAX; i++) limit.failed(String(i));
  expect(() => limit.check('first')).toThrow('Too many');
  limit.failed('one more');
  limit.check('first');
});
