import { expect, it } from 'vitest';
import { trellis } from '../testing/command-line.ts';
import { startService } from '../testing/service.ts';

const AT = '2026-11-20T03:00:00.000Z';
const RUN = {
  id: 'j',
  task: 'nightly',
  state: 'failed',
  trigger: 'schedule',
  dueAt: AT,
  startedAt: AT,
  endedAt: AT,
  result: null,
  error: { code: 'endpoint_failed', message: 'no such book' },
  log: [{ at: AT, text: 'asked' }],
  times: 1,
};
const TASK = {
  UID: '1111111111111111111112',
  name: 'nightly',
  cron: '0 3 * * *',
  timeZone: 'UTC',
  endpoint: 'books/tidy',
  builtIn: null,
  body: { days: 1 },
  actingUser: null,
  enabled: true,
  whenMissed: 'run',
  isInCode: false,
  description: 'At 03:00',
  nextRunAt: AT,
  nextRunAts: [AT],
  jobId: null,
  lastRun: RUN,
  updatedAt: AT,
};
const JOB = { id: 'j', kind: 'task', state: 'running', progress: 0, step: 'nightly' };
const PATH = '/api/admin/tasks/nightly';

async function start() {
  const list = (items: unknown[]) => ({
    body: { items, total: items.length, skip: 0, take: 1000 },
  });
  const service = await startService({
    'GET /api/admin/tasks': () =>
      list([TASK, { ...TASK, name: 'off', enabled: false, endpoint: null, builtIn: 'tidy' }]),
    'POST /api/admin/tasks': ({ body }) => ({
      status: 201,
      body: { ...TASK, ...JSON.parse(body) },
    }),
    [`GET ${PATH}`]: () => ({ body: TASK }),
    [`PUT ${PATH}`]: ({ body }) => ({ body: { ...TASK, ...JSON.parse(body) } }),
    [`DELETE ${PATH}`]: () => ({ status: 204 }),
    [`POST ${PATH}/run`]: () => ({ status: 202, body: { ...JOB, log: [] } }),
    [`POST ${PATH}/enable`]: () => ({ body: TASK }),
    [`POST ${PATH}/disable`]: () => ({ body: { ...TASK, enabled: false } }),
    [`GET ${PATH}/log`]: () => list([RUN, { ...RUN, state: 'skipped', times: 3, log: [] }]),
  });
  return {
    service,
    sent: () => JSON.parse(service.requests.at(-1)?.body ?? '') as unknown,
    run: (...args: string[]) => trellis(['task', ...args, '--server', service.url]),
  };
}

it('lists and shows tasks', async () => {
  const { run } = await start();
  const { code, stdout } = await run('list');
  expect([code, stdout.split('\n').map((line) => line.split(/ {2,}/))]).toEqual([
    0,
    [
      ['name', 'runs', 'when', 'next', 'last'],
      ['nightly', 'books/tidy', 'At 03:00', AT, 'failed'],
      ['off', 'built-in: tidy', 'At 03:00', 'disabled', 'failed'],
      [''],
    ],
  ]);
  const shown = await run('show', 'nightly');
  expect(shown.stdout).toMatch(/^body +{"days":1}$/m);
  expect(shown.stdout).toMatch(/^error +endpoint_failed: no such book$/m);
  expect(JSON.parse((await run('show', 'nightly', '--json')).stdout)).toEqual(TASK);
});

it('makes, changes, enables, disables and deletes a task', async () => {
  const { run, sent } = await start();
  const when = ['--cron', '0 3 * * *', '--time-zone', 'Europe/Berlin'];
  const what = ['--endpoint', 'books/tidy', '--body', '{"days":1}', '--as', TASK.UID];
  const made = await run('create', 'nightly', ...when, ...what, '--when-missed', 'skip');
  expect([made.code, made.stderr]).toEqual([
    0,
    `The task "nightly" runs: At 03:00 (Europe/Berlin); next at ${AT}.\n`,
  ]);
  expect(sent()).toEqual({
    name: 'nightly',
    cron: '0 3 * * *',
    timeZone: 'Europe/Berlin',
    endpoint: 'books/tidy',
    body: { days: 1 },
    actingUser: TASK.UID,
    whenMissed: 'skip',
    enabled: true,
  });
  expect((await run('update', 'nightly', '--as', 'system')).code).toBe(0);
  expect(sent()).toEqual({ actingUser: null });
  expect((await run('enable', 'nightly')).stderr).toContain('next at');
  expect((await run('disable', 'nightly')).stderr).toContain('disabled');
  const deleted = await run('delete', 'nightly');
  expect([deleted.code, deleted.stderr]).toEqual([0, 'The task "nightly" is deleted.\n']);
});

it('runs a task, and lists its log', async () => {
  const { run } = await start();
  const begun = await run('run', 'nightly');
  expect([begun.code, begun.stderr]).toEqual([0, 'The task "nightly" runs as the job j.\n']);
  const { stdout } = await run('log', 'nightly');
  expect(stdout.trimEnd().split('\n')).toEqual([
    `${AT} failed (schedule): no such book`,
    '  asked',
    `${AT} skipped, 3 times (schedule): no such book`,
  ]);
});

it('says what is wrong', async () => {
  const { run, service } = await start();
  expect(await run('create', 'nightly')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--cron'),
  });
  expect((await run('update', 'nightly')).code).toBe(2);
  expect((await run('create', 'x', '--cron', '@daily', '--body', '{')).code).toBe(1);
  expect(service.requests).toEqual([]);
});
