import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import { TASK_LOOK_INTERVAL_MAX_MS } from '#base/limits.ts';
import { problemOf } from '#graph/testing/test-graph.ts';
import { HOUR, HOURLY, MINUTE, TaskScene } from './testing/task-scene.ts';

let scene: TaskScene;
beforeEach(async () => {
  scene = await TaskScene.start();
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
  expect(scene.faults).toEqual([]);
});

describe('a task runs when it is due', () => {
  it('and not before, nor when it is disabled, and tells when it runs next', async () => {
    const at = scene.open();
    await at.start();
    const task = await at.create({ ...HOURLY, timeZone: 'Europe/Berlin', body: { n: 1 } });
    expect(task).toMatchObject({ enabled: true, whenMissed: 'run', description: 'Every hour' });
    expect(task.nextRunAt).toBe('2026-01-01T01:00:00.000Z');
    await at.pass(HOUR - 1);
    expect(scene.calls).toHaveLength(0);
    await at.pass(1);
    await at.runner.idle();
    expect(scene.calls).toMatchObject([{ endpoint: 'work', body: '{"n":1}' }]);
    expect(at.log('hourly')).toMatchObject([
      { state: 'succeeded', trigger: 'schedule', dueAt: task.nextRunAt, result: '"done"' },
    ]);
    const disabled = await at.tasks.setEnabled(ADMINISTRATOR, 'hourly', false, '');
    expect(disabled).toMatchObject({ nextRunAt: null, lastRun: { state: 'succeeded' } });
    await at.pass(5 * HOUR);
    expect(scene.calls).toHaveLength(1);
    await at.tasks.setEnabled(ADMINISTRATOR, 'hourly', true, '');
    await at.pass(HOUR);
    await at.runner.idle();
    expect(scene.calls).toHaveLength(2);
    expect(at.log('hourly')).toHaveLength(2);
  });

  it('the clock is looked at again and again, and a jump of it makes one run', async () => {
    const at = scene.open();
    await at.start();
    expect(at.alarmMs()).toBe(TASK_LOOK_INTERVAL_MAX_MS);
    await at.create(HOURLY);
    scene.graph.clock.time += 10 * HOUR;
    await at.pass(TASK_LOOK_INTERVAL_MAX_MS);
    await at.runner.idle();
    expect(scene.calls).toHaveLength(1);
    await at.pass(HOUR);
    expect(scene.calls).toHaveLength(2);
  });

  it('one run at a time: what is due meanwhile is skipped, and the log says so', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    scene.work = () => promise;
    const at = scene.open();
    await at.start();
    await at.create(HOURLY);
    await at.pass(4 * HOUR);
    expect(scene.calls).toHaveLength(1);
    const { jobId } = at.tasks.get(ADMINISTRATOR, 'hourly');
    const refused = await problemOf(() => at.tasks.run(ADMINISTRATOR, 'hourly', ''));
    expect(refused).toEqual({ code: 'task_running', details: { jobId } });
    expect(await problemOf(() => at.tasks.delete(ADMINISTRATOR, 'hourly', ''))).toEqual(refused);
    resolve();
    await at.runner.idle();
    expect(at.log('hourly')).toMatchObject([
      { state: 'skipped', times: 3, error: { code: 'task_skipped' } },
      { state: 'succeeded', times: 1 },
    ]);
    await at.pass(HOUR);
    expect(scene.calls).toHaveLength(2);
  });
});

describe('a run that was missed while the server was down', () => {
  const stopped = async (whenMissed: 'run' | 'skip') => {
    const before = scene.open();
    await before.start();
    await before.create({ ...HOURLY, whenMissed });
    await before.pass(HOUR);
    await before.runner.idle();
    await scene.stop();
    scene.graph.clock.time += 5 * HOUR + MINUTE;
    const after = scene.open();
    await after.start();
    await after.runner.idle();
    return after;
  };

  it('is made up for once', async () => {
    const at = await stopped('run');
    const dueAt = '2026-01-01T02:00:00.000Z';
    expect(at.log('hourly')).toMatchObject([
      { state: 'succeeded', trigger: 'missed', dueAt },
      { trigger: 'schedule' },
    ]);
    const again = scene.open();
    await again.start();
    expect(scene.calls).toHaveLength(2);
  });

  it('is skipped when the task says so', async () => {
    const at = await stopped('skip');
    expect(at.log('hourly')[0]).toMatchObject({ state: 'skipped', trigger: 'schedule' });
    expect(scene.calls).toHaveLength(1);
    const again = scene.open();
    await again.start();
    expect(again.log('hourly')).toHaveLength(2);
  });

  it('is none when the task was disabled, or made, or changed since', async () => {
    const before = scene.open();
    await before.create({ ...HOURLY, enabled: false });
    await before.create({ ...HOURLY, name: 'changed' });
    scene.graph.clock.time += 3 * HOUR;
    await before.tasks.put(ADMINISTRATOR, 'changed', { cron: '30 * * * *' }, '');
    const after = scene.open();
    await after.start();
    expect(scene.calls).toHaveLength(0);
  });
});
