import { readFully, unlessMissing } from './durable-file.ts';
import { logCorrupt, logTrimmed, storageProblem } from './log-problem.ts';
import {
  decodeHeader,
  decodePayload,
  hasValidCrc,
  RECORD_HEADER_BYTES,
  type RecordHeader,
} from './record.ts';
import { closeSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type Segment, SEGMENT_HEADER_BYTES } from './segment.ts';
import type { LogRecord } from './commit-log.ts';
import type { RecordCipher } from './record-cipher.ts';

/** How many bytes are read at once. A record that is larger is read as a whole. */
const WINDOW_BYTES = 1024 * 1024;

/**
 * The smallest read when only headers are read. It wastes few bytes when records are long, and
 * covers many records when they are short.
 */
const SEEK_BYTES_MIN = 4 * 1024;
const SEEK_BYTES_MAX = 512 * 1024;

/** A whole record, in the bytes that were read. */
interface FoundRecord {
  readonly header: RecordHeader;
  /** Where the record begins in the file. */
  readonly offset: number;
  readonly bytes: Buffer;
  /** Where the record begins in `bytes`. */
  readonly at: number;
}

/** The first thing in a segment that is not a whole record with the next sequence. */
export interface Break {
  readonly offset: number;
  /** The sequence that should begin there. */
  readonly sequence: number;
  readonly reason: string;
}

export interface Batch {
  readonly records: readonly FoundRecord[];
  /** Where the records break off; the iteration ends with it. */
  readonly broken?: Break;
}

export interface ScanRange {
  /** The sequence to begin with. */
  readonly from: number;
  /**
   * The newest durable sequence. What lies after it may still be replaced, so it is not noted in
   * the index.
   */
  readonly last?: number;
  /** The scan ends before this byte. */
  readonly upTo: number;
}

/**
 * The records of a segment from the one that holds `from` up to byte `upTo` or the end of the file,
 * checked, in batches of about a megabyte. Fills the segment's index on the way.
 */
export async function* scanSegment(
  file: FileHandle,
  segment: Segment,
  { from, last = Infinity, upTo }: ScanRange,
): AsyncGenerator<Batch> {
  let { offset, sequence } = await seek(file, segment, from, upTo);
  let end = upTo;
  let windowBytes = WINDOW_BYTES;
  while (offset < end) {
    const length = Math.min(windowBytes, end - offset);
    const bytes = await readWindow(file, segment, offset, length);
    if (bytes.length < length) end = offset + bytes.length;
    const found = parseRecords(bytes, { offset, sequence, crcSeed: segment.crcSeed });
    for (const { header, offset: at } of found.records) {
      if (header.first <= last) segment.index.add(header.first, at);
      if (header.first === last + 1) segment.index.addEnd(header.first, at);
    }
    offset = found.offset;
    sequence = found.sequence;
    if (sequence === last + 1) segment.index.addEnd(sequence, offset);
    const broken = found.reason ?? (offset + found.missingBytes > end ? CUT_OFF : undefined);
    if (broken !== undefined) {
      yield { records: found.records, broken: { offset, sequence, reason: broken } };
      return;
    }
    yield { records: found.records };
    windowBytes = Math.max(WINDOW_BYTES, found.missingBytes);
  }
}

interface Place {
  readonly offset: number;
  /** The sequence with which the record at this place begins. */
  readonly sequence: number;
}

/**
 * Finds where the record begins that holds `from`. It follows the lengths in the headers before it,
 * which may be thousands, without reading the records. Only the place that this leads to is
 * checked. If no record begins there, the scan starts at the beginning and finds the damage.
 */
async function seek(
  file: FileHandle,
  segment: Segment,
  from: number,
  upTo: number,
): Promise<Place> {
  const start = segment.index.floor(from) ?? {
    offset: SEGMENT_HEADER_BYTES,
    sequence: segment.first,
  };
  let { offset, sequence } = start;
  let windowBytes = SEEK_BYTES_MIN;
  while (sequence < from && offset < upTo) {
    const bytes = await readWindow(file, segment, offset, Math.min(windowBytes, upTo - offset));
    if (bytes.length < RECORD_HEADER_BYTES) return start;
    let at = 0;
    while (at + RECORD_HEADER_BYTES <= bytes.length) {
      const header = decodeHeader(bytes, at);
      if (header === undefined || header.first !== sequence) return start;
      if (sequence + header.count > from) return { offset: offset + at, sequence };
      sequence += header.count;
      at += RECORD_HEADER_BYTES + header.storedBytes;
    }
    offset += at;
    const isPassed = at > 2 * bytes.length;
    windowBytes = isPassed
      ? Math.max(SEEK_BYTES_MIN, windowBytes / 2)
      : Math.min(SEEK_BYTES_MAX, windowBytes * 2);
  }
  return offset > upTo ? start : { offset, sequence };
}

async function readWindow(
  file: FileHandle,
  segment: Segment,
  offset: number,
  length: number,
): Promise<Buffer> {
  try {
    return await readFully(file, offset, length);
  } catch (error) {
    throw storageProblem(`reading ${segment.path} at byte ${offset}`, error);
  }
}

const CUT_OFF = 'the record is cut off';

interface Parsed {
  readonly records: readonly FoundRecord[];
  /**
   * Where the first record begins that was not read whole; `sequence` is the one that it should
   * have.
   */
  readonly offset: number;
  readonly sequence: number;
  /** Why that record is broken; absent when it is not. */
  readonly reason?: string;
  /**
   * When that record is longer than the bytes that were read: how many bytes it has, as far as is
   * known. 0 in all other cases.
   */
  readonly missingBytes: number;
}

