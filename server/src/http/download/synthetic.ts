import { setImmediate } from 'node:timers/promises';
import { EXPORT_COLUMNS } from '#access/export-columns.ts';
import { DOWNLOAD_FIELDS_MAX, DOWNLOAD_TURN_WORK } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { SyntheticNodes } from '@trellis/contract/shapes/node.ts';
import { cellOf, csvLines } from './csv.ts';

type Nodes = SyntheticNodes['nodes'];

/** A node that is stored nowhere has no identity (specification, section 4.7, rule 4). */
const LEFT_OUT: ReadonlySet<string> = new Set(EXPORT_COLUMNS.filter((one) => one !== 'Timestamp'));

/** The time and the fields that any of the nodes has, in the order in which they come. Throws `invalid_request`. */
export function syntheticColumns(nodes: Nodes): readonly string[] {
  const columns = new Set(['Timestamp']);
  for (const node of nodes) {
    for (const field in node) if (!LEFT_OUT.has(field)) columns.add(field);
    if (columns.size > DOWNLOAD_FIELDS_MAX) throw tooManyFields();
  }
  return [...columns];
}

export async function* syntheticCsv(
  nodes: Nodes,
  columns: readonly string[],
): AsyncGenerator<string> {
  yield csvLines([columns.map((column) => cellOf(column))]);
  for await (const piece of inTurns(nodes, columns.length)) {
    yield csvLines(piece.map((node) => columns.map((column) => cellOf(node[column]))));
  }
}

export async function* syntheticJsonl(
  nodes: Nodes,
  columns: readonly string[],
): AsyncGenerator<string> {
  const lineOf = (node: Nodes[number]): string =>
    `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, node[column]])))}\n`;
  for await (const piece of inTurns(nodes, columns.length)) yield piece.map(lineOf).join('');
}

async function* inTurns(nodes: Nodes, columnCount: number): AsyncGenerator<Nodes> {
  const size = Math.max(1, Math.floor(DOWNLOAD_TURN_WORK / columnCount));
  for (let at = 0; at < nodes.length; at += size) {
    yield nodes.slice(at, at + size);
    await setImmediate();
  }
}

function tooManyFields(): Problem {
  const message = `have more than ${DOWNLOAD_FIELDS_MAX} fields together`;
  return new Problem('invalid_request', `body, nodes: ${message}`, {
    details: { fields: [{ path: 'nodes', message }] },
  });
}
