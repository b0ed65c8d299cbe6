import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { NodeExport } from '#access/node-export.ts';
import { nodeCsv } from './node-csv.ts';

/** Names that some systems keep for devices. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** A table for each export, packed; one after the other, so that one is read at a time. */
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

/** Names of files for types. Two types may differ in case only, which some systems do not see. */
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
