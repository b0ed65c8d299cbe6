import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileDurably, readFully, UNFINISHED } from './durable-file.ts';
import { crc32c } from '@node-rs/crc32';
import { readSafeInteger, writeSafeInteger } from './record.ts';

/**
 * The header of a segment file, byte by byte; all numbers are unsigned and big-endian.
 *
 *     offset  bytes
 *          0      8  magic 54 52 4c 53 4c 4f 47 00 ("TRLSLOG", 0)
 *          8      2  format version, 1
 *         10      2  flags: bit 0, the payloads are encrypted
 *         12      4  CRC32C of the rest of the header
 *         16     16  epoch
 *         32      8  first sequence; the file's name is the same number
 *         40      8  first sequence of the segment before this one, 0 when there was none
 *         48      8  its length in bytes
 *         56      8  the time of its newest record, milliseconds since the Unix epoch
 *         64         records: see `record.ts`
 *
 * Because it describes the segment before it, a start can check the whole chain by headers and
 * lengths, without reading the records.
 */
export const SEGMENT_HEADER_BYTES = 64;
const FORMAT_VERSION = 1;
const FLAG_ENCRYPTED = 1;
const MAGIC = Buffer.from('TRLSLOG\0');

export interface SegmentHeader {
  /** 32 hexadecimal digits. */
  readonly epoch: string;
  readonly encrypted: boolean;
  readonly first: number;
  readonly previous: PreviousSegment;
}

export interface PreviousSegment {
  readonly first: number;
  readonly bytes: number;
  readonly newestTime: number;
}

export const NO_PREVIOUS_SEGMENT: PreviousSegment = { first: 0, bytes: 0, newestTime: 0 };

export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
  bytes.set(MAGIC);
  bytes.writeUInt16BE(FORMAT_VERSION, 8);
  bytes.writeUInt16BE(header.encrypted ? FLAG_ENCRYPTED : 0, 10);
  bytes.write(header.epoch, 16, 'hex');
  writeSafeInteger(bytes, 32, header.first);
  writeSafeInteger(bytes, 40, header.previous.first);
  writeSafeInteger(bytes, 48, header.previous.bytes);
  writeSafeInteger(bytes, 56, header.previous.newestTime);
  bytes.writeUInt32BE(segmentCrc(bytes), 12);
  return bytes;
}

/** The header, or a sentence that says why the bytes are not one. */
export function decodeSegmentHeader(bytes: Buffer): SegmentHeader | string {
  if (bytes.length < SEGMENT_HEADER_BYTES) return 'the file is shorter than its header';
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return 'it is not a segment of a commit log';
  if (bytes.readUInt32BE(12) !== segmentCrc(bytes)) return 'its header does not match its checksum';
  const version = bytes.readUInt16BE(8);
  if (version !== FORMAT_VERSION) return `its format version is ${version}, not ${FORMAT_VERSION}`;
  return {
    epoch: bytes.toString('hex', 16, 32),
    encrypted: (bytes.readUInt16BE(10) & FLAG_ENCRYPTED) !== 0,
    first: readSafeInteger(bytes, 32),
    previous: {
      first: readSafeInteger(bytes, 40),
      bytes: readSafeInteger(bytes, 48),
      newestTime: readSafeInteger(bytes, 56),
    },
  };
}

/** The CRC of an encoded header, with which the CRCs of the segment's records begin. */
export function segmentCrc(bytes: Buffer): number {
  return crc32c(bytes.subarray(16, SEGMENT_HEADER_BYTES), crc32c(bytes.subarray(0, 12)));
}

/**
 * The name is the first sequence with 16 digits, as many as 2^53 has. So names sort like sequences.
 */
const SEGMENT_FILE = /^\d{16}\.segment$/;
const FILE_OF_LOG = /^(\d{16}\.segment|log\.json)\.new$/;

export function segmentFile(first: number): string {
  return `${String(first).padStart(16, '0')}.segment`;
}

export function isSegmentFile(name: string): boolean {
  return SEGMENT_FILE.test(name);
}

