import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JOB_LOG_LINES_MAX, JOB_TEXT_CHARACTERS_MAX, JOBS_KEPT } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { openTestGraph, problemOf, type TestGraph } from '#graph/testing/test-graph.ts';
import { JobRegistry, type RunningJob } from './job-registry.ts';
import { JobStore } from './job-record.ts';

let graph: TestGraph;
const failures: unknown[] = [];
beforeEach(async () => {
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
});
afterEach(async () => {
  await graph[Symbol.asyncDispose]();
  expect(failures.splice(0)).toEqual([]);
});

/** A process begins; the one before is gone. */
function start(storedAfterMs = 60_000): JobRegistry {
  const { reader, writer, clock } = graph;
  const onFailure = (error: unknown): void => void failures.push(error);
  const store = new JobStore({ reader, commits: writer, onFailure });
  const redact = (text: string): string => text.replaceAll('hunter2', '[redacted]');
  return new JobRegistry({ clock, store, redact, storedAfterMs });
}

const ADMIN = { userUid: 'a', isAdmin: true, isReadOnlyAdmin: false, scopes: [] };
const ALL = { skip: 0, take: 1_000 };
const begin = (jobs: JobRegistry, isCancellable = false): RunningJob =>
  jobs.start({ kind: 'index-rebuild', step: 'Reading', isCancellable });
const only = (jobs: JobRegistry) => jobs.list(ADMIN, ALL).items[0]!;
/** Commits are made in the order in which they were asked for: this one comes after them. */
const settled = () => graph.writer.commit({ operations: [] });
const countStored = async (): Promise<number> => {
  await settled();
  graph.reader.refresh();
  return graph.reader.countOfType('_Job');
};

describe('a job', () => {
  it('tells how far it is, never back', () => {
    const jobs = start();
    const job = begin(jobs);
    expect(only(jobs)).toEqual({
      id: expect.stringMatching(/^[\w]{22}$/),
      kind: 'index-rebuild',
      state: 'running',
      progress: 0,
      step: 'Reading',
      isCancellable: false,
      startedAt: new Date(graph.clock.now()).toISOString(),
      endedAt: null,
    });
    job.report({ progress: 0.5, waitingFor: 'the provider' });
    job.report({ progress: 0.2, step: 'Writing' });
    expect(only(jobs)).toMatchObject({
      progress: 0.5,
      step: 'Writing',
      waitingFor: 'the provider',
    });
    job.report({ progress: 7, waitingFor: null });
    expect(only(jobs)).toMatchObject({ progress: 1, step: 'Writing' });
    expect(only(jobs)).not.toHaveProperty('waitingFor');
  });

  it('ends once', () => {
    const jobs = start();
    const job = begin(jobs);
    job.report({ progress: 0.3 });
    graph.clock.time += 5_000;
    job.end('failed', new Problem('storage_full', 'no room'));
    const failed = only(jobs);
    expect(failed).toMatchObject({
      state: 'failed',
      progress: 0.3,
      error: { code: 'storage_full', message: 'no room' },
    });
    expect(Date.parse(failed.endedAt!) - Date.parse(failed.startedAt)).toBe(5_000);
    job.end('succeeded');
    job.report({ progress: 0.9 });
    job.log('too late');
    expect(jobs.get(ADMIN, failed.id)).toEqual({ ...failed, log: [] });
  });

  it('ends as its work does', async () => {
    const jobs = start();
    const wanted = { kind: 'endpoint-recheck', step: 'Checking' } as const;
    expect(await jobs.run(wanted, async () => 7)).toBe(7);
    expect(only(jobs)).toMatchObject({ state: 'succeeded', progress: 1 });
    const broken = jobs.run(wanted, () => Promise.reject(new Error('broken hunter2')));
    await expect(broken).rejects.toThrow('broken hunter2');
    const error = { code: 'internal_error', message: 'broken [redacted]' };
    expect(only(jobs)).toMatchObject({ state: 'failed', error });
  });

  it('keeps the last lines of its log, without secrets and of a bounded length', () => {
    const jobs = start();
    const job = begin(jobs);
    for (let i = 0; i < JOB_LOG_LINES_MAX + 5; i++) job.log(`line ${i}`);
    job.log(`hunter2 ${'x'.repeat(JOB_TEXT_CHARACTERS_MAX)}`);
    const { log } = jobs.get(ADMIN, only(jobs).id);
    expect(log).toHaveLength(JOB_LOG_LINES_MAX);
    expect(log[0]?.text).toBe('line 6');
    expect(log.at(-1)?.text).toMatch(/^\[redacted\] x+\.\.\.$/);
    expect(log.at(-1)?.text).toHaveLength(JOB_TEXT_CHARACTERS_MAX + 3);
  });
});

