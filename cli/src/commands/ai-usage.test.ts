import { expect, it } from 'vitest';
import { scratchFolder, trellis } from '../testing/command-line.ts';
import { startService } from '../testing/service.ts';

const USE = {
  day: '2026-11-21',
  token: 't1',
  user: 'u1',
  calls: 3,
  inputTokens: 1_200,
  outputTokens: 34,
  split: [{ feature: 'chat', model: 'large', calls: 3, inputTokens: 1_200, outputTokens: 34 }],
};
const BUDGET = {
  user: 'u1',
  day: '2026-11-21',
  resetsAt: '2026-11-22T00:00:00.000Z',
  tokensPerDay: 2_000,
  tokensUsed: 1_234,
  tokensReserved: 66,
  tokensLeft: 700,
  requestsAtOnceMax: 64,
  requestsPerMinuteMax: 1_000,
  tokens: [{ token: 't1', requestsUnderWay: 1, requestsBegun: 2 }],
  split: USE.split,
};
const STATE = {
  status: 'failing',
  lastAnswerAt: null,
  lastErrorAt: '2026-11-21T12:00:00.000Z',
  lastError: 'The provider cannot be reached.',
  further: [
    { name: 'local', status: 'ok', lastAnswerAt: null, lastErrorAt: null, lastError: null },
  ],
};

async function ask(...args: string[]) {
  const service = await startService({
    'GET /api/llm/usage': () => ({
      body: { items: [USE], total: 1, skip: 0, take: 200, budget: BUDGET },
    }),
    'GET /api/llm/state': () => ({ body: STATE }),
  });
  return trellis(['ai', ...args, '--server', service.url], { env: { HOME: scratchFolder() } });
}

it('lists what was used', async () => {
  const { code, stdout } = await ask('usage');
  expect(code).toBe(0);
  const [headings, row] = stdout.split('\n').map((line) => line.split(/ {2,}/));
  expect(headings).toEqual(['DAY', 'TOKEN', 'USER', 'CALLS', 'TOKENS IN', 'TOKENS OUT']);
  expect(row).toEqual(['2026-11-21', 't1', 'u1', '3', '1200', '34']);
  expect(JSON.parse((await ask('usage', '--json')).stdout)).toEqual([USE]);
});

it('lists what was used for what', async () => {
  const { stdout } = await ask('usage', '--split');
  const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
  expect(rows.slice(0, 2)).toEqual([
    ['DAY', 'TOKEN', 'USER', 'FEATURE', 'MODEL', 'CALLS', 'TOKENS IN', 'TOKENS OUT'],
    ['2026-11-21', 't1', 'u1', 'chat', 'large', '3', '1200', '34'],
  ]);
});

it('tells what is left', async () => {
  const { stdout } = await ask('budget');
  expect(stdout).toContain('700 of 2000 tokens are left until 2026-11-22T00:00:00.000Z; 1234 are');
  expect(stdout).toMatch(/t1 +1 +2\n/);
  expect(stdout).toMatch(/chat +large +3 +1200 +34\n/);
  expect(JSON.parse((await ask('budget', '--json')).stdout)).toEqual(BUDGET);
});

it('tells whether the provider answers', async () => {
  const { stdout } = await ask('state');
  expect(stdout).toBe(
    'failing\n2026-11-21T12:00:00.000Z: The provider cannot be reached.\nlocal: ok\n',
  );
  expect(JSON.parse((await ask('state', '--json')).stdout)).toEqual(STATE);
});
