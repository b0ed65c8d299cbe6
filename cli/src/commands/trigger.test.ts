import { expect, it } from 'vitest';
import { trellis } from '../testing/command-line.ts';
import { startService } from '../testing/service.ts';

const AT = '2026-11-20T03:00:00.000Z';
const ERROR = { code: 'bad_request', message: 'no queue' };
const TRIGGER = {
  endpoint: 'tickets/assign',
  lines: [
    { event: 'created', type: 'Ticket' },
    { event: 'updated', type: 'Ticket' },
  ],
  isPaused: false,
  reason: null,
  position: 40,
  waiting: 1,
  setAside: 1,
  runs: 7,
  failures: 1,
  lastRunAt: AT,
  lastError: ERROR,
  missed: null,
};
const EVENT = {
  id: 'e1',
  endpoint: 'tickets/assign',
  event: 'created',
  type: 'Ticket',
  uid: '1111111111111111111112',
  key: 'T-1',
  sequence: 40,
  at: AT,
  setAsideAt: AT,
  attempts: 5,
  error: ERROR,
};
const BASE = '/api/admin/triggers';

async function start() {
  const service = await startService({
    [`GET ${BASE}`]: () => ({
      body: { items: [TRIGGER, { ...TRIGGER, isPaused: true, reason: 'full', lastError: null }] },
    }),
    [`POST ${BASE}/pause`]: () => ({ body: { ...TRIGGER, isPaused: true } }),
    [`POST ${BASE}/resume`]: () => ({ body: TRIGGER }),
    [`GET ${BASE}/set-aside`]: () => ({ body: { items: [EVENT], total: 1, skip: 0, take: 50 } }),
    [`POST ${BASE}/set-aside/e1/retry`]: () => ({ body: { succeeded: true, error: null } }),
    [`POST ${BASE}/set-aside/e2/retry`]: () => ({ body: { succeeded: false, error: ERROR } }),
    [`DELETE ${BASE}/set-aside/e1`]: () => ({ status: 204 }),
  });
  return {
    service,
    run: (...args: string[]) => trellis(['trigger', ...args, '--server', service.url]),
  };
}

it('lists the endpoints that changes run', async () => {
  const { run } = await start();
  const { code, stdout } = await run('list');
  expect([
    code,
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
  ]).toEqual([
    0,
    [
      ['endpoint', 'after', 'state', 'waiting', 'failed', 'last error'],
      ['tickets/assign', 'created Ticket, updated Ticket', 'active', '1', '1', 'no queue'],
      ['tickets/assign', 'created Ticket, updated Ticket', 'paused: full', '1', '1'],
    ],
  ]);
});

it('pauses and resumes one', async () => {
  const { run, service } = await start();
  expect((await run('pause', 'tickets/assign')).stderr).toContain('is paused');
  expect((await run('resume', 'tickets/assign')).stderr).toContain('goes on');
  const bodies = service.requests.map(({ body }) => body);
  expect(bodies).toEqual(Array.from({ length: 2 }, () => '{"endpoint":"tickets/assign"}'));
});

it('lists what failed, runs it again, and forgets it', async () => {
  const { run, service } = await start();
  const { stdout } = await run('failed', '--endpoint', 'tickets/assign');
  expect(stdout).toMatch(/e1 +tickets\/assign +created Ticket T-1 +\S+ +5 +no queue/);
  expect(service.requests.at(-1)?.path).toContain('/set-aside');
  expect(await run('retry', 'e1')).toMatchObject({ code: 0, stderr: 'It went well.\n' });
  expect(await run('retry', 'e2')).toMatchObject({
    code: 1,
    stderr: 'It failed again: no queue\n',
  });
  expect(await run('forget', 'e1')).toMatchObject({ code: 0 });
});
