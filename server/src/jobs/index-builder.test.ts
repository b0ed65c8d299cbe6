import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { IndexDocument } from '@trellis/contract/shapes/schema-document.ts';
import { INDEX_BUILD_NODES, INDEX_BUILD_STEPS } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { CommitRequest, CommitResult } from '#graph/operations.ts';
import { finishIndexes, indexContent } from '#graph/testing/index-content.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { IndexBuilder } from './index-builder.ts';
import { JobStore } from './job-record.ts';
import { JobRegistry } from './job-registry.ts';

/** A build of them takes three commits. */
const NODES = 2 * INDEX_BUILD_NODES + 10;
const ADMIN = { userUid: 'a', isAdmin: true, isReadOnlyAdmin: false, scopes: [] };
const INDEX = { field: 'S' };

let graph: TestGraph;
let failures: unknown[];
/** Comes before each commit that builders make. */
let beforeCommit: (request: CommitRequest, commits: number) => void | Promise<void>;
let commits: number;
let pause: (signal: AbortSignal, ms: number) => Promise<void>;

beforeEach(async () => {
  graph = await openTestGraph();
  failures = [];
  beforeCommit = () => undefined;
  commits = 0;
  pause = () => Promise.reject(new Error('there is room'));
  await graph.writer.addSystemSchema();
  await graph.addSchema({ nodes: [{ type: 'T', key: 'K', fields: { S: 'String', N: 'Int' } }] });
  const nodes = Array.from({ length: NODES }, (_, i) => ({
    op: 'addOrUpdate' as const,
    type: 'T',
    key: `k${i}`,
    timestamp: i,
    fields: { S: `s${i}`, N: i },
  }));
  await graph.write(...nodes);
});

afterEach(async () => {
  const { held, due } = indexContent(graph);
  expect(held).toEqual(due);
  await graph[Symbol.asyncDispose]();
});

async function commit(request: CommitRequest): Promise<CommitResult> {
  await beforeCommit(request, ++commits);
  return graph.writer.commit(request);
}

/** A process begins. */
function start(): { readonly jobs: JobRegistry; readonly builder: IndexBuilder } {
  const { reader, clock, writer } = graph;
  const onFailure = (error: unknown): void => void failures.push(error);
  const store = new JobStore({ reader, commits: writer, onFailure });
  const jobs = new JobRegistry({ clock, store, redact: (text) => text });
  const wait = (ms: number, signal: AbortSignal) => pause(signal, ms);
  const parts = { reader, commits: { commit }, jobs, pause: wait, onFailure };
  return { jobs, builder: new IndexBuilder(parts) };
}

const list = (jobs: JobRegistry) => jobs.list(ADMIN, { skip: 0, take: 10 }).items;
const states = (jobs: JobRegistry): string =>
  list(jobs)
    .map(({ state }) => state)
    .join(' ');

function add(...added: readonly IndexDocument[]): Promise<void> {
  return graph.addSchema({ nodes: [{ type: 'T', fields: {}, indexes: added }] });
}

function indexes(): readonly string[] {
  graph.reader.refresh();
  return graph.reader
    .indexes()
    .map(({ fields, isReady, entries }) =>
      [fields.join(), isReady ? 'ready' : 'building', entries].join(' '),
    );
}

const isBeingCleared = (): boolean => {
  graph.reader.refresh();
  return graph.reader.indexesBeingRemoved().length > 0;
};

