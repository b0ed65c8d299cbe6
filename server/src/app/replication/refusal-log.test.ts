import { expect, it } from 'vitest';
import {
  REPLICATION_REFUSALS_LOGGED_MAX,
  REPLICATION_REFUSALS_SPAN_MS,
} from '#base/replication-limits.ts';
import { RefusalLog } from './refusal-log.ts';

it('writes some lines in a minute, and of all others how many there were', () => {
  const lines: string[] = [];
  const clock = { time: 0, now: () => clock.time };
  let fire = (): void => {};
  const timers = {
    every: (_intervalMs: number, run: () => void) => {
      fire = run;
      return { [Symbol.dispose]: () => {} };
    },
  };
  using log = new RefusalLog({ clock, timers, warn: (text) => void lines.push(text) });
  for (let i = 0; i < REPLICATION_REFUSALS_LOGGED_MAX; i++) log.refused(`stranger ${i}`);
  expect(lines).toHaveLength(REPLICATION_REFUSALS_LOGGED_MAX);
  fire();
  for (let i = 0; i < 1_000; i++) log.refused('one more');
  expect(lines).toHaveLength(REPLICATION_REFUSALS_LOGGED_MAX);
  fire();
  fire();
  expect(lines.slice(REPLICATION_REFUSALS_LOGGED_MAX)).toEqual([
    '1000 more failed connections of replicas, or of strangers',
  ]);
  clock.time += REPLICATION_REFUSALS_SPAN_MS - 1;
  log.refused('still the same minute');
  clock.time += 1;
  log.refused('the next minute');
  expect(lines.slice(-2)).toEqual([
    '1 more failed connections of replicas, or of strangers',
    'the next minute',
  ]);
});
