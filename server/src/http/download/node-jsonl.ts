import type { ExportedNode, NodeExport } from '#access/node-export.ts';

/**
 * An object on each line, with the names of the columns of the table; what is withheld is as absent
 * as what is not there.
 */
export async function* nodeJsonl(
  { fields, pieces }: NodeExport,
  linkTo: (uid: string) => string,
): AsyncGenerator<string> {
  const lineOf = ({ node, edgeCount }: ExportedNode): string => {
    const { UID, Type, Timestamp } = node;
    const line: Record<string, unknown> = { Link: linkTo(UID), UID, Type, EdgeCount: edgeCount };
    line['Timestamp'] = Timestamp;
    for (const field of fields) line[field] = node[field];
    return `${JSON.stringify(line)}\n`;
  };
  for await (const piece of pieces) yield piece.map(lineOf).join('');
}
