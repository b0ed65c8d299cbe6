import { crc32 } from 'node:zlib';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import type { Problem } from '#base/problem.ts';

/** What is read of a zip, whatever the zip claims about itself. */
export interface ZipReading {
  /** Files that are wanted. */
  readonly filesMax: number;
  /** The size of all of them, unpacked. */
  readonly bytesMax: number;
  /**
   * How much larger one file may be than what it is packed in, where it is larger than a bomb would
   * have to be.
   */
  readonly expansion?: { readonly ratioMax: number; readonly fromBytes: number };
  /** Makes the problem of a zip that is refused. */
  readonly refusal: (message: string, more?: { hint?: string; cause?: unknown }) => Problem;
  /** Looks at a name before the file is unpacked; throws what is to be refused. */
  readonly checkName?: (name: string, shown: string) => void;
}

export interface ZippedFile {
  /** Segments with "/" between them, none of them empty, "." or "..". */
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * The type of a file, and that of a link, in the file system that made the zip, where it says one.
 */
const FILE_TYPE_MASK = 0o170_000;
const LINK = 0o120_000;
/** Folders and what is hidden, as many times the number of files that may be wanted. */
const ENTRIES_PER_FILE_MAX = 10;
const SHOWN_CHARACTERS_MAX = 200;

/**
 * The files of a zip, in its order, one unpacked at a time. Those whose names begin with a dot are
 * left out, and what a Mac puts beside files. Refuses what is no zip, names that lead out of it,
 * links, encrypted and damaged files, a name that is there twice, and more files or bytes than
 * there may be.
 */
export async function* zipFiles(
  zip: Uint8Array,
  reading: ZipReading,
): AsyncGenerator<ZippedFile, void, undefined> {
  const { filesMax, bytesMax, refusal } = reading;
  const tooMuch = () => refusal(`The zip holds more than ${filesMax} files and ${bytesMax} bytes.`);
  const names = new Set<string>();
  let bytesTotal = 0;
  const archive = await readable(open(zip), reading);
  if (archive.entryCount > filesMax * ENTRIES_PER_FILE_MAX) throw tooMuch();
  const entries = archive.eachEntry();
  for (;;) {
    const next = await readable(entries.next(), reading);
    if (next.done === true) return;
    const entry: Entry = next.value;
    if (!isWanted(entry)) continue;
    bytesTotal += entry.uncompressedSize;
    if (names.size === filesMax || bytesTotal > bytesMax) throw tooMuch();
    check(entry, reading);
    const name = nameOf(entry);
    if (names.has(name)) throw refusal(`${shown(entry)} is in the zip twice.`);
    names.add(name);
    yield { name, bytes: await contentOf(archive, entry, reading) };
  }
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

function check(entry: Entry, { refusal, checkName, expansion }: ZipReading): void {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK;
  if (type === LINK) {
    throw refusal(`${shown(entry)} is a link.`, { hint: 'Put the file itself there.' });
  }
  if (entry.isEncrypted()) throw refusal(`${shown(entry)} is encrypted.`);
  if (!entry.canDecodeFileData()) {
    throw refusal(`${shown(entry)} is compressed in another way than "deflate".`);
  }
  const name = nameOf(entry);
  if (name.split('/').includes('')) throw refusal(`${shown(entry)} is no name of a file.`);
  checkName?.(name, shown(entry));
  const { compressedSize, uncompressedSize } = entry;
  if (
    expansion !== undefined &&
    uncompressedSize > expansion.fromBytes &&
    uncompressedSize > compressedSize * expansion.ratioMax
  ) {
    throw refusal(`${shown(entry)} unpacks to more than ${expansion.ratioMax} times its size.`);
  }
}

/** The stream ends with an error once there are more bytes than the entry says. */
async function contentOf(archive: ZipFile, entry: Entry, reading: ZipReading): Promise<Buffer> {
  const parts: Buffer[] = [];
  const stream = await readable(archive.openReadStreamPromise(entry), reading);
  const unpack = async (): Promise<void> => {
    for await (const part of stream) parts.push(part);
  };
  await readable(unpack(), reading);
  const bytes = Buffer.concat(parts);
  if (crc32(bytes) !== entry.crc32) throw reading.refusal(`${shown(entry)} is damaged.`);
  return bytes;
}

/** Turns what reading the zip throws into a fault of the zip. */
async function readable<T>(work: Promise<T>, { refusal }: ZipReading): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw refusal(`The zip cannot be read: ${why}.`, { cause });
  }
}

function shown({ fileName }: Entry): string {
  return JSON.stringify(fileName.slice(0, SHOWN_CHARACTERS_MAX));
}