interface Position extends Place {
  readonly crcSeed: number;
}

/** The whole records at the beginning of the bytes, the first of which has the given sequence. */
export function parseRecords(bytes: Buffer, position: Position): Parsed {
  const records: FoundRecord[] = [];
  let at = 0;
  let { sequence } = position;
  const stop = (missingBytes: number, reason?: string): Parsed => {
    const found = { records, offset: position.offset + at, sequence, missingBytes };
    return reason === undefined ? found : { ...found, reason };
  };
  while (at < bytes.length) {
    if (at + RECORD_HEADER_BYTES > bytes.length) return stop(RECORD_HEADER_BYTES);
    const header = decodeHeader(bytes, at);
    if (header === undefined) return stop(0, 'no record begins here');
    const length = RECORD_HEADER_BYTES + header.storedBytes;
    if (at + length > bytes.length) return stop(length);
    if (!hasValidCrc(bytes, at, header, position.crcSeed)) {
      return stop(0, 'the record does not match its checksum');
    }
    if (header.first !== sequence) return stop(0, `the record has sequence ${header.first}`);
    records.push({ header, offset: position.offset + at, bytes, at });
    sequence += header.count;
    at += length;
  }
  return stop(0);
}

/** The segments of a log, as a reader of the log knows them. */
export interface SegmentSource {
  /** Oldest first. */
  readonly segments: readonly Segment[];
  readonly firstSequence: number;
  readonly cipher: RecordCipher | undefined;
  /** Whether a segment whose file is missing was trimmed. False: the file is lost. */
  isDropped(segment: Segment): boolean;
}

/**
 * The records from the one that holds `from` to the one that ends with `last`, which is durable.
 * Throws `log_trimmed` when a trim overtakes it, `log_corrupt` when a record is not what was
 * written.
 */
export async function* readRecords(
  source: SegmentSource,
  from: number,
  last: number,
): AsyncGenerator<LogRecord> {
  let next = from;
  while (next <= last) {
    const segment = source.segments.findLast(({ first }) => first <= next);
    if (segment === undefined) throw logTrimmed(next, source.firstSequence);
    for await (const record of recordsOf(source, segment, next, last)) {
      yield record;
      next = record.last + 1;
    }
  }
}

/**
 * The records from `from`, where an earlier read has ended, to `last`, when they are in one window
 * at the end of the log. They were written a moment ago, so the memory of the system has them, and
 * to read them here takes less time than one turn to another thread and back; `readRecords` takes
 * five. Undefined when they are not there: `readRecords` finds them, or says what is wrong.
 */
export function readNewest(
  source: SegmentSource,
  from: number,
  last: number,
): LogRecord[] | undefined {
  const segment = source.segments.at(-1);
  const start = segment?.index.end(from);
  if (segment === undefined || start === undefined) return undefined;
  const length = segment.bytes - start;
  if (length > WINDOW_BYTES) return undefined;
  const window = readAtOnce(segment.path, start, length);
  const { crcSeed, index } = segment;
  const found = parseRecords(window, { offset: start, sequence: from, crcSeed }).records;
  const durable = found.filter(({ header }) => header.first <= last);
  const newest = durable.at(-1);
  if (newest === undefined || newest.header.first + newest.header.count - 1 !== last) {
    return undefined;
  }
  for (const { header, offset } of durable) index.add(header.first, offset);
  const { header, offset } = newest;
  index.addEnd(last + 1, offset + RECORD_HEADER_BYTES + header.storedBytes);
  return durable.map((record) => decode(source, segment, record));
}

/** Nothing when the file cannot be read. */
function readAtOnce(path: string, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Math.max(length, 0));
  try {
    const fd = openSync(path, 'r');
    try {
      return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, position));
    } finally {
      closeSync(fd);
    }
  } catch {
    // Whoever reads on meets the fault again, and says so.
    return NOTHING;
  }
}

const NOTHING = Buffer.alloc(0);

/**
 * The records of one segment that hold the sequences from `from` to `last`, or to the segment's
 * end.
 */
async function* recordsOf(
  source: SegmentSource,
  segment: Segment,
  from: number,
  last: number,
): AsyncGenerator<LogRecord> {
  const file = await unlessMissing(open(segment.path, 'r'));
  if (file === undefined) {
    if (source.isDropped(segment)) throw logTrimmed(from, source.firstSequence);
    const reason = 'the file is gone';
    throw logCorrupt({ file: segment.path, offset: 0, sequence: from, reason });
  }
  await using _ = file;
  const end = Math.min(last, segment.last);
  let next = from;
  for await (const { records, broken } of scanSegment(file, segment, {
    from,
    last,
    upTo: segment.bytes,
  })) {
    for (const found of records) {
      const { first, count } = found.header;
      if (first > last) return;
      if (first + count <= from) continue;
      const record = decode(source, segment, found);
      next = record.last + 1;
      yield record;
    }
    // What lies after the last durable record may be half written.
    if (next > end) return;
    if (broken !== undefined) throw logCorrupt({ file: segment.path, ...broken });
  }
  if (next <= end) {
    const reason = 'the file ends before its last record';
    throw logCorrupt({ file: segment.path, offset: segment.bytes, sequence: next, reason });
  }
}

function decode({ cipher }: SegmentSource, segment: Segment, found: FoundRecord): LogRecord {
  const { header, bytes, at, offset } = found;
  const { first, count, time } = header;
  const payload = decodePayload(bytes, at, header, cipher);
  if (payload === undefined) {
    const reason = 'the record is not authentic';
    throw logCorrupt({ file: segment.path, offset, sequence: first, reason });
  }
  return { first, last: first + count - 1, time, payload };
}
