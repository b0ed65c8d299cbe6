import { textTable } from '#base/text-table.ts';
import type { GraphReader } from '#graph/reader.ts';

/**
 * How many nodes and edges of each type the graph holds, those of the server's own types included,
 * as tables for people (specification, section 4.7). For administrators, who see everything.
 */
export function databaseStatistics(reader: GraphReader): string {
  const sequence = reader.refresh();
  const { nodes, edges } = reader.schema();
  const counted = (types: readonly string[], count: (type: string) => number) => {
    const rows = types.map((type): [string, number] => [type, count(type)]);
    const total = rows.reduce((sum, [, one]) => sum + one, 0);
    return [...rows.toSorted(byCount), ['total', total]] as const;
  };
  return [
    `Sequence ${sequence}\n`,
    textTable(
      ['NODE TYPE', 'NODES'],
      counted(
        nodes.map(({ type }) => type),
        (type) => reader.countOfType(type),
      ),
    ),
    textTable(
      ['EDGE TYPE', 'EDGES'],
      counted(
        edges.map(({ type }) => type),
        (type) => reader.countOfEdgeType(type),
      ),
    ),
  ].join('\n');
}

/** The largest first, equals by name. */
function byCount([one, ones]: [string, number], [other, others]: [string, number]): number {
  return others - ones || (one < other ? -1 : 1);
}
