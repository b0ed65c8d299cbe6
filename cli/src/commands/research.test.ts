import { expect, it } from 'vitest';
import { trellis } from '../testing/command-line.ts';
import { type Answer, refusal, startService } from '../testing/service.ts';

const LIMITS = { queued: 20, running: 2, runsPerUser: 2, steps: 80, tokens: 500_000, minutes: 15 };
const AT = '2026-11-20T00:00:00.000Z';
const RUN = { chatUID: 'c1', jobId: 'j1', user: { uid: 'u', name: 'ann' }, startedAt: AT };
const SETTINGS = {
  limits: LIMITS,
  defaults: { ...LIMITS, steps: 60 },
  researchers: [{ name: 'Facts', instructions: 'Find facts.' }],
  running: [{ ...RUN, step: 'Planning\u001b[2J' }],
  queued: [{ ...RUN, chatUID: 'c2', step: 'Waiting' }],
};
const JOB = {
  id: 'j1',
  kind: 'deep-research',
  state: 'running',
  progress: 0,
  step: 'Planning',
  isCancellable: true,
  startedAt: AT,
  endedAt: null,
};

async function start(settings: object = SETTINGS, cancelled: Answer = { status: 202, body: JOB }) {
  const service = await startService({
    'GET /api/chatai/deep-research/settings': () => ({ body: settings }),
    'POST /api/chatai/deep-research/settings': () => ({ body: settings }),
    'POST /api/chatai/deep-research/cancel': () => cancelled,
  });
  const run = (...args: string[]) => trellis(['research', ...args, '--server', service.url]);
  return { service, run };
}

it('shows limits, and what is under way and waits', async () => {
  const { run } = await start();
  const { code, stdout } = await run('settings');
  const lines = stdout.split('\n').map((line) => line.split(/ {2,}/));
  expect(code).toBe(0);
  expect(lines).toContainEqual(['steps', '80', '60']);
  expect(lines).toContainEqual(['Researchers: Facts']);
  expect(lines).toContainEqual(['c1', 'j1', 'ann', 'running', AT, 'Planning\ufffd[2J']);
  expect(lines).toContainEqual(['c2', 'j1', 'ann', 'queued', AT, 'Waiting']);
  expect(JSON.parse((await run('settings', '--json')).stdout)).toEqual(SETTINGS);
  const idle = await start({ ...SETTINGS, running: [], queued: [] });
  expect((await idle.run('settings')).stdout).toContain('No research is under way.');
});

it('sets limits', async () => {
  const { run, service } = await start();
  expect((await run('settings', '--limit', 'steps=80', 'minutes=0')).code).toBe(0);
  const { body } = service.requests.at(-1)!;
  expect(JSON.parse(body)).toEqual({ limits: { steps: 80, minutes: 0 } });
  expect((await run('settings', '--limit', 'steps=many')).code).toBe(2);
});

it('stops one, and says when there is none', async () => {
  const { run } = await start();
  expect(await run('cancel', 'c1')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'The research in c1 was asked to end.\n',
  });
  expect(JSON.parse((await run('cancel', 'c1', '--json')).stdout)).toEqual(JOB);
  const idle = await start(SETTINGS, refusal(404, 'research_not_found'));
  const none = await idle.run('cancel', 'c3');
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('research_not_found')]);
});
