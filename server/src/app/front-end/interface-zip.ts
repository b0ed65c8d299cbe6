import { crc32 } from 'node:zlib';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { FRONT_END_BYTES_MAX, FRONT_END_FILES_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { FrontEndFile } from '#http/front-end-service.ts';
import { frontEndFile, urlPathOf, type FrontEndFiles } from './front-end-folder.ts';

/** Of the file system that made the zip, where it says one: the type of a file, and that of a link. */
const FILE_TYPE_MASK = 0o170_000;
const LINK = 0o120_000;

/** They belong to the server: the built-in front end, and the API. */
const RESERVED = ['trellis', 'api'];

/**
 * The files of an interface. As in a folder, those whose names begin with a dot are left out, and what a Mac puts beside files.
 * Throws `invalid_interface` for what is no zip, for names that lead out of it, for too many files or bytes, whatever the zip
 * itself says of them, and when there is no `index.html`.
 */
export async function readInterfaceZip(zip: Uint8Array): Promise<FrontEndFiles> {
  const files = new Map<string, FrontEndFile>();
  let bytesTotal = 0;
  const archive = await readable(open(zip));
  const entries = archive.eachEntry();
  for (;;) {
    const next = await readable(entries.next());
    if (next.done === true) break;
    const entry: Entry = next.value;
    if (!isWanted(entry)) continue;
    check(entry);
    bytesTotal += entry.uncompressedSize;
    if (files.size === FRONT_END_FILES_MAX || bytesTotal > FRONT_END_BYTES_MAX) {
      const most = `${FRONT_END_FILES_MAX} files and ${FRONT_END_BYTES_MAX} bytes`;
      throw invalid(`The zip holds more than ${most}.`);
    }
    const path = urlPathOf(nameOf(entry));
    if (files.has(path)) throw invalid(`${shown(entry)} is in the zip twice.`);
    files.set(path, await contentOf(archive, entry));
  }
  if (!files.has('/index.html')) throw withoutPage(files);
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function open(zip: Uint8Array): Promise<ZipFile> {
  const buffer = Buffer.from(zip.buffer, zip.byteOffset, zip.byteLength);
  return fromBufferPromise(buffer, {
    lazyEntries: true,
    decodeStrings: true,
    validateEntrySizes: true,
    strictFileNames: true,
  });
}

/** Names with ".." and "\", and absolute ones, were refused when the entry was read. */
function isWanted(entry: Entry): boolean {
  const name = nameOf(entry);
  const isHidden = (part: string): boolean => part.startsWith('.') || part === '__MACOSX';
  return !name.endsWith('/') && !name.split('/').some(isHidden);
}

/** Some programs write "./" in front. */
function nameOf({ fileName }: Entry): string {
  return fileName.replace(/^(?:\.\/)+/, '');
}

function check(entry: Entry): void {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK;
  if (type === LINK) throw invalid(`${shown(entry)} is a link.`, 'Put the file itself there.');
  if (entry.isEncrypted()) throw invalid(`${shown(entry)} is encrypted.`);
  if (!entry.canDecodeFileData()) {
    throw invalid(`${shown(entry)} is compressed in another way than "deflate".`);
  }
  const [first = '', ...rest] = nameOf(entry).split('/');
  if (rest.includes('') || first === '') throw invalid(`${shown(entry)} is no name of a file.`);
  if (RESERVED.includes(first)) {
    throw invalid(
      `${shown(entry)} could not be reached: what is below "/${first}/" belongs to the server.`,
      'Put it into a folder of another name.',
    );
  }
}

/** The stream ends with an error once there are more bytes than the entry says. */
async function contentOf(archive: ZipFile, entry: Entry): Promise<FrontEndFile> {
  const parts: Buffer[] = [];
  const stream = await readable(archive.openReadStreamPromise(entry));
  const reading = async (): Promise<void> => {
    for await (const part of stream) parts.push(part);
  };
  await readable(reading());
  const bytes = Buffer.concat(parts);
  if (crc32(bytes) !== entry.crc32) throw invalid(`${shown(entry)} is damaged.`);
  return frontEndFile(bytes);
}

/** What the reading of the zip throws is the fault of the zip. */
async function readable<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Problem('invalid_interface', `The zip cannot be read: ${why}.`, { cause });
  }
}

function withoutPage(files: FrontEndFiles): Problem {
  const [first = ''] = files.keys();
  const top = /^\/[^/]+\//.exec(first)?.[0];
  const isOneFolder = top !== undefined && [...files.keys()].every((path) => path.startsWith(top));
  return invalid(
    'The zip has no index.html at its root.',
    isOneFolder && files.has(`${top}index.html`)
      ? `Zip what is in the folder "${top.slice(1, -1)}", and not the folder itself.`
      : undefined,
  );
}

function shown({ fileName }: Entry): string {
  return JSON.stringify(fileName.slice(0, 200));
}

function invalid(message: string, hint?: string): Problem {
  return new Problem('invalid_interface', message, hint === undefined ? {} : { hint });
}
