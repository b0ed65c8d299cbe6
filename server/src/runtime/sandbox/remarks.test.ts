import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  ENDPOINT_LOG_CHARACTERS_MAX,
  ENDPOINT_LOG_LINES_MAX,
  ENDPOINT_PROGRESS_EVERY_MS,
} from '#base/endpoint-limits.ts';
import { openTestPool, type TestPool } from '../testing/test-pool.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await openTestPool();
});
afterAll(() => pool[Symbol.asyncDispose]());

const PATIENT = { timeoutMs: 60_000 };

it('progress in a tight loop costs nothing, and the newest is what is told', async () => {
  const told: unknown[] = [];
  const code = `
    for (let i = 1; i <= 1e5; i++) scope.progress(i / 1e5, 'x'.repeat(5e3));
    return 'done';`;
  const onProgress = (progress: unknown) => told.push(progress);
  expect(await pool.run(code, { ...PATIENT, onProgress })).toBe('done');
  expect(told).toEqual([{ fraction: 1, text: 'x'.repeat(200) }]);
});

it('of progress over many turns, so much leaves the worker in a second, and the last in any case', async () => {
  const told: { readonly fraction: number }[] = [];
  const code = `
    for (let i = 1; i <= 2_000; i++) {
      scope.progress(i / 2_000);
      await scope.graph.tryGet('Book', 'none');
    }
    return Date.now() - scope.body;`;
  const began = performance.now();
  const onProgress = (progress: unknown) => told.push(progress as { fraction: number });
  await pool.run(code, { ...PATIENT, body: String(Date.now()), onProgress });
  const turns = (performance.now() - began) / ENDPOINT_PROGRESS_EVERY_MS;
  expect(told.length).toBeLessThanOrEqual(Math.ceil(turns) + 2);
  expect(told.at(-1)).toMatchObject({ fraction: 1 });
});

it('a log in a tight loop is counted, cut, and said to be', async () => {
  pool.log.length = 0;
  const code = `
    for (let i = 0; i < 2e5; i++) scope.log.info('y'.repeat(2e4) + i);
    return 'done';`;
  expect(await pool.run(code, PATIENT)).toBe('done');
  const messages = pool.log.map(({ message }) => message);
  expect(messages).toHaveLength(ENDPOINT_LOG_LINES_MAX + 1);
  expect(messages[0]).toHaveLength(ENDPOINT_LOG_CHARACTERS_MAX);
  expect(messages.slice(-2)).toEqual([
    'this run logs too much: the rest is left out',
    `${2e5 - ENDPOINT_LOG_LINES_MAX + 1} more lines of this run were left out`,
  ]);
});

it('a log below its limit is whole', async () => {
  pool.log.length = 0;
  const lines = ENDPOINT_LOG_LINES_MAX - 1;
  await pool.run(`for (let i = 0; i < ${lines}; i++) scope.log.info('z' + i);`, PATIENT);
  expect(pool.log.map(({ message }) => message)).toEqual(
    Array.from({ length: lines }, (_, i) => `z${i}`),
  );
});
