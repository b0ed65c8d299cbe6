import { expect, test } from 'vitest';
import { DEVICE_LIFETIME_MS, DEVICE_MARKS_MAX } from '#base/sign-in-limits.ts';
import { KnownDevices } from './known-devices.ts';
import { userUid } from './users.ts';

const [ANN, BOB] = [userUid('ann'), userUid('bob')];

function setUp() {
  const clock = { time: 1_700_000_000_000, now: () => clock.time };
  return { clock, devices: new KnownDevices('a key', clock) };
}

test('a mark is good for its user alone, and stays the same device', () => {
  const { devices } = setUp();
  const marks = devices.mark(ANN, undefined);
  const device = devices.deviceOf(ANN, marks);
  expect(device).toMatch(/^[\w-]{16}$/);
  expect(devices.deviceOf(BOB, marks)).toBeUndefined();
  const both = devices.mark(BOB, marks);
  expect(devices.deviceOf(ANN, both)).toBe(device);
  expect(devices.deviceOf(ANN, devices.mark(ANN, both))).toBe(device);
  expect(devices.deviceOf(ANN, devices.mark(ANN, undefined))).not.toBe(device);
});

test.each([
  ['nothing', () => undefined],
  ['nonsense', () => '~.~..~'],
  ['the mark of another user', (mark: string) => mark.replace(ANN, BOB)],
  [
    'a mark that was touched',
    (mark: string) => `${mark.slice(0, -1)}${mark.endsWith('A') ? 'B' : 'A'}`,
  ],
  ['a mark of another key', () => new KnownDevices('another', setUp().clock).mark(ANN, undefined)],
])('%s is no device that is known', (_what, change) => {
  const { devices } = setUp();
  const brought = change(devices.mark(ANN, undefined));
  for (const uid of [ANN, BOB]) expect(devices.deviceOf(uid, brought)).toBeUndefined();
});

test('a mark ends, unless one signs in again', () => {
  const { clock, devices } = setUp();
  const marks = devices.mark(ANN, undefined);
  clock.time += DEVICE_LIFETIME_MS - 1;
  expect(devices.deviceOf(ANN, marks)).toBeDefined();
  const renewed = devices.mark(ANN, marks);
  clock.time += 1;
  expect(devices.deviceOf(ANN, marks)).toBeUndefined();
  expect(devices.deviceOf(ANN, renewed)).toBeDefined();
});

test('a browser keeps those of so many users', () => {
  const { devices } = setUp();
  const uids = Array.from({ length: DEVICE_MARKS_MAX + 1 }, (_, i) => userUid(`user ${i}`));
  let marks: string | undefined;
  for (const uid of uids) marks = devices.mark(uid, marks);
  const known = uids.filter((uid) => devices.deviceOf(uid, marks) !== undefined);
  expect(known).toEqual(uids.slice(1));
});
