import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { People } from '../support/people.ts';
import { TrellisProcess } from '../support/trellis-process.ts';

const TASKS = '/api/admin/tasks';
const WHO = `export default async ({ body, CurrentUser, log, progress }: Scope) => {
  progress(0.5, 'Asking');
  log.info('asked');
  return { body, as: CurrentUser?.UserName ?? null };
};
`;
const FAILS = `export default async ({ notFound }: Scope) => notFound('there is no such book');\n`;
const WAITS = `export default async ({ signal }: Scope) =>
  new Promise((done) => signal.addEventListener('abort', () => done(null)));
`;

let people: People;
let admin: TrellisClient;
beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  await people.add('rita', { isReadOnlyAdmin: true });
  await people.addToken('token', { kind: 'api', name: 't', scopes: ['admin:tasks'] });
  await people.addToken('bare', { kind: 'api', name: 'b', scopes: ['read'] });
  admin = client('admin');
  for (const [name, code] of Object.entries({ who: WHO, fails: FAILS, waits: WAITS })) {
    const { diagnostics } = await admin.endpoints.create({ name, code, timeoutMs: 60_000 });
    expect(diagnostics).toEqual([]);
  }
  await admin.endpoints.create({ name: 'secret', code: WHO, access: 'admins' });
});
afterAll(() => people[Symbol.asyncDispose]());

function client(who: string): TrellisClient {
  return new TrellisClient({
    baseUrl: people.workspace.server.url,
    token: people.token(who),
    retry: { retriesMax: 0 },
  });
}

/** Runs a task, and waits for its end. */
async function run(name: string, as = admin) {
  const { id } = await admin.tasks.run(name);
  for await (const event of admin.jobs.watch(id)) void event;
  const { items } = await as.tasks.listRuns(name);
  return { id, run: items.find((one) => one.id === id) };
}

const outcome = (who: string, method: string, path: string, body?: unknown) =>
  people.outcome(who, method, path, body);

