import { expect, it } from 'vitest';
import { EMBEDDING_BATCH_TEXTS_MAX } from '#base/search-limits.ts';
import { JobRegistry } from '#jobs/job-registry.ts';
import { SERVER } from '#jobs/job-viewer.ts';
import type { EmbedderState } from '#search/embeddings/embedder.ts';
import type { IndexState, RebuildState } from '#search/indexing/search-snapshot.ts';
import { IndexJobs } from './index-jobs.ts';

const REBUILD: RebuildState = {
  types: ['Note', 'Word'],
  done: 0,
  total: 10,
  startedAt: '2026-11-20T00:00:00.000Z',
};
const ADMINISTRATOR = { userUid: null, isAdmin: true, isReadOnlyAdmin: false, scopes: [] };
const MANY = EMBEDDING_BATCH_TEXTS_MAX + 1;

function start() {
  const now = {
    isLost: false,
    rebuild: null as RebuildState | null,
    waiting: 0,
    embedder: {
      status: 'idle',
      embedded: 1_000,
      refused: 0,
      lastError: null,
      retryAt: null,
    } as EmbedderState,
  };
  const jobs = new JobRegistry({
    clock: { now: () => 0 },
    store: undefined,
    redact: (text) => text,
  });
  const index = {
    get isLost() {
      return now.isLost;
    },
    get state(): IndexState {
      const { rebuild, waiting } = now;
      const nothing = { documents: 0, segments: 0, bytes: 0, bytesOnDisk: 0, vectors: [] };
      return { ...nothing, sequence: 1, rebuild, texts: { waiting, refused: 0 } };
    },
  };
  let told = 0;
  const onState = (): void => void told++;
  const indexJobs = new IndexJobs({ jobs, index, embedderState: () => now.embedder, onState });
  const look = (change: Partial<typeof now> = {}) => {
    Object.assign(now, change);
    indexJobs.look();
    return jobs.list(SERVER, { skip: 0, take: 10 }).items;
  };
  return { now, jobs, look, told: () => told };
}

it('tells once of each state that is another one', () => {
  const { look, told } = start();
  look();
  look();
  expect(told()).toBe(1);
  look({ waiting: 7 });
  look({ waiting: 7 });
  expect(told()).toBe(2);
  look({ rebuild: REBUILD });
  look({ rebuild: { ...REBUILD, done: 1 } });
  expect(told()).toBe(4);
});

it('types that are indexed anew are a job from their start to their end', () => {
  const { look } = start();
  expect(look()).toEqual([]);
  expect(look({ rebuild: REBUILD })).toMatchObject([
    { kind: 'index-rebuild', state: 'running', progress: 0, step: 'Indexing Note, Word' },
  ]);
  expect(look({ rebuild: { ...REBUILD, types: ['Word'], done: 5 } })).toMatchObject([
    { state: 'running', progress: 0.5, step: 'Indexing Word' },
  ]);
  // More nodes have come.
  expect(look({ rebuild: { ...REBUILD, done: 5, total: 50 } })).toMatchObject([{ progress: 0.5 }]);
  expect(look({ rebuild: null })).toMatchObject([{ state: 'succeeded', progress: 1 }]);
  expect(look()).toHaveLength(1);
});

it('the next ones are the next job', () => {
  const { look } = start();
  look({ rebuild: REBUILD });
  const next = { ...REBUILD, startedAt: '2026-11-20T00:01:00.000Z', done: 1 };
  expect(look({ rebuild: next })).toMatchObject([
    { state: 'running', progress: 0.1 },
    { state: 'succeeded' },
  ]);
});

it('what nobody goes on with has failed', () => {
  const { look } = start();
  look({ rebuild: REBUILD });
  const failed = [{ state: 'failed', error: { message: 'nothing is indexed any more' } }];
  expect(look({ isLost: true })).toMatchObject(failed);
  expect(look()).toMatchObject(failed);
});

it('texts are a job when they are more than go into one request', () => {
  const { now, jobs, look } = start();
  const { embedder } = now;
  expect(look({ waiting: MANY - 1 })).toEqual([]);
  expect(look({ waiting: MANY, embedder: { ...embedder, status: 'working' } })).toMatchObject([
    { kind: 'embedding-backfill', state: 'running', progress: 0 },
  ]);
  expect(look({ waiting: 60, embedder: { ...embedder, embedded: 1_040 } })).toMatchObject([
    { progress: 0.4, step: 'Embedded 40 texts, 60 wait' },
  ]);
  const lastError = 'the provider does not answer';
  const failing = { ...embedder, embedded: 1_040, status: 'waiting', lastError } as const;
  const [job] = look({ embedder: failing });
  expect(job).toMatchObject({ waitingFor: 'the provider of embeddings' });
  look();
  expect(jobs.get(ADMINISTRATOR, job!.id).log).toMatchObject([{ text: lastError }]);
  const done = { ...embedder, embedded: 1_100 };
  expect(look({ waiting: 0, rebuild: REBUILD, embedder: done })[1]).toMatchObject({
    state: 'running',
  });
  const [, ended] = look({ rebuild: null });
  expect(ended).toMatchObject({ state: 'succeeded', progress: 1 });
  expect(ended).not.toHaveProperty('waitingFor');
});

it('without a provider there is nothing to be done', () => {
  const { now, look } = start();
  const off = { ...now.embedder, status: 'off' } as const;
  expect(look({ waiting: MANY, embedder: off })).toEqual([]);
  look({ embedder: { ...off, status: 'working' } });
  expect(look({ embedder: off })).toMatchObject([{ state: 'cancelled' }]);
});
