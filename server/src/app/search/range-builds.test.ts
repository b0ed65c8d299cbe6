import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { settingOperation } from '#access/settings.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { SegmentThreads } from '#search/indexing/rebuild.ts';
import { SEARCH_SETTING } from '#search/settings/search-settings.ts';
import { startThread } from '../threads/thread.ts';
import { BuildThreads } from './segment-threads.ts';
import { IndexedGraph } from './testing/indexed-graph.ts';
import { interleavedThreads } from './testing/interleaved-threads.ts';

const TIMEOUT_MS = 600_000;
const NODES = ['Note', 'Paper'].map((type) => ({
  type,
  key: 'Name',
  fields: { Text: 'String' } as const,
}));
const REQUESTS = ['', 'harbour', 'word7 harbour', '"harbour word3"', 'new', 'wor*', 'paper'].map(
  (query) => ({ query, facets: ['Type'], take: 1_000 }),
);

function note(name: number, text = `harbour word${name % 50}`, type = 'Note'): WriterOperation {
  return { op: 'addOrUpdate', type, key: String(name), fields: { Text: text } };
}

function compare(graph: IndexedGraph): void {
  const { followed, anew } = graph.answers(REQUESTS);
  expect(followed).toEqual(anew);
}

/**
 * Hands what the first of its tasks was built of over when it is told to, so that much can happen
 * between.
 */
class HeldThreads {
  /** Resolved when all of the task is built. */
  built = Promise.withResolvers<void>();
  release = Promise.withResolvers<void>();
  #tasks = 0;

  readonly threads = (ports: Parameters<NonNullable<IndexedGraph['threads']>>[0]) => {
    const made = interleavedThreads({ ...ports, tasksMax: Infinity });
    const build: SegmentThreads['build'] = async (task, onBuilt, signal) => {
      if (this.#tasks++ > 0) return made.build(task, onBuilt, signal);
      const segments: Parameters<typeof onBuilt>[0][] = [];
      await made.build(task, (segment) => void segments.push(segment), signal);
      this.built.resolve();
      await this.release.promise;
      segments.forEach((segment) => onBuilt(segment));
      return undefined;
    };
    return { ...made, count: 2, taskNodesMin: 100, taskNodesMax: 100, build };
  };

  again(): void {
    this.built = Promise.withResolvers();
    this.release = Promise.withResolvers();
    this.#tasks = 0;
  }
}

/** Settings of a type, as they are stored. */
function searched(boost: number, language = '--'): object {
  return { searchable: true, language, fields: { Text: { text: { boost } } } };
}

async function setTypes(graph: IndexedGraph, types: object): Promise<void> {
  await graph.commit({ system: true, operations: [settingOperation(SEARCH_SETTING, { types })] });
  graph.show();
}

test('what changes while another thread builds it is found as it is now', async () => {
  await using graph = await IndexedGraph.open();
  const held = new HeldThreads();
  held.release.resolve();
  graph.threads = held.threads;
  const operations = Array.from({ length: 40 }, (_, name) => note(name));
  await graph.commit({ operations, schema: { nodes: NODES, edges: [] } });
  graph.show();
  graph.start();
  await graph.indexed();

  held.again();
  await setTypes(graph, { Note: searched(2) });
  await held.built.promise;
  await graph.commit({
    operations: [
      note(3, 'harbour new'),
      { op: 'delete', type: 'Note', key: '4' },
      note(41, 'new paper'),
      // To another place of the walk, as it is a time that decides on it.
      { op: 'addOrUpdate', type: 'Note', key: '5', timestamp: Date.UTC(2020, 0, 1) },
    ],
  });
  graph.show();
  await graph.followed();
  held.release.resolve();
  await graph.indexed();
  compare(graph);
  expect(graph.rebuilds).toBeGreaterThan(0);
});

test('what is built of a type that begins again is of no use', async () => {
  await using graph = await IndexedGraph.open();
  const held = new HeldThreads();
  graph.threads = held.threads;
  const operations = Array.from({ length: 40 }, (_, name) => note(name));
  operations.push(...Array.from({ length: 5 }, (_, name) => note(name, 'a paper', 'Paper')));
  await graph.commit({ operations, schema: { nodes: NODES, edges: [] } });
  graph.show();
  held.release.resolve();
  graph.start();
  await graph.indexed();
  for (const language of ['en', 'de']) {
    held.again();
    const types = { Note: searched(2, language), Paper: searched(3, language) };
    await setTypes(graph, types);
    await held.built.promise;
    // One of the two types begins again, while both are under way; then it is not searched any
    // more.
    for (const Note of [searched(5), { ...searched(5), searchable: false }]) {
      await setTypes(graph, { ...types, Note });
      await graph.followed();
      await graph.until(({ rebuild }) => rebuild?.types.includes('Note') !== true);
    }
    held.release.resolve();
    await graph.indexed();
    compare(graph);
  }
});

/** A thread that has no memory to build with. */
const ENDS = new URL('data:text/javascript,process.exit(1)');

test(
  'an index that several threads build answers as one that a thread builds alone, also when one of them ends by itself',
  async () => {
    await using graph = await IndexedGraph.open();
    const started: Worker[] = [];
    const start = (file: URL, data?: object): Worker => {
      const worker = startThread(isDeadly ? ENDS : file, data);
      started.push(worker);
      return worker;
    };
    let isDeadly = false;
    const { storage, followers, memoryBytesMax } = graph.indexOptions;
    let threads: BuildThreads | undefined;
    graph.threads = ({ note: tell }) =>
      (threads = new BuildThreads(
        {
          storage,
          environmentKey: undefined,
          followers,
          memoryBytesMax,
          count: 3,
          note: tell,
          restMs: 0,
        },
        start,
      ));
    const operations = Array.from({ length: 24_000 }, (_, name) =>
      note(name, undefined, name % 3 === 0 ? 'Paper' : 'Note'),
    );
    await graph.commit({ operations, schema: { nodes: NODES, edges: [] } });
    graph.show();
    graph.start();
    await graph.indexed();
    compare(graph);
    expect(started).toHaveLength(3);
    expect(graph.progress).toEqual(graph.progress.toSorted((a, b) => a - b));
    expect(graph.notes.join()).not.toContain('built by one thread');
    // There is nothing more to do: they end by themselves.
    await Promise.all(started.map((worker) => worker.threadId === -1 || once(worker, 'exit')));

    isDeadly = true;
    await setTypes(graph, { Note: searched(3), Paper: searched(3) });
    await graph.indexed();
    compare(graph);
    expect(graph.notes.join()).toContain('the search index is built by one thread');
    await threads?.[Symbol.asyncDispose]();
  },
  TIMEOUT_MS,
);