describe('an index builder', () => {
  it('builds what was added, one after the other, and ends its jobs', async () => {
    const { jobs, builder } = start();
    await add(INDEX, { field: 'N' });
    builder.look();
    await expect.poll(() => states(jobs)).toBe('succeeded succeeded');
    expect(indexes()).toEqual([`S ready ${NODES}`, `N ready ${NODES}`]);
    expect(list(jobs)[0]).toMatchObject({ kind: 'schema-index', progress: 1, isCancellable: true });
    await builder[Symbol.asyncDispose]();
    expect(failures).toEqual([]);
  });

  it('waits where the disk is full, builds on when there is room, and removes so', async () => {
    const { jobs, builder } = start();
    const full = new Problem('storage_full', 'no room');
    let pauses = 0;
    let hasRoom = false;
    beforeCommit = () => {
      if (!hasRoom) throw full;
    };
    pause = async () => {
      expect(list(jobs)[0]).toMatchObject({
        state: 'running',
        step: expect.stringMatching('no room'),
      });
      hasRoom = ++pauses % 3 === 0;
    };
    await add(INDEX);
    builder.look();
    await expect.poll(() => states(jobs)).toBe('succeeded');
    expect(indexes()).toEqual([`S ready ${NODES}`]);
    expect(pauses).toBe(3);
    hasRoom = false;
    pause = async () => void (hasRoom = true);
    const remove = { type: 'T', fields: ['S'] };
    await graph.writer.commit({ operations: [], system: true, indexWork: { remove } });
    builder.look();
    await expect.poll(isBeingCleared).toBe(false);
    expect(failures).toEqual([]);
  });

  it('that waits for room ends when it is closed or its job is cancelled', async () => {
    const { jobs, builder } = start();
    beforeCommit = ({ indexWork }) => {
      if (indexWork !== undefined && 'build' in indexWork) throw new Problem('storage_full', '');
    };
    let waits = 0;
    pause = async () => {
      if (++waits === 2) jobs.cancel(ADMIN, list(jobs)[0]!.id);
    };
    await add(INDEX);
    builder.look();
    await expect.poll(() => states(jobs)).toBe('cancelled');
    expect(indexes()).toEqual([]);
    const closing = { pause: Promise.withResolvers<void>() };
    pause = () => {
      waits++;
      return closing.pause.promise;
    };
    await add({ field: 'N' });
    builder.look();
    await expect.poll(() => waits).toBe(3);
    const closed = builder[Symbol.asyncDispose]();
    closing.pause.resolve();
    await closed;
    expect(indexes()).toEqual(['N building 0']);
    jobs[Symbol.dispose]();
    expect(failures).toEqual([]);
    await finishIndexes(graph);
  });

  it('looks again when it is asked after it has looked for the last time', async () => {
    const { jobs, builder } = start();
    const schema = { nodes: [{ type: 'T', fields: {}, indexes: [INDEX] }], edges: [] };
    await graph.writer.commit({ operations: [], schema });
    // The first look sees the state as it was before.
    vi.spyOn(graph.reader, 'refresh').mockImplementationOnce(() => graph.reader.sequence);
    builder.look();
    builder.look();
    await expect.poll(() => states(jobs)).toBe('succeeded');
    expect(indexes()).toEqual([`S ready ${NODES}`]);
    await builder[Symbol.asyncDispose]();
  });

  it('takes away an index whose job is cancelled, with all of its entries', async () => {
    const { jobs, builder } = start();
    beforeCommit = (_, count) => {
      if (count === 2) jobs.cancel(ADMIN, list(jobs)[0]!.id);
    };
    await add(INDEX, { field: 'N' });
    builder.look();
    await expect.poll(() => states(jobs)).toBe('succeeded cancelled');
    await expect.poll(isBeingCleared).toBe(false);
    expect(indexes()).toEqual([`N ready ${NODES}`]);
    await builder[Symbol.asyncDispose]();
    expect(failures).toEqual([]);
  });

  it('ends its job as failed when a commit fails, and takes the index away', async () => {
    const { jobs, builder } = start();
    beforeCommit = (_, count) => {
      if (count === 2) throw new Problem('storage_corrupt', 'no room');
    };
    await add(INDEX);
    builder.look();
    await expect.poll(() => states(jobs)).toBe('failed');
    expect(list(jobs)[0]).toMatchObject({ error: { code: 'storage_corrupt' } });
    await expect.poll(isBeingCleared).toBe(false);
    expect(indexes()).toEqual([]);
    await builder[Symbol.asyncDispose]();
  });

  it('ends its job when nothing at all can be written, and goes on when something can', async () => {
    const { jobs, builder } = start();
    beforeCommit = (_, count) => {
      if (count >= 2) throw new Problem('storage_corrupt', 'no room');
    };
    const waits = Promise.withResolvers<AbortSignal>();
    pause = (signal) => {
      waits.resolve(signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    await add(INDEX);
    builder.look();
    expect((await waits.promise).aborted).toBe(false);
    expect(states(jobs)).toBe('failed');
    expect(indexes()).toEqual([`S building ${INDEX_BUILD_NODES}`]);
    beforeCommit = () => undefined;
    builder.look();
    await expect.poll(() => states(jobs)).toBe('succeeded failed');
    expect(indexes()).toEqual([`S ready ${NODES}`]);
    await builder[Symbol.asyncDispose]();
    expect(failures).toHaveLength(1);
  });

  it('tries again by itself when the entries of a removed index could not be deleted', async () => {
    const { jobs, builder } = start();
    await add(INDEX);
    builder.look();
    await expect.poll(() => states(jobs)).toBe('succeeded');
    let fails = 3;
    beforeCommit = () => {
      if (fails-- > 0) throw new Problem('storage_failed', 'the disk is away');
    };
    const waited: number[] = [];
    pause = async (_, ms) => void waited.push(ms);
    const remove = { type: 'T', fields: ['S'] };
    await graph.writer.commit({ operations: [], system: true, indexWork: { remove } });
    builder.look();
    await expect.poll(isBeingCleared).toBe(false);
    expect(waited).toEqual([2_000, 4_000, 8_000]);
    await builder[Symbol.asyncDispose]();
    expect(failures).toHaveLength(3);
  });

  it('names the nodes that keep an index from being unique, and leaves the others alone', async () => {
    const { jobs, builder } = start();
    await graph.write({ op: 'update', type: 'T', key: 'k3', fields: { S: 's5' } });
    await add({ ...INDEX, unique: true }, { field: 'N', unique: true });
    builder.look();
    await expect.poll(() => states(jobs)).toBe('succeeded failed');
    const uid = graph.reader.uid(graph.idOf('T', 'k3')) ?? '';
    expect(list(jobs)[1]).toMatchObject({ error: { code: 'not_unique' } });
    expect(list(jobs)[1]?.error?.message).toContain(uid);
    await expect.poll(isBeingCleared).toBe(false);
    expect(indexes()).toEqual([`N ready ${NODES}`]);
    await builder[Symbol.asyncDispose]();
  });

  it('is followed by another where it was stopped, and its job is found interrupted', async () => {
    const first = start();
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    beforeCommit = async (_, count) => {
      if (count !== 2) return;
      reached.resolve();
      await goOn.promise;
    };
    await add(INDEX);
    first.builder.look();
    await reached.promise;
    const stopped = first.builder[Symbol.asyncDispose]();
    goOn.resolve();
    await stopped;
    first.jobs[Symbol.dispose]();
    expect(commits).toBe(2);
    expect(indexes()).toEqual([`S building ${2 * INDEX_BUILD_NODES}`]);
    first.builder.look();
    await graph.write({
      op: 'update',
      type: 'T',
      key: 'k1',
      timestamp: NODES + 1,
      fields: { S: 'x' },
    });
    const second = start();
    second.builder.look();
    await expect.poll(() => states(second.jobs)).toBe('succeeded');
    expect(commits).toBe(3);
    expect(indexes()).toEqual([`S ready ${NODES}`]);
    await second.builder[Symbol.asyncDispose]();
    expect(failures).toEqual([]);
  });

  it('has several steps on their way, whatever becomes of one', async () => {
    const more = Array.from({ length: 6 * INDEX_BUILD_NODES }, (_, i) => ({
      op: 'addOrUpdate' as const,
      type: 'T',
      key: `m${i}`,
      timestamp: i,
      fields: { S: `s${i % 700} ${i}`, N: -i },
    }));
    await graph.write(...more);
    const total = NODES + more.length;
    const { jobs, builder } = start();
    let onTheirWay = 0;
    let most = 0;
    beforeCommit = async (_, count) => {
      if (count === 7) throw new Problem('storage_full', 'no room');
      most = Math.max(most, ++onTheirWay);
      await Promise.resolve();
      onTheirWay--;
    };
    pause = async () => undefined;
    // The second is built along.
    await add(INDEX, { field: 'N' });
    builder.look();
    await expect.poll(() => states(jobs)).toBe('succeeded succeeded');
    expect(indexes()).toEqual([`S ready ${total}`, `N ready ${total}`]);
    expect(most).toBe(INDEX_BUILD_STEPS);
    // One that found no room, and one for the second index.
    expect(commits).toBe(Math.ceil(total / INDEX_BUILD_NODES) + 2);

    commits = 0;
    beforeCommit = (_, count) => {
      if (count === 2) throw new Problem('storage_corrupt', 'damage');
    };
    await add({ fields: ['N', 'S'] });
    builder.look();
    await expect.poll(() => states(jobs)).toBe('failed succeeded succeeded');
    await expect.poll(isBeingCleared).toBe(false);
    expect(indexes()).toEqual([`S ready ${total}`, `N ready ${total}`]);

    commits = 0;
    beforeCommit = () => undefined;
    // Newest first: the first one has the values.
    const [holder, ...later] = [2 * INDEX_BUILD_NODES, INDEX_BUILD_NODES, 5, 0].map((i) => `m${i}`);
    await graph.write(
      ...[holder, ...later].map((key) => ({
        op: 'update' as const,
        type: 'T',
        key: key ?? '',
        fields: { S: 's5', N: 5 },
      })),
    );
    await add({ fields: ['S', 'N'], unique: true });
    builder.look();
    await expect.poll(() => states(jobs)).toBe('failed failed succeeded succeeded');
    const message = list(jobs)[0]?.error?.message;
    for (const key of later) {
      expect(message).toContain(graph.reader.uid(graph.idOf('T', key)));
    }
    await expect.poll(isBeingCleared).toBe(false);
    await builder[Symbol.asyncDispose]();
    expect(failures).toEqual([]);
  });

  it('does not call a build done whose index is removed meanwhile', async () => {
    const { jobs, builder } = start();
    beforeCommit = async ({ indexWork }, count) => {
      if (count !== 2 || indexWork === undefined || !('build' in indexWork)) return;
      const remove = { type: 'T', fields: ['S'] };
      await graph.writer.commit({ operations: [], system: true, indexWork: { remove } });
      await add(INDEX);
      builder.look();
    };
    await add(INDEX);
    builder.look();
    await expect.poll(() => states(jobs)).toBe('succeeded cancelled');
    await expect.poll(isBeingCleared).toBe(false);
    expect(indexes()).toEqual([`S ready ${NODES}`]);
    await builder[Symbol.asyncDispose]();
    expect(failures).toEqual([]);
  });
});