/** Whether this is the name of a file that the log was making and did not finish. */
export function isUnfinishedFile(name: string): boolean {
  return name.endsWith(UNFINISHED) && FILE_OF_LOG.test(name);
}

/**
 * One segment file, and how far it is durable. `bytes`, `last` and `newestTime` change only after a
 * sync.
 */
export class Segment {
  readonly path: string;
  readonly header: SegmentHeader;
  readonly crcSeed: number;
  readonly index = new OffsetIndex();
  /** The length of the file up to the end of the last durable record. */
  bytes: number;
  /** The last durable sequence; `header.first - 1` while there is none. */
  last: number;
  /** The time of the newest durable record, milliseconds since the Unix epoch. */
  newestTime: number;
  /** Set before the file is deleted, so that a reader who finds it gone knows why. */
  dropped = false;

  constructor(path: string, header: SegmentHeader, state: SegmentState) {
    this.path = path;
    this.header = header;
    this.crcSeed = segmentCrc(encodeSegmentHeader(header));
    this.bytes = state.bytes;
    this.last = state.last;
    this.newestTime = state.newestTime;
  }

  get first(): number {
    return this.header.first;
  }
}

export interface SegmentState {
  readonly bytes: number;
  readonly last: number;
  readonly newestTime: number;
}

/**
 * Durably makes an empty segment. When that fails, either no file with its name is left, or the
 * next try replaces the file.
 */
export async function createSegment(folder: string, header: SegmentHeader): Promise<Segment> {
  const name = segmentFile(header.first);
  try {
    await createFileDurably(folder, name, encodeSegmentHeader(header));
  } catch (error) {
    await rm(join(folder, name + UNFINISHED), { force: true });
    throw error;
  }
  return new Segment(join(folder, name), header, {
    bytes: SEGMENT_HEADER_BYTES,
    last: header.first - 1,
    newestTime: header.previous.newestTime,
  });
}

/**
 * The header and the length of a segment file. For a damaged header, a sentence that says what is
 * wrong with it.
 */
export async function readSegmentHeader(
  path: string,
): Promise<{ readonly header: SegmentHeader | string; readonly bytes: number }> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  return {
    header: decodeSegmentHeader(await readFully(file, 0, SEGMENT_HEADER_BYTES)),
    bytes: size,
  };
}

/** The least distance between two entries of the index, in bytes. */
const INDEX_STRIDE_BYTES = 16 * 1024;
/** Each follower of the log goes on from an end of its own. */
const ENDS_MAX = 64;

/** Where some records of a segment begin, so that a read need not start at the first record. */
export class OffsetIndex {
  readonly #entries: IndexEntry[] = [];
  /** Offsets by sequence, the newest last. */
  readonly #ends = new Map<number, number>();

  /** Notes a record, unless it lies before the last noted one or close after it. */
  add(sequence: number, offset: number): void {
    const lastOffset = this.#entries.at(-1)?.offset ?? SEGMENT_HEADER_BYTES;
    if (offset >= lastOffset + INDEX_STRIDE_BYTES) this.#entries.push({ sequence, offset });
  }

  /** Notes where a read has ended, and the record with this sequence begins once it is there. */
  addEnd(sequence: number, offset: number): void {
    this.#ends.delete(sequence);
    this.#ends.set(sequence, offset);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > ENDS_MAX && oldest !== undefined) this.#ends.delete(oldest);
  }

  /** Where a read has ended before this sequence; undefined when that is not known (any more). */
  end(sequence: number): number | undefined {
    return this.#ends.get(sequence);
  }

  /**
   * The last noted record whose first sequence is at or before the given one; undefined when a read
   * must begin with the first record.
   */
  floor(sequence: number): IndexEntry | undefined {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#entries[middle]!.sequence <= sequence) low = middle + 1;
      else high = middle;
    }
    return this.#entries[low - 1];
  }
}

interface IndexEntry {
  readonly sequence: number;
  readonly offset: number;
}
