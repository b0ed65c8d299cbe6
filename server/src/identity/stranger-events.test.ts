import type { AuditEvent } from '#access/audit-event.ts';
import {
  AUDIT_STRANGER_EVENTS_OF_ADDRESS_MAX,
  AUDIT_STRANGER_EVENTS_OF_ALL_MAX,
  AUDIT_STRANGER_WINDOW_MS,
} from '#base/sign-in-limits.ts';
import { expect, test } from 'vitest';
import { StrangerEvents } from './audit-trail.ts';

function setUp() {
  const clock = { time: 1_000_000, now: () => clock.time };
  const events = new StrangerEvents(clock);
  const failed = (address: string): AuditEvent | undefined =>
    events.admit({ action: 'login.failed', actor: null, outcome: 'failure', address });
  const times = (count: number, address: (i: number) => string): AuditEvent[] =>
    Array.from({ length: count }, (_, i) => failed(address(i))).filter((one) => one !== undefined);
  return { clock, failed, times };
}

const OF_ONE = AUDIT_STRANGER_EVENTS_OF_ADDRESS_MAX;

test('of one address the first are recorded each, and then fewer and fewer, with their number', () => {
  const { clock, failed, times } = setUp();
  const first = times(OF_ONE, () => '10.0.0.1');
  expect(first).toHaveLength(OF_ONE);
  expect(first.every(({ details }) => details === undefined)).toBe(true);
  const beyond = times(1_024, () => '10.0.0.1');
  expect(beyond).toHaveLength(11);
  expect(beyond.at(-1)?.details).toMatchObject({
    withinAnHour: { from: '10.0.0.1', events: OF_ONE + 1_024 },
  });
  expect(failed('10.0.0.2')).toBeDefined();
  clock.time += AUDIT_STRANGER_WINDOW_MS;
  expect(times(OF_ONE, () => '10.0.0.1')).toHaveLength(OF_ONE);
});

test('a network of 64 bits is one address', () => {
  const { times } = setUp();
  const recorded = times(100_000, (i) => `2001:db8::${i % 256}:${(i >> 8).toString(16)}`);
  expect(recorded.length).toBeLessThan(OF_ONE + 20);
});

test('all addresses together are bounded, too', () => {
  const { times } = setUp();
  const recorded = times(100_000, (i) => `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`);
  expect(recorded.length).toBeGreaterThan(AUDIT_STRANGER_EVENTS_OF_ALL_MAX);
  expect(recorded.length).toBeLessThan(AUDIT_STRANGER_EVENTS_OF_ALL_MAX + 20);
  expect(recorded.at(-1)?.details).toMatchObject({ withinAnHour: { events: 1 } });
});
