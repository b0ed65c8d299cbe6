import { rmSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { WriterOperation } from '#graph/operations.ts';
import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import { limitsWithin, TextIndex } from '#search/text/text-index.ts';
import { IndexMerges } from '#search/indexing/run-index.ts';
import { Searcher } from '#search/service/searcher.ts';
import { startThread } from '../threads/thread.ts';
import { IndexThread } from './index-thread.ts';
import { MergeThread } from './segment-threads.ts';
import { IndexedGraph } from './testing/indexed-graph.ts';

const NODES = ['Note', 'Paper'].map((type) => ({
  type,
  key: 'Name',
  fields: { Text: 'String' } as const,
}));
const TIMEOUT_MS = 600_000;
/**
 * Documents of a segment that is not merged by the thread that indexes, with others of its size.
 */
const LARGE = 2_500;

/** Starts threads as the server does, and knows them. */
function watched(): { readonly start: typeof startThread; readonly workers: Worker[] } {
  const workers: Worker[] = [];
  const start = (file: URL, data?: object): Worker => {
    const worker = startThread(file, data);
    workers.push(worker);
    return worker;
  };
  return { start, workers };
}

function isWhole(snapshot: SearchSnapshot | undefined): boolean {
  return (snapshot?.state.sequence ?? null) !== null;
}

function notes(from: number, count: number): WriterOperation[] {
  return Array.from({ length: count }, (_, index) => ({
    op: 'addOrUpdate' as const,
    type: index % 2 === 0 ? 'Note' : 'Paper',
    key: String(from + index),
    fields: { Text: `harbour word${(from + index) % 50}` },
  }));
}

test(
  'when the thread that indexes ends by itself, the next one goes on, and what was found is found meanwhile',
  async () => {
    await using graph = await IndexedGraph.open();
    const searcher = new Searcher({ reader: graph.reader, now: () => 0 });
    const found = (): number => searcher.search({ query: 'harbour' }, undefined).total;
    let newest: SearchSnapshot | undefined;
    let hasLostSome = false;
    let change = Promise.withResolvers<void>();
    const { start, workers } = watched();
    await graph.commit({ operations: notes(0, 30), schema: { nodes: NODES, edges: [] } });
    graph.show();
    const said: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void said.push(line) });
    await using thread = new IndexThread(graph.indexOptions, logger, start);
    thread.onSnapshot((snapshot) => {
      hasLostSome ||= isWhole(newest) && !isWhole(snapshot);
      newest = snapshot;
      searcher.receive(snapshot);
      change.resolve();
      change = Promise.withResolvers();
    });
    const until = async (total: number): Promise<void> => {
      while (!isWhole(newest) || found() !== total) await change.promise;
    };
    await until(30);
    for (let round = 1; round <= 3; round++) {
      // It cannot do anything about it: as when there is no memory.
      await workers.at(-1)!.terminate();
      expect(found()).toBe(30 * round);
      // Then the next one builds it anew, of one type first.
      if (round === 2) rmSync(graph.folder, { recursive: true });
      await graph.commit({ operations: notes(30 * round, 30) });
      graph.show();
      await until(30 * (round + 1));
      expect(workers).toHaveLength(round + 1);
    }
    expect(said.join('')).toContain('the thread that indexes has ended with code 1');
    expect(hasLostSome, 'a part of an index was shown after a whole one').toBe(false);
    expect(thread.state.documents).toBe(120);
  },
  TIMEOUT_MS,
);

test('a merge whose thread ends is done by the next one; given up, it waits for other segments', async () => {
  const index = new TextIndex(limitsWithin(Infinity));
  const addSegments = (count: number, documentsEach: number): void => {
    for (let segment = 0; segment < count; segment++) {
      for (let i = 0; i < documentsEach; i++) index.add(document(next++));
      index.refresh();
    }
  };
  let next = 0;
  const { start, workers } = watched();
  await using merges = new MergeThread({ storage: '/nowhere' }, start);
  let deaths = 1;
  const told: string[] = [];
  let done = Promise.withResolvers<void>();
  const upkeep = new IndexMerges(
    index,
    {
      merge: async (task) => {
        const merging = merges.merge(task);
        if (deaths-- > 0) void workers.at(-1)!.terminate();
        return merging;
      },
      openPages: undefined,
      note: (text, level) => void (level ?? told.push(text)),
    },
    () => done.resolve(),
  );
  const { signal } = new AbortController();
  const merge = async (): Promise<void> => {
    done = Promise.withResolvers();
    upkeep.startIfDue(true, signal);
    await done.promise;
  };
  addSegments(2, LARGE);
  await merge();
  expect(index.refresh().parts).toHaveLength(2);
  expect(told).toEqual([expect.stringContaining('are not merged yet')]);
  await merge();
  expect(index.refresh().parts).toHaveLength(1);
  expect(workers).toHaveLength(2);

  deaths = 2;
  addSegments(1, 2 * LARGE);
  await merge();
  await merge();
  expect(told.at(-1)).toContain('are not merged until there are others');
  upkeep.startIfDue(true, signal);
  expect(workers).toHaveLength(3);
  // Others are merged all the same: eight small ones, in passing.
  addSegments(8, 10);
  await merge();
  expect(index.refresh().parts).toHaveLength(3);
  addSegments(1, 2 * LARGE);
  await merge();
  const counts = index.refresh().parts.map(({ segment }) => segment.documents.count);
  expect(counts.toSorted((a, b) => a - b)).toEqual([80, 6 * LARGE]);
});

function document(node: number): Parameters<TextIndex['add']>[0] {
  const word = `word${node % 97}`;
  const token = { term: word, surface: word, start: 0, end: word.length, position: 0 };
  return {
    node,
    type: 1,
    timestampMs: 0,
    language: '--',
    fields: [{ field: 0, boost: 1, tokens: [token] }],
    facets: [],
  };
}
