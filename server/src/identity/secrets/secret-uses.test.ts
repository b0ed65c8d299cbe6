import { beforeEach, expect, it } from 'vitest';
import type { AuditEvent } from '#access/audit-event.ts';
import { SECRET_USE_EVENT_INTERVAL_MS, SECRET_USES_COUNTED_MAX } from '#base/limits.ts';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import { SecretUses } from './secret-uses.ts';

let nowMs: number;
let events: AuditEvent[];
let uses: SecretUses;
beforeEach(() => {
  nowMs = 0;
  events = [];
  uses = new SecretUses({
    clock: { now: () => nowMs },
    audit: {
      record: (event) => void events.push(event),
      operation: () => expect.fail('no commit is made for a use'),
    },
  });
});

const note = (endpoint = 'asks', host = 'a.example') =>
  uses.note({ secret: 'CRM_KEY', endpoint, host, caller: ADMINISTRATOR });
const told = () => events.map(({ details }) => [details?.['endpoint'], details?.['uses']]);

it('the first use is told at once, and the others of the hour together', () => {
  for (let i = 0; i < 5; i++) note();
  expect(told()).toEqual([['asks', 1]]);
  uses.flush();
  expect(told()).toEqual([['asks', 1]]);
  nowMs = SECRET_USE_EVENT_INTERVAL_MS;
  uses.flush();
  expect(told()).toEqual([
    ['asks', 1],
    ['asks', 4],
  ]);
  uses.flush();
  expect(told()).toHaveLength(2);
});

it('a use after the hour begins another one', () => {
  note();
  note();
  nowMs = SECRET_USE_EVENT_INTERVAL_MS;
  note();
  expect(told()).toEqual([
    ['asks', 1],
    ['asks', 1],
    ['asks', 1],
  ]);
});

it('each endpoint and host is told of by itself, as who asked first', () => {
  note('one');
  note('two');
  note('two', 'b.example');
  expect(told()).toEqual([
    ['one', 1],
    ['two', 1],
    ['two', 1],
  ]);
  expect(events[0]).toMatchObject({
    action: 'secret.used',
    target: { kind: 'secret', id: 'CRM_KEY' },
    outcome: 'success',
  });
});

it('at the end everything is told', () => {
  note();
  note();
  uses.flush(true);
  expect(told()).toEqual([
    ['asks', 1],
    ['asks', 1],
  ]);
});

it('no more than so many are counted, and none is lost', () => {
  note('first');
  note('first');
  for (let i = 0; i < SECRET_USES_COUNTED_MAX; i++) note(`e${i}`);
  expect(told().filter(([endpoint]) => endpoint === 'first')).toEqual([
    ['first', 1],
    ['first', 1],
  ]);
});
