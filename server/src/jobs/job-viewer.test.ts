import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SCOPES } from '@trellis/contract/rights.ts';
import { problemOf } from '#graph/testing/test-graph.ts';
import { JobRegistry } from './job-registry.ts';
import type { JobViewer } from './job-viewer.ts';

const ADMIN = { userUid: 'a', isAdmin: true, isReadOnlyAdmin: false, scopes: [] };
const NOBODY = { userUid: null, isAdmin: false, isReadOnlyAdmin: false, scopes: [] };
const ALL = { skip: 0, take: 100 };

const start = (): JobRegistry =>
  new JobRegistry({ clock: { now: () => 0 }, store: undefined, redact: (text) => text });
const only = (jobs: JobRegistry) => jobs.list(ADMIN, ALL).items[0]!;

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

describe('a token', () => {
  const KINDS = ['backup', 'backup-verification', 'task', 'migration', 'deep-research'] as const;
  const from = { after: undefined, signal: AbortSignal.abort() };
  const cases = fc.subarray([...SCOPES]);
  const kindsOf = (scopes: readonly string[]) => [
    ...(scopes.includes('admin:backup') ? ['backup', 'backup-verification'] : []),
    ...(scopes.includes('admin:tasks') ? ['task'] : []),
  ];

  it('sees and ends the jobs that its scopes begin, and no others', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (scopes) => {
        const jobs = start();
        const token = { ...NOBODY, scopes };
        const its = kindsOf(scopes);
        for (const kind of KINDS) {
          const owner = kind === 'deep-research' ? { owner: 'ann' } : {};
          const { id } = jobs.start({ kind, step: 'Working', isCancellable: true, ...owner });
          if (its.includes(kind)) {
            expect(jobs.get(token, id)).toMatchObject({ id });
            expect(await Array.fromAsync(jobs.watch(token, id, from))).toEqual([]);
            expect(jobs.cancel(token, id)).toMatchObject({ id });
            continue;
          }
          const code = its.length > 0 ? 'job_not_found' : 'forbidden';
          expect(await problemOf(() => jobs.get(token, id))).toMatchObject({ code });
          expect(await problemOf(() => jobs.get(token, 'none'))).toMatchObject({ code });
          expect(await problemOf(() => jobs.watch(token, id, from))).toMatchObject({ code });
          expect(await problemOf(() => jobs.cancel(token, id))).toMatchObject({ code });
        }
        const listed = jobs.list(token, ALL);
        expect(listed.items.map(({ kind }) => kind).toReversed()).toEqual(its);
        expect(listed.total).toBe(its.length);
      }),
    );
  });
});

describe('the list', () => {
  it('has all for administrators, and for a user what is theirs', () => {
    const jobs = start();
    for (const owner of ['ann', 'bob']) jobs.start({ kind: 'deep-research', step: 'x', owner });
    jobs.start({ kind: 'backup', step: 'x' });
    const count = (viewer: JobViewer) => jobs.list(viewer, ALL).total;
    expect(count(ADMIN)).toBe(3);
    expect(count({ ...NOBODY, isReadOnlyAdmin: true })).toBe(3);
    expect(count({ ...NOBODY, userUid: 'ann' })).toBe(1);
    expect(count({ ...NOBODY, userUid: 'carl' })).toBe(0);
    expect(count(NOBODY)).toBe(0);
  });
});
