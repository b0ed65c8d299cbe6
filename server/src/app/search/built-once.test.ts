import { afterEach, expect, test, vi } from 'vitest';
import { settingOperation } from '#access/settings.ts';
import type { WriterOperation } from '#graph/operations.ts';
import { must } from '#base/assert.ts';
import { Connections, connectionsIn } from '#search/indexing/connections.ts';
import { SEARCH_SETTING } from '#search/settings/search-settings.ts';
import { TextIndex } from '#search/text/text-index.ts';
import { IndexedGraph } from './testing/indexed-graph.ts';
import { interleavedThreads } from './testing/interleaved-threads.ts';

const COMMITS = 6;
const NODES_OF_COMMIT = 50;
const NODES = COMMITS * NODES_OF_COMMIT;
const REQUESTS = ['', 'harbour', 'word7 harbour', 'changed'].map((query) => ({
  query,
  facets: ['Type'],
  take: 1_000,
}));
const SETTINGS = { searchable: true, language: 'en', fields: { Text: { text: { boost: 1 } } } };

afterEach(() => {
  vi.restoreAllMocks();
});

function note(name: number, text = `harbour word${name % 50}`): WriterOperation {
  return { op: 'addOrUpdate', type: 'Note', key: String(name), fields: { Text: text } };
}

/** Counts how often a document is made of a node from now on. */
function countDocuments(): () => number {
  const add = vi.spyOn(TextIndex.prototype, 'add');
  const adopt = vi.spyOn(TextIndex.prototype, 'adopt');
  return () => adopt.mock.calls.reduce((sum, [nodes]) => sum + nodes.length, add.mock.calls.length);
}

function compare(graph: IndexedGraph): void {
  const { followed, anew } = graph.answers(REQUESTS);
  expect(followed).toEqual(anew);
}

/** An index that waits for what comes, built by its thread alone or by others too. */
async function opened(threads: 'one' | 'several'): Promise<IndexedGraph> {
  const graph = await IndexedGraph.open();
  if (threads === 'several') {
    graph.threads = (ports) => interleavedThreads({ ...ports, tasksMax: Infinity });
  }
  graph.start();
  await graph.indexed();
  return graph;
}

/** As the first start with a sample does: the settings, the schema, the nodes. */
async function load(graph: IndexedGraph, shown: () => void): Promise<void> {
  const settings = settingOperation(SEARCH_SETTING, { types: { Note: SETTINGS } });
  await graph.commit({ system: true, operations: [settings] });
  shown();
  const nodes = [{ type: 'Note', key: 'Name', fields: { Text: 'String' } as const }];
  await graph.commit({ operations: [], schema: { nodes, edges: [] } });
  for (let commit = 0; commit < COMMITS; commit++) {
    const operations = Array.from({ length: NODES_OF_COMMIT }, (_, i) =>
      note(commit * NODES_OF_COMMIT + i),
    );
    await graph.commit({ operations });
    shown();
  }
}

test.each(['one', 'several'] as const)(
  'each node of a load is indexed once, when the index sees it late and when it keeps up: %s',
  async (threads) => {
    const counted = countDocuments();
    await using late = await opened(threads);
    await load(late, () => {});
    late.show();
    await late.indexed();
    expect(counted()).toBe(NODES);

    await using soon = await opened(threads);
    await load(soon, () => soon.show());
    await soon.indexed();
    expect(counted()).toBe(2 * NODES);
    for (const graph of [late, soon]) compare(graph);
  },
);

test('what changes after an index was begun again is indexed once more, and no more than that', async () => {
  await using graph = await opened('several');
  await load(graph, () => graph.show());
  await graph.indexed();
  const counted = countDocuments();
  const types = { Note: { ...SETTINGS, language: 'de' } };
  await graph.commit({ system: true, operations: [settingOperation(SEARCH_SETTING, { types })] });
  // The index sees the settings and these changes at once, and reads the nodes as they are now.
  await graph.commit({
    operations: [note(3, 'changed'), { op: 'delete', type: 'Note', key: '4' }],
  });
  graph.show();
  await graph.indexed();
  expect(counted()).toBe(NODES - 1);

  await graph.commit({ operations: [note(5, 'changed too'), note(NODES, 'new')] });
  graph.show();
  await graph.indexed();
  expect(counted()).toBe(NODES + 1);
  compare(graph);
});

test('edges change no document, and a node with many of them is counted up to a limit', async () => {
  await using graph = await opened('one');
  await load(graph, () => graph.show());
  const schema = { nodes: [], edges: [{ type: 'Cites' }] };
  await graph.commit({ operations: [], schema });
  graph.show();
  await graph.indexed();
  const counted = countDocuments();
  const from = { type: 'Note', key: '1' };
  const operations = Array.from({ length: NODES - 2 }, (_, i): WriterOperation => {
    return { op: 'link', from, edge: 'Cites', to: { type: 'Note', key: String(i + 2) } };
  });
  await graph.commit({ operations });
  graph.show();
  await graph.indexed();
  expect(counted()).toBe(0);
  const connections = new Connections(graph.reader);
  const [hub, other] = ['1', '7'].map((key) => must(graph.reader.id({ type: 'Note', key }), key));
  for (const id of [hub!, other!]) connections.note(id);
  connections.work();
  expect(connections.areWaiting).toBe(false);
  const pages = connections.share();
  expect([hub!, other!].map((id) => connectionsIn(pages, id))).toEqual([NODES - 2, 1]);
  expect(graph.reader.connections(hub!, 10)).toBe(10);
});