describe('a cancellation', () => {
  it('aborts the work, which ends the job', async () => {
    const jobs = start();
    const wanted = { kind: 'replica-verification', step: 'Waiting', isCancellable: true } as const;
    const work = jobs.run(
      wanted,
      (job) =>
        new Promise<never>((_, reject) => {
          job.signal.addEventListener('abort', () => reject(job.signal.reason));
        }),
    );
    expect(jobs.cancel(ADMIN, only(jobs).id)).toMatchObject({ isCancellable: true });
    expect(await problemOf(() => work)).toMatchObject({ code: 'job_cancelled' });
    expect(only(jobs)).toMatchObject({ state: 'cancelled' });
    expect(only(jobs)).not.toHaveProperty('error');
  });

  it('is refused where it is not possible', async () => {
    const jobs = start();
    const job = begin(jobs);
    const cancel = () => jobs.cancel(ADMIN, only(jobs).id);
    expect(await problemOf(cancel)).toMatchObject({ code: 'job_not_cancellable' });
    job.end('succeeded');
    expect(await problemOf(cancel)).toMatchObject({ code: 'job_ended' });
    expect(await problemOf(() => jobs.cancel(ADMIN, 'none'))).toMatchObject({
      code: 'job_not_found',
    });
    expect(await problemOf(() => jobs.get(ADMIN, 'none'))).toMatchObject({ code: 'job_not_found' });
  });
});

describe('the list', () => {
  it('is newest first, by state and kind, in pages', () => {
    const jobs = start();
    begin(jobs).end('succeeded');
    begin(jobs);
    jobs.start({ kind: 'endpoint-recheck', step: 'Checking' });
    const kinds = (query: Parameters<JobRegistry['list']>[1]) =>
      jobs.list(ADMIN, query).items.map(({ kind, state }) => `${kind} ${state}`);
    const [recheck, rebuild, done] = [
      'endpoint-recheck running',
      'index-rebuild running',
      'index-rebuild succeeded',
    ];
    expect(kinds(ALL)).toEqual([recheck, rebuild, done]);
    expect(kinds({ ...ALL, state: 'running' })).toEqual([recheck, rebuild]);
    expect(kinds({ ...ALL, state: 'running', kind: 'index-rebuild' })).toEqual([rebuild]);
    expect(jobs.list(ADMIN, { skip: 1, take: 1 })).toMatchObject({
      total: 3,
      items: [{ progress: 0 }],
    });
  });

  it('keeps a bounded number of those that have ended, and all that run', async () => {
    const jobs = start();
    begin(jobs);
    for (let i = 0; i < JOBS_KEPT + 3; i++) {
      graph.clock.time += 1;
      begin(jobs).end('failed', new Error(`number ${i}`));
    }
    expect(jobs.list(ADMIN, ALL).total).toBe(JOBS_KEPT + 1);
    expect(jobs.list(ADMIN, ALL).items.at(-1)).toMatchObject({ state: 'running' });
    expect(jobs.list(ADMIN, ALL).items.at(-2)?.error?.message).toBe('number 3');
    expect(await countStored()).toBe(JOBS_KEPT);
  });
});

