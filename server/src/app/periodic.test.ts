import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startPeriodic } from './periodic.ts';

const unexpected = (error: unknown): void => expect.fail(String(error));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('runs at every interval, and once more at the end', async () => {
  const run = vi.fn<() => Promise<void>>(async () => {});
  const periodic = startPeriodic(1_000, run, unexpected);
  await vi.advanceTimersByTimeAsync(999);
  expect(run).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(2_001);
  expect(run).toHaveBeenCalledTimes(3);
  await periodic[Symbol.asyncDispose]();
  expect(run).toHaveBeenCalledTimes(4);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(run).toHaveBeenCalledTimes(4);
});

test('never runs twice at a time, and the end waits for the run before it', async () => {
  const first = Promise.withResolvers<void>();
  const run = vi.fn<() => Promise<void>>(() => first.promise);
  const periodic = startPeriodic(1_000, run, unexpected);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(run).toHaveBeenCalledTimes(1);
  const ended = periodic[Symbol.asyncDispose]();
  await vi.advanceTimersByTimeAsync(0);
  expect(run).toHaveBeenCalledTimes(1);
  first.resolve();
  await ended;
  expect(run).toHaveBeenCalledTimes(2);
});

test('tells of a failure and goes on', async () => {
  const failures: unknown[] = [];
  const run = vi.fn<() => Promise<void>>(() => Promise.reject(new Error('full')));
  await using _periodic = startPeriodic(1_000, run, (error) => failures.push(error));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(failures).toEqual([new Error('full'), new Error('full')]);
});
