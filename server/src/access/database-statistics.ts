import { textTable } from '#base/text-table.ts';
import type { GraphReader } from '#graph/reader.ts';

/** How much there is of each type, the server's own types included; the largest first. */
export interface TypeCounts {
  /** Sequence of the commit that the counts reflect. */
  readonly sequence: number;
  readonly nodes: number;
  readonly edges: number;
  readonly types: readonly { readonly type: string; readonly nodes: number }[];
  readonly edgeTypes: readonly { readonly type: string; readonly edges: number }[];
}

/** For administrators, who see everything. */
export function countTypes(reader: GraphReader): TypeCounts {
  const sequence = reader.refresh();
  const schema = reader.schema();
  const nodes = schema.nodes.map(({ type }) => ({ type, count: reader.countOfType(type) }));
  const edges = schema.edges.map(({ type }) => ({ type, count: reader.countOfEdgeType(type) }));
  return {
    sequence,
    nodes: sum(nodes),
    edges: sum(edges),
    types: nodes.toSorted(byCount).map(({ type, count }) => ({ type, nodes: count })),
    edgeTypes: edges.toSorted(byCount).map(({ type, count }) => ({ type, edges: count })),
  };
}

/** The same as tables for people (specification, section 4.7). */
export function databaseStatistics(reader: GraphReader): string {
  const { sequence, nodes, edges, types, edgeTypes } = countTypes(reader);
  return [
    `Sequence ${sequence}\n`,
    textTable(
      ['NODE TYPE', 'NODES'],
      [...types.map(({ type, nodes: count }) => [type, count] as const), ['total', nodes]],
    ),
    textTable(
      ['EDGE TYPE', 'EDGES'],
      [...edgeTypes.map(({ type, edges: count }) => [type, count] as const), ['total', edges]],
    ),
  ].join('\n');
}

interface Counted {
  readonly type: string;
  readonly count: number;
}

function sum(counted: readonly Counted[]): number {
  return counted.reduce((total, { count }) => total + count, 0);
}

/** The largest first, equals by name. */
function byCount(one: Counted, other: Counted): number {
  return other.count - one.count || (one.type < other.type ? -1 : 1);
}
