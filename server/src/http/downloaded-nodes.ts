import { stringify } from 'csv-stringify/sync';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { NodeExport } from '#access/node-export.ts';
import { assert } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { turns } from '#base/turns.ts';
import { DOWNLOAD_COLUMNS, type SyntheticNodes } from '@trellis/contract/shapes/node.ts';
import { DOWNLOAD_FIELDS_MAX } from '@trellis/contract/limits.ts';

export type Cell = string | number;

/**
 * A first character that makes a spreadsheet read a formula: also in its wide form, and blanks
 * that a spreadsheet skips.
 */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * A value as a cell: lists and objects as JSON, no value as an empty cell. A text that a
 * spreadsheet would take for a formula begins with an apostrophe, which marks it as text; numbers
 * stay numbers. Rows of stored nodes are made likewise, of their bytes: `NodeRows`.
 */
export function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return value;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Rows as lines of RFC 4180, in UTF-8 without a byte order mark. */
export function csvLines(rows: readonly (readonly Cell[])[]): string {
  // With one column an empty cell is quoted: an empty line would be no row.
  const isNarrow = rows[0]?.length === 1;
  return stringify([...rows], { record_delimiter: '\r\n', quoted_empty: isNarrow });
}

/**
 * What stands before the UID in the link to the page of a node: under the given address, or
 * relative.
 */
export function linkPrefix(baseUrl: string | undefined): string {
  return `${(baseUrl ?? '').replace(/\/+$/, '')}/#/node/`;
}

/** File names that some systems reserve for devices. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** A zip with a table for each export. They are written one after the other. */
export async function* nodeZip(
  exports: readonly NodeExport[],
  prefix: string,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const packed = zip.outputStream;
  assert(packed instanceof Readable, 'a zip comes out as a stream that can be destroyed');
  const fail = (error: Error): void => void packed.destroy(error);
  let current: Readable | undefined;
  zip.on('error', fail);
  const names = fileNames(exports.map(({ type }) => type ?? 'nodes'));
  exports.forEach((one, i) => {
    zip.addReadStreamLazy(names[i] ?? '', (done) => {
      current = Readable.from(copied(one.rows({ form: 'csv', linkPrefix: prefix })), {
        objectMode: false,
      });
      current.on('error', fail);
      done(null, current);
    });
  });
  zip.end();
  try {
    yield* gathered(packed);
  } finally {
    current?.destroy();
    packed.destroy();
  }
}

/** A zip comes in small chunks: headers, and what the packer has at a time. */
async function* gathered(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let some: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    some.push(chunk);
    bytes += chunk.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(some);
    some = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(some);
}

const PIECE_BYTES = 64 * 1024;

/** The zip takes several pieces before it has packed the first. */
async function* copied(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece);
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

type Nodes = SyntheticNodes['nodes'];

/** Nodes that are written in one turn. */
const GROUP_SIZE = 16;

/** A node that is stored nowhere has no identity (specification, section 4.7, rule 4). */
const LEFT_OUT: ReadonlySet<string> = new Set(
  DOWNLOAD_COLUMNS.filter((one) => one !== 'Timestamp'),
);

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
