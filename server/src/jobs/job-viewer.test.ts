import { describe, expect, it } from 'vitest';
import { problemOf } from '#graph/testing/test-graph.ts';
import { JobRegistry } from './job-registry.ts';

const ADMIN = { userUid: 'a', isAdmin: true, isReadOnlyAdmin: false };
const NOBODY = { userUid: null, isAdmin: false, isReadOnlyAdmin: false };

const start = (): JobRegistry =>
  new JobRegistry({ clock: { now: () => 0 }, store: undefined, redact: (text) => text });
const only = (jobs: JobRegistry) => jobs.list({ skip: 0, take: 1 }).items[0]!;

describe('a job that waits for its turn', () => {
  const wanted = {
    kind: 'deep-research',
    step: 'Waiting',
    isCancellable: true,
    isQueued: true,
  } as const;

  it('begins when its turn has come', () => {
    const jobs = start();
    const job = jobs.start(wanted);
    job.report({ waitingFor: '1 research before it' });
    expect(only(jobs)).toMatchObject({ id: job.id, state: 'queued', step: 'Waiting', progress: 0 });
    expect(only(jobs)).toMatchObject({ waitingFor: '1 research before it' });
    job.begin('Planning');
    expect(only(jobs)).toMatchObject({ state: 'running', step: 'Planning' });
    expect(only(jobs)).not.toHaveProperty('waitingFor');
    job.end('succeeded');
    job.begin('Planning');
    expect(only(jobs)).toMatchObject({ state: 'succeeded' });
  });
});

describe('a job of somebody', () => {
  const READER = { ...NOBODY, isReadOnlyAdmin: true };
  const from = { after: undefined, signal: AbortSignal.abort() };

  it('is seen and ended by them, and by administrators', async () => {
    const jobs = start();
    const { id } = jobs.start({
      kind: 'deep-research',
      step: 'Planning',
      owner: 'ann',
      isCancellable: true,
    });
    const ann = { ...NOBODY, userUid: 'ann' };
    for (const viewer of [ann, ADMIN, READER]) {
      expect(jobs.get(viewer, id)).toMatchObject({ id });
      expect(await Array.fromAsync(jobs.watch(viewer, id, from))).toEqual([]);
    }
    for (const viewer of [NOBODY, { ...NOBODY, userUid: 'bob' }]) {
      const forbidden = { code: 'forbidden', details: { role: 'admin' } };
      expect(await problemOf(() => jobs.get(viewer, id))).toMatchObject(forbidden);
      expect(await problemOf(() => jobs.watch(viewer, id, from))).toMatchObject(forbidden);
      expect(await problemOf(() => jobs.get(viewer, 'none'))).toMatchObject(forbidden);
    }
    for (const viewer of [NOBODY, READER, { ...ADMIN, isReadOnlyAdmin: true }]) {
      const forbidden = { code: 'forbidden', details: { role: 'admin-write' } };
      expect(await problemOf(() => jobs.cancel(viewer, id))).toMatchObject(forbidden);
    }
    expect(jobs.cancel(ann, id)).toMatchObject({ id });
  });

  it('that is nobody’s is for administrators', async () => {
    const jobs = start();
    const { id } = jobs.start({ kind: 'index-rebuild', step: 'Reading' });
    expect(await problemOf(() => jobs.get(NOBODY, id))).toMatchObject({ code: 'forbidden' });
  });
});
