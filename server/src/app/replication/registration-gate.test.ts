import {
  REPLICA_REGISTRATION_AGE_MAX_MS as AGE_MAX_MS,
  REPLICA_REGISTRATIONS_REMEMBERED_MAX,
} from '#base/replication-limits.ts';
import { expect, it } from 'vitest';
import { RegistrationsSeen } from './registration.ts';

const START = 10_000_000;

function begin() {
  const clock = { time: START, now: () => clock.time };
  return { clock, seen: new RegistrationsSeen(clock) };
}

it('takes each registration once, as long as its time is near', () => {
  const { clock, seen } = begin();
  expect(seen.admit('a', START)).toBe('new');
  expect(seen.admit('a', START)).toBe('seen');
  expect(seen.admit('b', START + AGE_MAX_MS)).toBe('new');
  expect(seen.admit('c', START + AGE_MAX_MS + 1)).toBe('other clock');
  clock.time += AGE_MAX_MS;
  expect(seen.admit('a', START)).toBe('seen');
  expect(seen.admit('b', START + AGE_MAX_MS)).toBe('seen');
  clock.time += 1;
  expect(seen.admit('a', START)).toBe('other clock');
  clock.time += AGE_MAX_MS - 1;
  expect(seen.admit('b', START + AGE_MAX_MS)).toBe('seen');
});

it('takes none of before it began, as it remembers none of them', () => {
  const { seen } = begin();
  expect(seen.admit('a', START - 1)).toBe('earlier life');
  expect(seen.admit('a', START)).toBe('new');
});

it('remembers so many, and takes no more than it can remember', () => {
  const { clock, seen } = begin();
  for (let i = 0; i < REPLICA_REGISTRATIONS_REMEMBERED_MAX; i++) {
    expect(seen.admit(String(i), START)).toBe('new');
  }
  expect(seen.admit('more', START)).toBe('too many');
  expect(seen.admit('7', START)).toBe('seen');
  clock.time += AGE_MAX_MS + 1;
  expect(seen.admit('more', clock.time)).toBe('new');
});
