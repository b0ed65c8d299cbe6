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
    'GET /api/llm/usage': () => ({ body: { items: [USE], total: 1, skip: 0, take: 200 } }),
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

it('tells whether the provider answers', async () => {
  const { stdout } = await ask('state');
  expect(stdout).toBe(
    'failing\n2026-11-21T12:00:00.000Z: The provider cannot be reached.\nlocal: ok\n',
  );
  expect(JSON.parse((await ask('state', '--json')).stdout)).toEqual(STATE);
});
