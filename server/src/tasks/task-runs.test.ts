import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import { Problem } from '#base/problem.ts';
import { TASK_LOG_LINES_MAX, TASK_RESULT_CHARACTERS_MAX, TASK_RUNS_KEPT } from '#base/limits.ts';
import { problemOf } from '#graph/testing/test-graph.ts';
import { ALL, BOB, HOURLY, TaskScene } from './testing/task-scene.ts';

const TOKEN = { ...ADMINISTRATOR, kind: 'api', isAdmin: false, scopes: ['admin:tasks'] } as const;

let scene: TaskScene;
beforeEach(async () => {
  scene = await TaskScene.start();
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
  expect(scene.faults).toEqual([]);
});

describe('how a run ends', () => {
  const run = async (at: ReturnType<TaskScene['open']>, name = 'hourly') => {
    const job = await at.tasks.run(ADMINISTRATOR, name, '');
    await at.runner.idle();
    const [last] = at.log(name);
    return { last, job: at.jobs.get(ADMINISTRATOR, job.id) };
  };

  it('with its result and the lines of its log, without secrets and not too long', async () => {
    const at = scene.open();
    await at.create(HOURLY);
    scene.work = async ({ log, progress }) => {
      progress(0.5, 'Half');
      for (let i = 0; i <= TASK_LOG_LINES_MAX; i++) log(`${i} hunter2`);
      return 'x'.repeat(TASK_RESULT_CHARACTERS_MAX);
    };
    const { last, job } = await run(at);
    expect(job).toMatchObject({ kind: 'task', state: 'succeeded', step: 'hourly: Half' });
    expect(last).toMatchObject({ id: job.id, state: 'succeeded', trigger: 'manual', dueAt: null });
    expect(last?.log).toHaveLength(TASK_LOG_LINES_MAX);
    expect(last?.log[0]?.text).toBe('1 [redacted]');
    expect(last?.result).toHaveLength(TASK_RESULT_CHARACTERS_MAX + 3);
  });

  it('with its error, which is no fault of the server', async () => {
    const at = scene.open();
    await at.create(HOURLY);
    scene.work = async () => {
      throw new Problem('endpoint_failed', 'no such book');
    };
    const error = { code: 'endpoint_failed', message: 'no such book' };
    const { last, job } = await run(at);
    expect(last).toMatchObject({ state: 'failed', error });
    expect(job).toMatchObject({ state: 'failed', error });
  });

  it('cancelled, by its job', async () => {
    const at = scene.open();
    await at.create(HOURLY);
    scene.work = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { id } = await at.tasks.run(ADMINISTRATOR, 'hourly', '');
    at.jobs.cancel(ADMINISTRATOR, id);
    await at.runner.idle();
    expect(at.log('hourly')).toMatchObject([{ state: 'cancelled', error: null }]);
    expect(at.jobs.get(ADMINISTRATOR, id).state).toBe('cancelled');
  });

  it('interrupted, when the server stopped first', async () => {
    const at = scene.open();
    await at.create(HOURLY);
    scene.work = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    await at.tasks.run(ADMINISTRATOR, 'hourly', '');
    await scene.stop();
    const after = scene.open();
    await after.start();
    expect(after.log('hourly')).toMatchObject([
      { state: 'interrupted', error: { code: 'task_interrupted' } },
    ]);
  });

  it('as a user, who must still be there', async () => {
    const at = scene.open();
    await at.create({ ...HOURLY, actingUser: BOB });
    await run(at);
    expect(scene.calls[0]?.caller.userUid).toBe(BOB);
  });

  it('of what is built in', async () => {
    const at = scene.open();
    await at.create({ name: 'tidy', cron: '@daily', builtIn: 'tidy' });
    expect((await run(at, 'tidy')).last).toMatchObject({ result: '{"tidied":2}' });
  });

  it('is kept for the last of them', async () => {
    const at = scene.open();
    await at.create(HOURLY);
    for (let i = 0; i < TASK_RUNS_KEPT + 1; i++) await run(at);
    expect(at.log('hourly')).toHaveLength(TASK_RUNS_KEPT);
    scene.graph.reader.refresh();
    expect(scene.graph.reader.countOfType('_TaskRun')).toBe(TASK_RUNS_KEPT);
    expect(
      scene
        .open()
        .log('hourly')
        .map(({ id }) => id),
    ).toEqual(at.log('hourly').map(({ id }) => id));
    await at.tasks.delete(ADMINISTRATOR, 'hourly', '');
    scene.graph.reader.refresh();
    expect(scene.graph.reader.countOfType('_TaskRun')).toBe(0);
  });
});

