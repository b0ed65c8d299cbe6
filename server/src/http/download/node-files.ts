import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { EXPORT_COLUMNS, type ExportedNode, type NodeExport } from '#access/node-export.ts';
import { type Cell, cellOf, csvLines } from './csv.ts';

/** Nodes as a table, piece by piece. A withheld value is blank, like a missing one. */
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
 * Makes the link to the page of a node from its UID: under the given address, or relative.
 */
export function nodeLinks(baseUrl: string | undefined): (uid: string) => string {
  const base = (baseUrl ?? '').replace(/\/+$/, '');
  return (uid) => `${base}/#/node/${uid}`;
}

/**
 * Nodes as JSON lines, with the column names of the table. A withheld value is left out, like a
 * missing one.
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

/** File names that some systems reserve for devices. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** A zip with a table for each export. They are written one after the other. */
export async function* nodeZip(
  exports: readonly NodeExport[],
  linkTo: (uid: string) => string,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const packed = Readable.from(zip.outputStream);
  const fail = (error: Error): void => void packed.destroy(error);
  let current: Readable | undefined;
  zip.on('error', fail);
  const names = fileNames(exports.map(({ type }) => type ?? 'nodes'));
  exports.forEach((one, i) => {
    zip.addReadStreamLazy(names[i] ?? '', (done) => {
      current = Readable.from(nodeCsv(one, linkTo), { objectMode: false });
      current.on('error', fail);
      done(null, current);
    });
  });
  zip.end();
  try {
    yield* packed;
  } finally {
    current?.destroy();
    packed.destroy();
  }
}

/** File names for types. Two types may differ in case only, which some systems ignore. */
export function fileNames(types: readonly string[]): string[] {
  const taken = new Set<string>();
  return types.map((type) => {
    const base = RESERVED.test(type) ? `${type}_` : type;
    let name = base;
    for (let i = 2; taken.has(name.toLowerCase()); i++) name = `${base}-${i}`;
    taken.add(name.toLowerCase());
    return `${name}.csv`;
  });
}
