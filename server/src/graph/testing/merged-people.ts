import { expect } from 'vitest';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { compareDerived } from '../indexes/compare-derived.ts';
import { contentOf, type GraphContent } from './graph-content.ts';
import type { TestGraph } from './test-graph.ts';

/** Whom a person knows: names, and a field of the edge where one is asked for. */
export function friendsOf(graph: TestGraph, key: string, field?: string): string[] {
  const { reader } = graph;
  return reader
    .edges(graph.idOf('Person', key), 'out', 'Knows')
    .map(({ to, ...edge }) => {
      const name = String(reader.field(reader.id(to) ?? 0, 'Name'));
      return field === undefined ? name : `${name} ${String(edge[field])}`;
    })
    .toSorted();
}

/** What the graph holds, without the versions of its nodes, or of those with these UIDs. */
export function contentWithoutVersions(graph: TestGraph, uids?: ReadonlySet<string>): GraphContent {
  graph.snapshot.refresh();
  const all = contentOf(graph.reader, graph.snapshot);
  const nodes = Object.entries(all.nodes).map(([uid, node]) => [
    uid,
    uids?.has(uid) === false ? node : { ...Object(node), version: 0 },
  ]);
  return { ...all, nodes: Object.fromEntries(nodes) as GraphContent['nodes'] };
}

/** Compares what follows from the nodes and edges with what is stored of it. */
export async function expectDerived({ storage }: TestGraph): Promise<void> {
  using reader = openSnapshotReader({ storage, environments: ['graph'] });
  using state = reader.hold();
  const { differences } = await compareDerived({
    state,
    rest: async () => {},
    onProgress: () => {},
  });
  expect(differences).toEqual([]);
}