describe('what is refused', () => {
  it.each([
    ['no target', {}, 'invalid_request', 'endpoint'],
    ['two targets', { endpoint: 'work', builtIn: 'tidy' }, 'invalid_request', 'endpoint'],
    ['an unknown endpoint', { endpoint: 'none' }, 'endpoint_not_found', undefined],
    ['an unknown built-in', { builtIn: 'none' }, 'invalid_request', 'builtIn'],
    ['a body for a built-in', { builtIn: 'tidy', body: 1 }, 'invalid_request', 'body'],
    ['an unknown user', { endpoint: 'work', actingUser: 'x' }, 'user_not_found', undefined],
    ['a bad schedule', { endpoint: 'work', cron: 'x' }, 'invalid_schedule', 'cron'],
    ['a bad zone', { endpoint: 'work', timeZone: 'x' }, 'invalid_schedule', 'timeZone'],
  ])('%s', async (_, given, code, path) => {
    const at = scene.open();
    const problem = await problemOf(() => at.create({ name: 'bad', cron: '@daily', ...given }));
    expect(problem.code).toBe(code);
    if (path !== undefined) expect(problem.details).toMatchObject({ fields: [{ path }] });
    expect(at.tasks.list(ADMINISTRATOR, ALL).total).toBe(0);
  });

  it('to a token: to lend rights that are not its own', async () => {
    const at = scene.open();
    await at.create({ ...HOURLY, name: 'as bob', actingUser: BOB });
    await at.create({ ...HOURLY, name: 'admins', endpoint: 'admins' });
    const put = (name: string, change: object) => at.tasks.put(TOKEN, name, change, '');
    const make = (task: object) => at.tasks.create(TOKEN, { ...HOURLY, ...task }, '');
    for (const attempt of [
      () => make({ actingUser: BOB }),
      () => put('as bob', { body: 1 }),
      () => put('as bob', { actingUser: null }),
      () => put('admins', { body: 1 }),
    ]) {
      expect((await problemOf(attempt)).code).toBe('forbidden');
    }
    // As one that there is not.
    for (const attempt of [
      () => make({ endpoint: 'admins' }),
      () => make({ endpoint: 'nowhere' }),
      () => put('as bob', { endpoint: 'admins' }),
    ]) {
      expect((await problemOf(attempt)).code).toBe('endpoint_not_found');
    }
    await make({});
    expect(await put('as bob', { cron: '@daily' })).toMatchObject({ actingUser: BOB });
    expect(await put('admins', { enabled: false })).toMatchObject({ enabled: false });
  });

  it('two of one name, and a change of what was deleted', async () => {
    const at = scene.open();
    const { UID } = await at.create(HOURLY);
    expect((await problemOf(() => at.create(HOURLY))).code).toBe('task_exists');
    expect(at.tasks.get(ADMINISTRATOR, UID).name).toBe('hourly');
    await at.tasks.delete(ADMINISTRATOR, UID, '');
    const gone = await problemOf(() => at.tasks.put(ADMINISTRATOR, 'hourly', {}, ''));
    expect(gone.code).toBe('task_not_found');
  });

  it('naming one target takes the other away', async () => {
    const at = scene.open();
    await at.create(HOURLY);
    const changed = await at.tasks.put(ADMINISTRATOR, 'hourly', { builtIn: 'tidy' }, '');
    expect(changed).toMatchObject({ endpoint: null, builtIn: 'tidy' });
  });
});
