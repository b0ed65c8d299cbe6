import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { must } from '#base/assert.ts';
import type { WriterOperation } from '#graph/operations.ts';
import { StateReader } from '#graph/state-reader.ts';
import { IndexedGraph } from './testing/indexed-graph.ts';

const NOTES = 20;
const note = (key: number) => ({ type: 'Note', key: String(key) });
const link = (from: number, to: number): WriterOperation => {
  return { op: 'link', from: note(from), edge: 'Cites', to: note(to) };
};

/** Notes that all cite the first one; saved, as a server that ends in good order saves them. */
async function savedGraph(): Promise<IndexedGraph> {
  const graph = await IndexedGraph.open();
  const nodes = [{ type: 'Note', key: 'Name', fields: { Text: 'String' } }] as const;
  const notes = Array.from({ length: NOTES }, (_, key): WriterOperation => {
    return { op: 'addOrUpdate', ...note(key), fields: { Text: `note ${key}` } };
  });
  const links = Array.from({ length: NOTES - 1 }, (_, i) => link(i + 1, 0));
  await graph.commit({
    operations: [...notes, ...links],
    schema: { nodes, edges: [{ type: 'Cites' }] },
  });
  graph.show();
  graph.start();
  await graph.indexed();
  await untilCounted(graph, 0, NOTES - 1);
  await graph.stop();
  return graph;
}

const idOf = (graph: IndexedGraph, key: number): number =>
  must(graph.reader.id(note(key)), 'a note of the graph');

async function untilCounted(graph: IndexedGraph, key: number, count: number): Promise<void> {
  const id = idOf(graph, key);
  await expect.poll(() => graph.connectionsOf(id)).toBe(count);
}

/** How often the edges of a node are counted from then on. */
function counts(): () => number {
  const spy = vi.spyOn(StateReader.prototype, 'connections');
  return () => spy.mock.calls.length;
}

test('a start knows the connections that were saved, and counts those that changed since', async () => {
  await using graph = await savedGraph();
  await graph.commit({ operations: [link(3, 4)] });
  graph.show();
  const counted = counts();
  graph.start();
  await graph.indexed();
  await untilCounted(graph, 3, 2);
  await untilCounted(graph, 4, 2);
  expect(graph.connectionsOf(idOf(graph, 0))).toBe(NOTES - 1);
  expect(graph.connectionsOf(idOf(graph, 5))).toBe(1);
  // The two ends of the edge, and no others.
  expect(counted()).toBe(2);
});

test('connections that are damaged are counted again, with the index', async () => {
  await using graph = await savedGraph();
  const [file = ''] = globSync('column-*', { cwd: graph.folder });
  const path = join(graph.folder, file);
  const bytes = readFileSync(path);
  bytes[100]! ^= 1;
  writeFileSync(path, bytes);
  const counted = counts();
  graph.start();
  await graph.indexed();
  await untilCounted(graph, 0, NOTES - 1);
  expect(counted()).toBeGreaterThanOrEqual(NOTES);
  expect(graph.notes.join()).toMatch(/built anew: .*column-/);
});
