import { EXPORT_COLUMNS } from '#access/export-columns.ts';
import type { ExportedNode, NodeExport } from '#access/node-export.ts';
import { type Cell, cellOf, csvLines } from './csv.ts';

/** A table of nodes, piece by piece; what is withheld is as blank as what is not there. */
export async function* nodeCsv(
  { fields, fieldTypes, pieces }: NodeExport,
  linkTo: (uid: string) => string,
): AsyncGenerator<string> {
  yield csvLines([[...EXPORT_COLUMNS, ...fields]]);
  const rowOf = ({ node, edgeCount }: ExportedNode): Cell[] => {
    const types = fieldTypes.get(node.Type);
    return [
      linkTo(node.UID),
      node.UID,
      node.Type,
      edgeCount,
      node.Timestamp,
      ...fields.map((field) => cellOf(node[field], types?.[field])),
    ];
  };
  for await (const piece of pieces) yield csvLines(piece.map(rowOf));
}

/**
 * Where a node is shown to people, by its UID: under the given address, or relative to whatever the
 * reader is at.
 */
export function nodeLinks(baseUrl: string | undefined): (uid: string) => string {
  const base = (baseUrl ?? '').replace(/\/+$/, '');
  return (uid) => `${base}/#/node/${uid}`;
}
