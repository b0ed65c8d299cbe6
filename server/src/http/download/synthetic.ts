import { EXPORT_COLUMNS } from '#access/node-export.ts';
import { Problem } from '#base/problem.ts';
import { turns } from '#base/turns.ts';
import type { SyntheticNodes } from '@trellis/contract/shapes/node.ts';
import { DOWNLOAD_FIELDS_MAX } from '@trellis/contract/limits.ts';
import { cellOf, csvLines } from './csv.ts';

type Nodes = SyntheticNodes['nodes'];

/** Nodes that are written in one turn. */
const GROUP_SIZE = 16;

/** A node that is stored nowhere has no identity (specification, section 4.7, rule 4). */
const LEFT_OUT: ReadonlySet<string> = new Set(EXPORT_COLUMNS.filter((one) => one !== 'Timestamp'));

/**
 * The time and the fields that any of the nodes has, in the order in which they come. Throws
 * `invalid_request`.
 */
export function syntheticColumns(nodes: Nodes): readonly string[] {
  const columns = new Set(['Timestamp']);
  for (const node of nodes) {
    for (const field in node) if (!LEFT_OUT.has(field)) columns.add(field);
    if (columns.size > DOWNLOAD_FIELDS_MAX) throw tooManyFields();
  }
  return [...columns];
}

/** The nodes as a table. The work is done in turns of `caller`. */
export async function* syntheticCsv(
  nodes: Nodes,
  columns: readonly string[],
  caller: string,
): AsyncGenerator<string> {
  yield csvLines([columns.map((column) => cellOf(column))]);
  yield* inTurns(nodes, caller, (some) =>
    csvLines(some.map((node) => columns.map((column) => cellOf(node[column])))),
  );
}

/** The nodes as JSON lines, also in turns of `caller`. */
export function syntheticJsonl(
  nodes: Nodes,
  columns: readonly string[],
  caller: string,
): AsyncGenerator<string> {
  const lineOf = (node: Nodes[number]): string =>
    `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, node[column]])))}\n`;
  return inTurns(nodes, caller, (some) => some.map(lineOf).join(''));
}

async function* inTurns(
  nodes: Nodes,
  caller: string,
  linesOf: (nodes: Nodes) => string,
): AsyncGenerator<string> {
  let text = '';
  for (let at = 0; at < nodes.length; at += GROUP_SIZE) {
    if (turns.isSpent) {
      if (text !== '') yield text;
      text = '';
      await turns.next(caller);
    }
    text += linesOf(nodes.slice(at, at + GROUP_SIZE));
  }
  if (text !== '') yield text;
}

function tooManyFields(): Problem {
  const message = `have more than ${DOWNLOAD_FIELDS_MAX} fields together`;
  return new Problem('invalid_request', `body, nodes: ${message}`, {
    details: { fields: [{ path: 'nodes', message }] },
  });
}
