import { describe, expect, it } from 'vitest';
import { trellis } from '../testing/command-line.ts';
import { refusal, startService } from '../testing/service.ts';

const BACKUP = {
  id: '20261121T184000000Z-0f3a9c21',
  createdAt: '2026-11-21T18:40:00.000Z',
  completedAt: '2026-11-21T18:40:03.000Z',
  sequence: 1_234,
  epoch: '0'.repeat(32),
  version: '26.11.0',
  isEncrypted: false,
  nodes: 20,
  edges: 10,
  bytes: 4_500_000,
  newBytes: 100_000,
  hasLog: true,
};
const JOB = {
  id: 'j1',
  kind: 'backup',
  state: 'running',
  progress: 0.5,
  step: 'Reading the state: 2 MiB',
  isCancellable: true,
  startedAt: BACKUP.createdAt,
  endedAt: null,
  log: [],
};
const DONE = {
  ...JOB,
  state: 'succeeded',
  progress: 1,
  endedAt: BACKUP.completedAt,
  log: [{ at: BACKUP.completedAt, text: 'Backup made' }],
};
const FAILED = {
  ...DONE,
  state: 'failed',
  error: { code: 'backup_corrupt', message: '1 of 9 pieces are damaged' },
};

async function start() {
  const events = (end: object): string =>
    [JOB, end].map((job) => `event: job\ndata: ${JSON.stringify(job)}\n\n`).join('') +
    'event: end\ndata: {}\n\n';
  const service = await startService({
    'GET /api/admin/backups': () => ({
      body: { items: [BACKUP], total: 1, skip: 0, take: 50, target: '/srv/backups' },
    }),
    'POST /api/admin/backup/run': () => ({ status: 202, body: JOB }),
    'POST /api/admin/backups/b1/verify': () => ({ status: 202, body: { ...JOB, id: 'j2' } }),
    'DELETE /api/admin/backups/b1': () => ({ status: 204 }),
    'DELETE /api/admin/backups/b2': () => refusal(404, 'backup_not_found'),
    'GET /api/jobs/j1/events': () => ({ text: events(DONE) }),
    'GET /api/jobs/j1': () => ({ body: DONE }),
    'GET /api/jobs/j2/events': () => ({ text: events(FAILED) }),
    'GET /api/jobs/j2': () => ({ body: FAILED }),
  });
  return (...args: string[]) => trellis(['backup', ...args, '--server', service.url]);
}

describe('backup', () => {
  it('run prints the job, or waits for its end', async () => {
    const backup = await start();
    const begun = await backup('run');
    expect([begun.code, begun.stdout.trim()]).toEqual([0, 'j1']);
    expect(begun.stderr).toContain('trellis job watch j1');
    expect(JSON.parse((await backup('run', '--json')).stdout)).toEqual(JOB);
    const ended = await backup('run', '--watch');
    expect([ended.code, ended.stdout.trim()]).toEqual([0, 'Backup made']);
  });

  it('list shows what there is', async () => {
    const backup = await start();
    const { stdout } = await backup('list');
    expect(stdout.split('\n')[1]?.split(/ {2,}/)).toEqual([
      BACKUP.id,
      BACKUP.createdAt,
      '1234',
      '20',
      '10',
      '4.3 MiB',
      '97.7 KiB',
    ]);
    expect(JSON.parse((await backup('list', '--json')).stdout)).toEqual([BACKUP]);
  });

  it('verify tells why a backup is not good', async () => {
    const backup = await start();
    const { code, stderr } = await backup('verify', 'b1', '--watch');
    expect([code, stderr]).toEqual([1, expect.stringContaining('1 of 9 pieces are damaged')]);
    expect((await backup('verify', 'b1')).code).toBe(0);
  });

  it('delete says so, or that there is none', async () => {
    const backup = await start();
    expect((await backup('delete', 'b1')).stderr).toContain('b1 is deleted');
    expect(JSON.parse((await backup('delete', 'b1', '--json')).stdout)).toEqual({ id: 'b1' });
    expect((await backup('delete', 'b2')).code).toBe(1);
  });
});

describe('restore', () => {
  it('refuses a point that is none, and a folder without backups', async () => {
    const odd = await trellis(['restore', '/nonexistent/backups', '--at', 'yesterday']);
    expect([odd.code, odd.stderr]).toEqual([1, expect.stringContaining('is no point to restore')]);
    const help = await trellis(['restore', '--help']);
    expect(help.stdout).toContain('--at <point>');
  });
});
