import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { trellis } from '../testing/command-line.ts';
import { startService } from '../testing/service.ts';

const AT = '2026-11-20T03:00:00.000Z';
const MIGRATION = {
  UID: '1111111111111111111112',
  name: '001',
  code: 'export default () => 1;\n',
  runOnStartup: true,
  status: 'failed',
  version: 2,
  compiles: true,
  diagnostics: [],
  ranVersion: 1,
  jobId: 'j',
  startedAt: AT,
  endedAt: AT,
  error: { code: 'migration_failed', message: 'half way' },
  log: [{ at: AT, text: 'begun' }],
  updatedAt: AT,
};
const DIAGNOSTIC = { line: 3, column: 7, code: 2304, message: 'There is no "Bok".' };
const JOB = { id: 'j', kind: 'migration', state: 'running', progress: 0, step: '001', log: [] };
const DRY_RUN = {
  name: '001',
  version: 2,
  outcome: 'completed',
  error: null,
  nodes: [{ type: 'Book', created: 1, changed: 20, deleted: 0 }],
  edges: [],
  log: [{ at: AT, text: 'tried' }],
  tookMs: 5,
};
const NOT_FOUND = { error: { code: 'migration_not_found', message: 'none' }, traceId: 't' };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trellis-migration-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function start() {
  const saved =
    (status: number) =>
    ({ body }: { readonly body: string }) => ({
      status,
      body: { ...MIGRATION, status: 'pending', ...JSON.parse(body) },
    });
  const service = await startService({
    'GET /api/migrations': () => ({
      body: { items: [MIGRATION], total: 1, skip: 0, take: 1000 },
    }),
    'POST /api/migrations': saved(201),
    'GET /api/migrations/001': () => ({ body: MIGRATION }),
    'PUT /api/migrations/001': saved(200),
    'PUT /api/migrations/002': () => ({ status: 404, body: NOT_FOUND }),
    'PUT /api/migrations/wrong': () => ({
      body: { ...MIGRATION, name: 'wrong', compiles: false, diagnostics: [DIAGNOSTIC] },
    }),
    'DELETE /api/migrations/001': () => ({ status: 204 }),
    'POST /api/migrations/run': () => ({ status: 202, body: JOB }),
    'POST /api/migrations/001/dry-run': () => ({ body: DRY_RUN }),
    'POST /api/migrations/broken/dry-run': () => ({
      body: { ...DRY_RUN, outcome: 'failed', error: MIGRATION.error, nodes: [] },
    }),
    'POST /api/migrations/cancel': () => ({ body: { ...MIGRATION, status: 'cancelled' } }),
    'POST /api/migrations/reset-task-status': ({ body }) => ({
      body: { reset: Object.values(JSON.parse(body)) },
    }),
  });
  return {
    service,
    sent: () => JSON.parse(service.requests.at(-1)?.body ?? '') as unknown,
    run: (...args: string[]) => trellis(['migration', ...args, '--server', service.url]),
  };
}

it('lists and shows migrations, and deletes one', async () => {
  const { run } = await start();
  const { code, stdout } = await run('list');
  expect([code, stdout.split('\n').map((line) => line.split(/ {2,}/))]).toEqual([
    0,
    [
      ['name', 'status', 'at start', 'ended', 'error'],
      ['001', 'failed', 'yes', AT, 'half way'],
      [''],
    ],
  ]);
  expect((await run('show', '001')).stdout).toMatch(
    /^version +2, ran 1$[^]*^error +migration_failed: half way$[^]*begun/m,
  );
  expect((await run('show', '001', '--code')).stdout.trimEnd()).toBe(MIGRATION.code.trimEnd());
  expect((await run('delete', '001')).stderr).toBe('The migration "001" is deleted.\n');
});

it('saves files: new ones, and those that are there; what does not compile fails', async () => {
  const { run, sent } = await start();
  const file = join(folder, '002.ts');
  await writeFile(file, MIGRATION.code);
  const made = await run('push', file, '--run-on-startup');
  expect([made.code, made.stderr]).toEqual([0, 'The migration "002" is at version 2: pending.\n']);
  expect(sent()).toEqual({ name: '002', code: MIGRATION.code, runOnStartup: true });
  expect((await run('push', file, '--name', '001')).code).toBe(0);
  expect(sent()).toEqual({ code: MIGRATION.code });
  const wrong = await run('push', file, '--name', 'wrong');
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain(`${file}:3:7: There is no "Bok".`);
});

it('runs, cancels and resets', async () => {
  const { run, sent } = await start();
  const begun = await run('run', '001', '--no-wait');
  expect([begun.code, begun.stderr]).toEqual([0, 'It runs as the job j.\n']);
  expect(sent()).toEqual({ name: '001' });
  expect((await run('cancel')).stderr).toBe('The migration "001" has stopped: cancelled.\n');
  expect((await run('reset', '001')).stderr).toBe('Pending now: "001".\n');
  expect((await run('reset')).stderr).toBe('There is none to reset.\n');
});

it('says what a run would change, without running it', async () => {
  const { run, service } = await start();
  const done = await run('run', '001', '--dry-run');
  expect([done.code, done.stderr]).toEqual([0, 'tried\nIt would succeed. Nothing is written.\n']);
  expect(done.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['what', 'type', 'created', 'changed', 'deleted'],
    ['nodes', 'Book', '1', '20', '0'],
    [''],
  ]);
  const failed = await run('run', 'broken', '--dry-run');
  expect([failed.code, failed.stdout]).toEqual([1, 'no changes\n']);
  expect(failed.stderr).toContain('It would fail: half way. Nothing is written.');
  expect(service.requests.map(({ path }) => path)).not.toContain('/api/migrations/run');
  expect((await run('run', '--dry-run')).code).toBe(2);
});
