import { JOB_NOTICE_INTERVAL_MS } from '#base/limits.ts';
import { JobRegistry } from '#jobs/job-registry.ts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startJobNotices } from './primary-workspace.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function start() {
  const told: string[] = [];
  const jobs = new JobRegistry({
    clock: { now: () => 0 },
    store: undefined,
    redact: (text) => text,
  });
  const notices = startJobNotices(jobs, (message) => {
    if (message.type === 'JOB_CHANGED') told.push(`${message.job.state} ${message.job.progress}`);
  });
  return { told, jobs, notices };
}

it('a beginning and an end are told at once, and progress now and then', () => {
  const { told, jobs } = start();
  const job = jobs.start({ kind: 'index-rebuild', step: 'Reading' });
  expect(told).toEqual(['running 0']);
  for (const progress of [0.1, 0.2, 0.3]) job.report({ progress });
  expect(told).toHaveLength(1);
  vi.advanceTimersByTime(JOB_NOTICE_INTERVAL_MS);
  expect(told.slice(1)).toEqual(['running 0.3']);
  vi.advanceTimersByTime(JOB_NOTICE_INTERVAL_MS);
  expect(told).toHaveLength(2);
  job.report({ progress: 0.4 });
  job.report({ progress: 0.5 });
  job.end('succeeded');
  expect(told.slice(2)).toEqual(['running 0.4', 'succeeded 1']);
  vi.advanceTimersByTime(10 * JOB_NOTICE_INTERVAL_MS);
  expect(told).toHaveLength(4);
});

it('nothing is told once it is over', () => {
  const { told, jobs, notices } = start();
  const job = jobs.start({ kind: 'index-rebuild', step: 'Reading' });
  job.report({ progress: 0.1 });
  notices[Symbol.dispose]();
  vi.advanceTimersByTime(10 * JOB_NOTICE_INTERVAL_MS);
  job.end('succeeded');
  expect(told).toEqual(['running 0']);
});
