import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UNFINISHED, createFileDurably, readFully } from './durable-file.ts';
import {
  SEGMENT_HEADER_BYTES,
  decodeSegmentHeader,
  encodeSegmentHeader,
  segmentCrc,
} from './segment-header.ts';
import type { SegmentHeader } from './segment-header.ts';

/** The name is the first sequence, so that names sort as sequences do: 2^53 has 16 digits. */
const SEGMENT_FILE = /^\d{16}\.segment$/;
const FILE_OF_LOG = /^(\d{16}\.segment|log\.json)\.new$/;

export function segmentFile(first: number): string {
  return `${String(first).padStart(16, '0')}.segment`;
}

export function isSegmentFile(name: string): boolean {
  return SEGMENT_FILE.test(name);
}

/** A file of the log's own that was never finished. */
export function isUnfinishedFile(name: string): boolean {
  return name.endsWith(UNFINISHED) && FILE_OF_LOG.test(name);
}

/**
 * One segment file and how far it is durable. `bytes`, `last` and `newestTime` move only after a
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
 * Makes an empty segment, durably. When that fails, no file of its name is left, or one that the
 * next try replaces.
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
 * The header and the length of a segment file; instead of a damaged header, what is wrong with it
 * in words.
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

/** Bytes between two entries of the index. */
const INDEX_STRIDE_BYTES = 16 * 1024;

/**
 * Where some of the records of a segment begin, so that a read need not start at the segment's
 * first.
 */
export class OffsetIndex {
  readonly #entries: IndexEntry[] = [];

  /** Notes a record, unless it is near to one that is noted, or before it. */
  add(sequence: number, offset: number): void {
    const lastOffset = this.#entries.at(-1)?.offset ?? SEGMENT_HEADER_BYTES;
    if (offset >= lastOffset + INDEX_STRIDE_BYTES) this.#entries.push({ sequence, offset });
  }

  /**
   * The last noted record whose first sequence is at or before the given one; undefined: begin with
   * the first record.
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
