import { expect, it } from 'vitest';
import { TASK_NAME_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { planCodeTasks } from './code-tasks.ts';
import type { StoredTask } from './task.ts';

const DAILY = { cron: '0 6 * * *', timeZone: 'Europe/Oslo' };
const HOURLY = { cron: '0 * * * *', timeZone: 'UTC' };

function task(name: string, more: Partial<StoredTask> = {}): StoredTask {
  return {
    UID: name,
    name,
    ...DAILY,
    endpoint: 'a/b',
    builtIn: null,
    body: null,
    actingUser: null,
    enabled: true,
    whenMissed: 'run',
    isInCode: true,
    updatedAt: '',
    scheduledAt: '',
    nodeVersion: 1,
    ...more,
  };
}

it('names new tasks after their endpoint, once for each line', () => {
  const { wanted, unwanted } = planCodeTasks(
    [{ name: 'a/b.', crons: [DAILY, HOURLY, DAILY] }],
    [task('a.b', { isInCode: false })],
  );
  expect(unwanted).toEqual([]);
  expect(wanted.map(({ name, cron }) => [name, cron])).toEqual([
    ['a.b-2', DAILY.cron],
    ['a.b-3', HOURLY.cron],
  ]);
  const [long] = planCodeTasks([{ name: 'x'.repeat(200), crons: [DAILY] }], []).wanted;
  expect(long?.name).toHaveLength(TASK_NAME_CHARACTERS_MAX);
});

it('keeps the task of a line that stays, and gives one whose line is gone to a changed line', () => {
  const [first, second] = [task('first', HOURLY), task('second')];
  const crons = [{ ...DAILY, cron: '0 7 * * *' }, HOURLY];
  const { wanted, unwanted } = planCodeTasks([{ name: 'a/b', crons }], [first, second]);
  expect(unwanted).toEqual([]);
  expect(wanted.map(({ before, cron }) => [before, cron])).toEqual([
    [first, HOURLY.cron],
    [second, '0 7 * * *'],
  ]);
});

it('gives up tasks whose line or endpoint is gone, and those alone', () => {
  const mine = task('mine', { isInCode: false });
  const [old, lost] = [task('old'), task('lost', { endpoint: 'gone' })];
  expect(planCodeTasks([{ name: 'a/b', crons: [] }], [mine, old, lost])).toEqual({
    wanted: [],
    unwanted: [old, lost],
  });
});