describe('after a restart', () => {
  it('those that have ended are there with their logs, and what was running is interrupted', async () => {
    const before = start(0);
    const failing = begin(before);
    failing.log('a line');
    failing.end('failed', new Error('broken'));
    graph.clock.time += 1_000;
    const running = begin(before);
    running.report({ progress: 0.4 });
    await expect.poll(countStored).toBe(2);
    before[Symbol.dispose]();
    // The work ends as the process does: that is no end of the job.
    running.end('succeeded');
    await settled();
    graph.clock.time += 1_000;
    const after = start();
    const [interrupted, failed] = after.list(ADMIN, ALL).items;
    expect(interrupted).toMatchObject({ state: 'interrupted', progress: 0.4 });
    expect(interrupted?.endedAt).toBe(new Date(graph.clock.now()).toISOString());
    expect(after.get(ADMIN, failed!.id)).toMatchObject({
      state: 'failed',
      error: { code: 'internal_error', message: 'broken' },
      log: [{ text: 'a line' }],
    });
    await settled();
    expect(start().list(ADMIN, ALL)).toEqual(after.list(ADMIN, ALL));
  });

  it('one that waits was kept from its beginning, with whose it is', async () => {
    const before = start();
    const wanted = {
      kind: 'deep-research',
      step: 'Waiting',
      isQueued: true,
      owner: 'ann',
    } as const;
    const { id } = before.start(wanted);
    expect(await countStored()).toBe(1);
    before[Symbol.dispose]();
    const ann = { userUid: 'ann', isAdmin: false, isReadOnlyAdmin: false, scopes: [] };
    expect(start().get(ann, id)).toMatchObject({ id, state: 'interrupted' });
  });

  it('work that was done in no time has left no trace', async () => {
    const jobs = start();
    begin(jobs).end('succeeded');
    expect(await countStored()).toBe(0);
    expect(start().list(ADMIN, ALL).total).toBe(0);
  });
});

describe('a watcher', () => {
  const { signal } = new AbortController();

  it('gets what it has not seen, until the job has ended', async () => {
    const jobs = start();
    const job = begin(jobs);
    job.log('first');
    const { id } = only(jobs);
    const seen = jobs.watch(ADMIN, id, { after: undefined, signal })[Symbol.asyncIterator]();
    const first = (await seen.next()).value;
    expect(first).toMatchObject({ job: { progress: 0 }, lines: [{ text: 'first' }] });
    const next = seen.next();
    job.report({ progress: 0.5 });
    expect((await next).value).toMatchObject({ job: { progress: 0.5 }, lines: [] });
    job.log('second');
    job.end('succeeded');
    expect((await seen.next()).value).toMatchObject({
      job: { state: 'succeeded' },
      lines: [{ text: 'second' }],
    });
    expect((await seen.next()).done).toBe(true);

    const since = { after: first.revision, signal };
    const resumed = jobs.watch(ADMIN, id, since)[Symbol.asyncIterator]();
    expect((await resumed.next()).value).toMatchObject({ lines: [{ text: 'second' }] });
    expect((await resumed.next()).done).toBe(true);
  });

  it('after what never was gets all', async () => {
    const jobs = start();
    begin(jobs).log('first');
    const from = { after: 1_000, signal };
    const seen = jobs.watch(ADMIN, only(jobs).id, from)[Symbol.asyncIterator]();
    expect((await seen.next()).value).toMatchObject({ lines: [{ text: 'first' }] });
  });

  it('ends when it is not wanted any more, and is refused where there is no job', async () => {
    const jobs = start();
    begin(jobs);
    const stop = new AbortController();
    const from = { after: 1, signal: stop.signal };
    const seen = jobs.watch(ADMIN, only(jobs).id, from)[Symbol.asyncIterator]();
    const next = seen.next();
    stop.abort();
    expect((await next).done).toBe(true);
    expect(await problemOf(() => jobs.watch(ADMIN, 'none', from))).toMatchObject({
      code: 'job_not_found',
    });
  });
});
