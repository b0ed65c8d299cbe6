import { describe, expect, it } from 'vitest';
import { trellis } from '../testing/command-line.ts';
import { refusal, startService } from '../testing/service.ts';

const JOB = {
  id: 'j1',
  kind: 'index-rebuild',
  state: 'running',
  progress: 0.429,
  step: 'Indexing Word',
  isCancellable: false,
  startedAt: '2026-11-20T00:00:00.000Z',
  endedAt: null,
};
const LOG = [{ at: '2026-11-20T00:00:01.000Z', text: 'begun\u001b[2J' }];
const FAILED = {
  ...JOB,
  state: 'failed',
  endedAt: '2026-11-20T00:01:00.000Z',
  error: { code: 'storage_full', message: 'no room' },
};

const event = (name: string, data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

async function start(end: object = { ...JOB, state: 'succeeded', progress: 1 }) {
  const service = await startService({
    'GET /api/jobs': () => ({ body: { items: [JOB], total: 1, skip: 0, take: 50 } }),
    'GET /api/jobs/j1': () => ({ body: { ...FAILED, log: LOG } }),
    'POST /api/jobs/j1/cancel': () => refusal(409, 'job_not_cancellable'),
    'POST /api/jobs/j2/cancel': () => ({ status: 202, body: { ...JOB, id: 'j2' } }),
    'GET /api/jobs/j1/events': () => ({
      text:
        event('log', LOG[0]!) +
        event('job', { ...JOB, waitingFor: 'the provider' }) +
        event('job', end) +
        event('end', {}),
    }),
  });
  return (...args: string[]) => trellis(['job', ...args, '--server', service.url]);
}

describe('job', () => {
  it('list shows how far they are', async () => {
    const job = await start();
    const { code, stdout } = await job('list', '--state', 'running');
    expect(code).toBe(0);
    expect(stdout.split('\n')[1]?.split(/ {2,}/)).toEqual([
      'j1',
      'index-rebuild',
      'running',
      '42 %',
      JOB.startedAt,
      'Indexing Word',
    ]);
    expect(JSON.parse((await job('list', '--json')).stdout)).toEqual([JOB]);
    expect((await job('list', '--state', 'over')).code).toBe(2);
  });

  it('show tells why one failed, with its log', async () => {
    const job = await start();
    const { stdout } = await job('show', 'j1');
    expect(stdout).toMatch(/^error {7}storage_full: no room$/m);
    expect(stdout).toContain('2026-11-20T00:00:01.000Z begun\ufffd[2J');
    expect(JSON.parse((await job('show', 'j1', '--json')).stdout)).toEqual({ ...FAILED, log: LOG });
  });

  it('cancel asks, and tells a refusal', async () => {
    const job = await start();
    expect(await job('cancel', 'j2')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'The job j2 was asked to end.\n',
    });
    const refused = await job('cancel', 'j1');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('job_not_cancellable');
  });

  it('watch follows one to its end, which is the exit code', async () => {
    const good = await (await start())('watch', 'j1');
    expect(good.code).toBe(0);
    expect(good.stdout.trimEnd().split('\n')).toEqual([
      '2026-11-20T00:00:01.000Z begun\ufffd[2J',
      '42 % running - Indexing Word, waiting for the provider',
      '100 % succeeded - Indexing Word',
    ]);
    const bad = await (await start(FAILED))('watch', 'j1', '--json');
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.stdout.trimEnd().split('\n').at(-1)!)).toEqual(FAILED);
  });
});