describe('tasks', () => {
  test('are made, listed, read, changed and deleted', async () => {
    const cron = '30 2 * * MON-FRI';
    const made = await admin.tasks.create({ name: 'first', cron, endpoint: 'who' });
    expect(made).toMatchObject({
      name: 'first',
      cron,
      timeZone: 'UTC',
      endpoint: 'who',
      builtIn: null,
      body: null,
      actingUser: null,
      enabled: true,
      whenMissed: 'run',
      description: 'At 02:30, Monday through Friday',
      jobId: null,
      lastRun: null,
    });
    expect(made.nextRunAts).toHaveLength(5);
    expect(made.nextRunAt).toBe(made.nextRunAts[0]);
    const listed = await admin.tasks.list({ take: 1 });
    expect(listed).toEqual({ items: [made], total: 1, skip: 0, take: 1 });
    const changed = await admin.tasks.put('first', { timeZone: 'Europe/Berlin', enabled: false });
    expect(changed).toMatchObject({ timeZone: 'Europe/Berlin', nextRunAt: null, nextRunAts: [] });
    expect(await admin.tasks.get('first')).toEqual(changed);
    await admin.tasks.delete('first');
    expect(await outcome('admin', 'GET', `${TASKS}/first`)).toEqual([404, 'task_not_found']);
  });

  test('run an endpoint as the system or as a user, as a job, and keep a log', async () => {
    await admin.tasks.create({ name: 'system', cron: '@yearly', endpoint: 'secret', body: [1] });
    const { id, run: ran } = await run('system');
    expect(await admin.jobs.get(id)).toMatchObject({ kind: 'task', state: 'succeeded' });
    expect(ran).toMatchObject({ state: 'succeeded', trigger: 'manual', error: null });
    expect(JSON.parse(ran?.result ?? '')).toEqual({ body: [1], as: null });
    expect(ran?.log.map(({ text }) => text)).toEqual(['asked']);
    const actingUser = people.uid('ann');
    await admin.tasks.create({ name: 'as ann', cron: '@yearly', endpoint: 'who', actingUser });
    expect(JSON.parse((await run('as ann')).run?.result ?? '')).toEqual({ as: 'ann' });
    await admin.tasks.put('as ann', { endpoint: 'secret' });
    const { run: refused } = await run('as ann');
    expect(refused).toMatchObject({ state: 'failed', error: { code: 'endpoint_not_found' } });
  });

  test('tell how they failed, and are cancelled by their job', async () => {
    await admin.tasks.create({ name: 'fails', cron: '@yearly', endpoint: 'fails' });
    const { id, run: failed } = await run('fails');
    expect(failed).toMatchObject({ state: 'failed', result: null });
    expect(failed?.error?.message).toContain('there is no such book');
    expect(await admin.jobs.get(id)).toMatchObject({ state: 'failed', error: failed?.error });
    await admin.tasks.create({ name: 'waits', cron: '@yearly', endpoint: 'waits' });
    const job = await admin.tasks.run('waits');
    expect(await admin.tasks.get('waits')).toMatchObject({ jobId: job.id });
    expect(await outcome('admin', 'POST', `${TASKS}/waits/run`)).toEqual([409, 'task_running']);
    expect(await outcome('admin', 'DELETE', `${TASKS}/waits`)).toEqual([409, 'task_running']);
    await admin.jobs.cancel(job.id);
    for await (const event of admin.jobs.watch(job.id)) void event;
    expect((await admin.tasks.listRuns('waits')).items).toMatchObject([{ state: 'cancelled' }]);
  });

  test('run by themselves, when they are due', async () => {
    await admin.tasks.create({ name: 'ticks', cron: '* * * * * *', endpoint: 'who' });
    let ran;
    do {
      ({
        items: [ran],
      } = await admin.tasks.listRuns('ticks'));
    } while (ran?.state !== 'succeeded');
    expect(ran).toMatchObject({ trigger: 'schedule', times: 1 });
    expect(Date.parse(ran.startedAt)).toBeGreaterThanOrEqual(Date.parse(ran.dueAt ?? ''));
    expect(await admin.tasks.disable('ticks')).toMatchObject({ enabled: false, nextRunAt: null });
    expect(await admin.tasks.enable('ticks')).toMatchObject({ enabled: true });
    await admin.tasks.disable('ticks');
  });

  test('run what is built in', async () => {
    const { items } = await admin.tasks.listBuiltIn();
    expect(items.map(({ name }) => name)).toEqual([
      'backup',
      'replica-verification',
      'search-evaluation',
      'storage-scrub',
    ]);
    await admin.tasks.create({ name: 'measure', cron: '@weekly', builtIn: 'search-evaluation' });
    expect((await run('measure')).run).toMatchObject({ state: 'succeeded', result: '{"sets":[]}' });
    await admin.tasks.create({ name: 'verify', cron: '@weekly', builtIn: 'replica-verification' });
    const { run: refused } = await run('verify');
    expect(refused).toMatchObject({ state: 'failed', error: { code: 'replication_off' } });
    await admin.tasks.create({ name: 'scrub', cron: '@weekly', builtIn: 'storage-scrub' });
    const { run: whole } = await run('scrub');
    expect(whole).toMatchObject({ state: 'succeeded' });
    expect(JSON.parse(whole?.result ?? '')).toMatchObject({ backups: 0, damageCount: 0 });
    await admin.tasks.create({ name: 'back up', cron: '@daily', builtIn: 'backup' });
    const { run: homeless } = await run('back up');
    expect(homeless).toMatchObject({ state: 'failed', error: { code: 'no_backup_target' } });
  });

  test('a schedule is explained, and it is said where it is wrong', async () => {
    const cron = '0 12 * * 1';
    const checked = await admin.tasks.checkSchedule({ cron, timeZone: 'America/New_York' });
    expect(checked).toMatchObject({ cron, description: 'At 12:00, only on Monday' });
    for (const [body, path] of [
      [{ cron: '0 25 * * *' }, 'cron'],
      [{ cron: '@daily', timeZone: 'Nowhere' }, 'timeZone'],
    ] as const) {
      const task = { name: 'bad', endpoint: 'who', ...body };
      for (const [at, sent] of [
        [`${TASKS}/check`, body],
        [TASKS, task],
      ] as const) {
        const { status, json } = await people.as('admin', 'POST', at, sent);
        expect([status, json]).toMatchObject([
          400,
          { error: { code: 'invalid_schedule', details: { fields: [{ path }] } } },
        ]);
      }
    }
  });

  test.each([
    [{ name: 'x/y' }, 400, 'invalid_request'],
    [{ name: '.x' }, 400, 'invalid_request'],
    [{ cron: 5 }, 400, 'invalid_request'],
    [{ whenMissed: 'perhaps' }, 400, 'invalid_request'],
    [{ unknown: 1 }, 400, 'invalid_request'],
    [{ endpoint: 'none' }, 404, 'endpoint_not_found'],
    [{ endpoint: null }, 400, 'invalid_request'],
    [{ endpoint: null, builtIn: 'none' }, 400, 'invalid_request'],
    [{ actingUser: 'nobody' }, 404, 'user_not_found'],
  ])('what cannot be is refused: %j', async (given, status, code) => {
    const task = { name: 'bad', cron: '@daily', endpoint: 'who', ...given };
    expect(await outcome('admin', 'POST', TASKS, task)).toEqual([status, code]);
  });

  test('who may', async () => {
    const task = (name: string) => ({ name, cron: '@yearly', endpoint: 'who' });
    expect(await outcome('', 'GET', TASKS)).toEqual([401, 'missing_token']);
    expect(await outcome('ann', 'GET', TASKS)).toEqual([403, 'forbidden']);
    expect(await outcome('bare', 'GET', TASKS)).toEqual([403, 'forbidden']);
    expect(await outcome('rita', 'GET', TASKS)).toEqual([200, undefined]);
    expect(await outcome('rita', 'POST', TASKS, task('r'))).toEqual([403, 'forbidden']);
    expect(await outcome('token', 'POST', TASKS, task('t'))).toEqual([201, undefined]);
    expect(await outcome('token', 'POST', `${TASKS}/t/run`)).toEqual([202, undefined]);
    expect(await outcome('token', 'POST', TASKS, task('t'))).toEqual([409, 'task_exists']);
    const bold = { ...task('bold'), endpoint: 'secret' };
    // That there is one for administrators is for them to know.
    expect(await outcome('token', 'POST', TASKS, bold)).toEqual([404, 'endpoint_not_found']);
    const lent = { ...task('lent'), actingUser: people.uid('ann') };
    expect(await outcome('token', 'POST', TASKS, lent)).toEqual([403, 'forbidden']);
    const events = await people.as('admin', 'GET', '/api/audit?take=20');
    expect(events.text).toContain('"task.created"');
    expect(events.text).toContain('"task.run"');
  });
});

test('tasks are there after a restart, and what was missed meanwhile is made up for', async () => {
  const { server, storage } = people.workspace;
  await admin.tasks.create({ name: 'often', cron: '* * * * * *', endpoint: 'who' });
  await server.stop();
  // A second in which it is due passes while no server is there.
  const stoppedAt = Date.now();
  await expect.poll(() => Date.now() - stoppedAt).toBeGreaterThan(1_100);
  await using again = await TrellisProcess.start({ storage });
  const token = people.token('admin');
  const after = new TrellisClient({ baseUrl: again.url, token });
  expect(await after.tasks.get('often')).toMatchObject({ cron: '* * * * * *', enabled: true });
  await after.tasks.disable('often');
  const { items } = await after.tasks.listRuns('often', { take: 1_000 });
  expect(items.map(({ trigger }) => trigger)).toContain('missed');
});
