import { expect, it } from 'vitest';
import { trellis } from '../testing/command-line.ts';
import { startService } from '../testing/service.ts';

const AT = '2026-11-20T03:00:00.000Z';
const RUN = {
  id: '1111111111111111111119',
  state: 'succeeded',
  trigger: 'manual',
  startedAt: AT,
  endedAt: AT,
  report: {
    rows: 3,
    unchanged: 1,
    added: 1,
    changed: 1,
    removed: 0,
    splits: 2,
    rejected: 0,
    operations: 2,
    commits: 1,
    changes: [],
    rejectedRows: [],
  },
  error: null,
  log: [],
};
const FAILED = {
  ...RUN,
  state: 'failed',
  report: null,
  error: { code: 'connector_failed', message: 'It answers 401\u001b[2J' },
};
const CONNECTOR = {
  id: '1111111111111111111112',
  name: 'prices',
  source: { kind: 'csv', url: 'https://files.example.com/p.csv', type: 'Price', key: 'Sku' },
  hasSecret: true,
  schedule: { cron: '0 6 * * *', timeZone: 'UTC' },
  enabled: true,
  jobId: null,
  lastRun: RUN,
  createdAt: AT,
  createdBy: null,
  updatedAt: AT,
};
const OTHER = { ...CONNECTOR, id: '1111111111111111111113', name: 'shop', jobId: 'a-job' };
const ACCESS = {
  row: 'folder Team\u001b[2J',
  node: { type: 'MailFolder', key: 'k', uid: null },
  isTold: true,
  narrowedBy: 'the server does not show its access list',
  principals: [
    { kind: 'user', name: 'sam', uid: null, sees: 'source' },
    { kind: 'team', name: 'north', uid: AT, sees: 'both' },
  ],
  principalsTotal: 5,
};
const BASE = '/api/connectors';
const ONE = `${BASE}/${CONNECTOR.id}`;

async function start(isReachable = true) {
  const service = await startService({
    [`GET ${BASE}`]: () => ({
      body: { items: [CONNECTOR, OTHER], total: 2, skip: 0, take: 1_000 },
    }),
    [`GET ${ONE}/runs`]: () => ({ body: { items: [FAILED, RUN], total: 2, skip: 0, take: 20 } }),
    [`GET ${ONE}/access`]: () => ({ body: { items: [ACCESS], total: 3, skip: 1, take: 1 } }),
    [`POST ${BASE}/test`]: () => ({ body: { isReachable, message: 'A table' } }),
    [`POST ${ONE}/run`]: () => ({ status: 202, body: { id: 'a-job' } }),
    [`POST ${ONE}/cancel`]: () => ({ body: CONNECTOR }),
    [`POST ${BASE}/${OTHER.id}/cancel`]: () => ({ body: OTHER }),
    [`DELETE ${ONE}`]: () => ({ status: 204 }),
  });
  return {
    service,
    run: (...args: string[]) => trellis(['connector', ...args, '--server', service.url]),
    /** The body of the last request. */
    sent: () => JSON.parse(service.requests.at(-1)?.body ?? '') as unknown,
  };
}

const cells = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

it('lists connectors and runs', async () => {
  const { run } = await start();
  const { code, stdout } = await run('list');
  const { url } = CONNECTOR.source;
  expect([code, cells(stdout)]).toEqual([
    0,
    [
      ['name', 'kind', 'url', 'schedule', 'state', 'last run'],
      ['prices', 'csv', url, '0 6 * * *', 'succeeded', AT],
      ['shop', 'csv', url, '0 6 * * *', 'running', AT],
    ],
  ]);
  const runs = await run('runs', 'prices');
  expect(runs.stdout).toContain(`${AT}  succeeded  3     1      1        0        2          0`);
  expect(runs.stdout).toContain('It answers 401');
  expect(runs.stdout).not.toContain('\u001b');
  expect(JSON.parse((await run('runs', 'prices', '--json')).stdout)).toEqual([FAILED, RUN]);
});

it('compares who sees what was brought, a page at a time', async () => {
  const { service, run } = await start();
  const { code, stdout, stderr } = await run('access', 'prices', '--skip', '1', '--take', '1');
  expect([code, service.requests.at(-1)?.path]).toEqual([0, `${ONE}/access`]);
  expect(stdout).not.toContain('\u001b');
  expect(stdout).toContain('MailFolder folder Team');
  for (const told of ['(not here)', 'source  user  sam', 'both    team  north', '3 more']) {
    expect(stdout).toContain(told);
  }
  expect(stdout).toContain('Fewer see it here: the server does not show its access list');
  expect(stderr).toContain('There are 1 more');
  expect(JSON.parse((await run('access', 'prices', '--json')).stdout)).toEqual([ACCESS]);
  expect((await run('access', 'prices', '--take', 'x')).code).not.toBe(0);
});

it('tests with the secret that is kept, runs, cancels and deletes', async () => {
  const { run, sent } = await start();
  expect(await run('test', 'prices')).toMatchObject({ code: 0, stdout: 'A table\n' });
  expect(sent()).toEqual({ id: CONNECTOR.id, source: CONNECTOR.source });
  expect(await run('run', CONNECTOR.id, '--full')).toMatchObject({ code: 0, stdout: 'a-job\n' });
  expect(sent()).toEqual({ full: true });
  expect((await run('cancel', 'prices')).stderr).toContain('No run is under way.');
  expect((await run('cancel', 'shop')).stderr).toContain('The run is told to end.');
  expect(await run('delete', 'prices')).toMatchObject({ code: 0 });
});

it('ends with a failure for a source that cannot be reached, and a name that nobody has', async () => {
  const { run } = await start(false);
  expect((await run('test', 'prices')).code).toBe(1);
  const { code, stderr } = await run('run', 'nobody');
  expect(code).not.toBe(0);
  expect(stderr).toContain('There is no connector "nobody"');
});
