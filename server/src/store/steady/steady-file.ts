import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  openSync,
  readSync,
  write,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32c } from '../crc32c.ts';
import { type MetaPage, toMetaPage } from '../lmdb-file/meta-pages.ts';
import { META_BYTES } from '../lmdb-file/page-format.ts';
import { syncFolder } from '../sync-folder.ts';

const writeAt = promisify(write);
const syncData = promisify(fdatasync);

/** The name of the file in the folder of an environment. */
export const STEADY_FILE = 'steady';

/**
 * What the file says about `data.mdb` beside it.
 *
 * - `new`: LMDB has not had a steady point yet. After a power failure nothing in it counts.
 * - `open`: the pages of the transaction `meta` are on the device and stay as they are, whatever
 *   was written later. After a power failure only they count.
 * - `clean`: it was closed at the transaction `meta`, and all of it is on the device.
 */
export interface SteadyRecord {
  readonly mark: 'new' | 'open' | 'clean';
  /** Absent when the mark is `new`. */
  readonly meta: MetaPage | undefined;
  /**
   * See `readBootId`; empty when what was written after the transaction must not be trusted even
   * though the machine has not gone down.
   */
  readonly bootId: string;
  /** The device and the number of the file `data.mdb`, which a copy of it does not have. */
  readonly device: bigint;
  readonly inode: bigint;
}

/**
 * Two slots, which are written in turn, so that one is whole whatever happens. Each has a page of
 * its own, so that a torn write cannot reach the other. Numbers are big-endian:
 *
 *     offset  bytes
 *          0      8  magic 54 52 4c 53 53 54 44 59 ("TRLSSTDY")
 *          8      2  version, 1
 *         10      2  mark: 0 new, 1 open, 2 clean
 *         12      4  CRC-32C of the rest
 *         16      8  number of the record; the higher one counts
 *         24      8  device
 *         32      8  inode
 *         40     40  boot id, then zeros
 *         80    168  meta page
 */
const SLOT_BYTES = 4096;
const SLOTS = 2;
const MAGIC = Buffer.from('TRLSSTDY');
const VERSION = 1;
const MARKS = ['new', 'open', 'clean'] as const;
const CRC_AT = 12;
const NUMBER_AT = 16;
const BOOT_AT = 40;
const BOOT_BYTES = 40;
const META_AT = BOOT_AT + BOOT_BYTES;
const RECORD_BYTES = META_AT + META_BYTES;

interface NumberedRecord {
  readonly number: number;
  readonly record: SteadyRecord;
}

/** The file of an environment that is open for writing. */
export class SteadyFile implements Disposable {
  readonly #file: number;
  #number: number;
  /** The newest record that is durable; undefined when there is none. */
  #record: SteadyRecord | undefined;

  private constructor(file: number, newest: NumberedRecord | undefined) {
    this.#file = file;
    this.#number = newest?.number ?? 0;
    this.#record = newest?.record;
  }

  /** Opens the file in the folder of an environment, and makes it when it is missing. */
  static open(folder: string): SteadyFile {
    const path = join(folder, STEADY_FILE);
    if (!existsSync(path)) {
      const file = openSync(path, 'w+', 0o600);
      writeSync(file, Buffer.alloc(SLOTS * SLOT_BYTES), 0);
      fdatasyncSync(file);
      syncFolder(folder);
      return new SteadyFile(file, undefined);
    }
    const file = openSync(path, 'r+');
    return new SteadyFile(file, newestRecord(file));
  }

  get record(): SteadyRecord | undefined {
    return this.#record;
  }

  /**
   * Makes a record durable. When that fails, the file may hold this record or the one before, and
   * the next call writes to the same place.
   */
  async write(record: SteadyRecord): Promise<void> {
    const number = this.#number + 1;
    await writeAt(this.#file, encode({ number, record }), 0, RECORD_BYTES, slotAt(number));
    await syncData(this.#file);
    this.#number = number;
    this.#record = record;
  }

  writeSync(record: SteadyRecord): void {
    const number = this.#number + 1;
    writeSync(this.#file, encode({ number, record }), 0, RECORD_BYTES, slotAt(number));
    fdatasyncSync(this.#file);
    this.#number = number;
    this.#record = record;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

/** The newest record in a file; undefined when it has none that is whole. */
function newestRecord(file: number): NumberedRecord | undefined {
  let newest: NumberedRecord | undefined;
  for (let slot = 0; slot < SLOTS; slot++) {
    const bytes = Buffer.alloc(RECORD_BYTES);
    readSync(file, bytes, 0, RECORD_BYTES, slot * SLOT_BYTES);
    const found = decode(bytes);
    if (found !== undefined && found.number > (newest?.number ?? 0)) newest = found;
  }
  return newest;
}

function slotAt(number: number): number {
  return (number % SLOTS) * SLOT_BYTES;
}

function encode({ number, record }: NumberedRecord): Buffer {
  const bytes = Buffer.alloc(RECORD_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt16BE(VERSION, 8);
  bytes.writeUInt16BE(MARKS.indexOf(record.mark), 10);
  bytes.writeBigUInt64BE(BigInt(number), NUMBER_AT);
  bytes.writeBigUInt64BE(record.device, 24);
  bytes.writeBigUInt64BE(record.inode, 32);
  bytes.write(record.bootId, BOOT_AT, BOOT_BYTES, 'latin1');
  record.meta?.bytes.copy(bytes, META_AT);
  bytes.writeUInt32BE(crcOf(bytes), CRC_AT);
  return bytes;
}

function decode(bytes: Buffer): NumberedRecord | undefined {
  const isWhole =
    bytes.subarray(0, MAGIC.length).equals(MAGIC) &&
    bytes.readUInt16BE(8) === VERSION &&
    bytes.readUInt32BE(CRC_AT) === crcOf(bytes);
  const mark = MARKS[bytes.readUInt16BE(10)];
  if (!isWhole || mark === undefined) return undefined;
  return {
    number: Number(bytes.readBigUInt64BE(NUMBER_AT)),
    record: {
      mark,
      meta: toMetaPage(bytes.subarray(META_AT)),
      bootId: bytes.toString('latin1', BOOT_AT, BOOT_AT + BOOT_BYTES).replace(/\0+$/, ''),
      device: bytes.readBigUInt64BE(24),
      inode: bytes.readBigUInt64BE(32),
    },
  };
}

/** Of everything but the CRC itself. */
function crcOf(bytes: Buffer): number {
  return crc32c(bytes, NUMBER_AT, RECORD_BYTES, crc32c(bytes, 0, CRC_AT));
}
