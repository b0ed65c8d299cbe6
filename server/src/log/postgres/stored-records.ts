import type { Problem } from '#base/problem.ts';
import type { LogRecord } from '../commit-log.ts';
import { encodeGroup } from '../record.ts';
import type { QueuedCommit } from '../commit-queue.ts';
import { decodePayload } from '../record.ts';
import type { RecordCipher } from '../record-cipher.ts';
import { parseRecords } from '../segment-reader.ts';
import { rowsCorrupt } from './database-problem.ts';
import {
  CHUNK_BYTES_MAX,
  type LogDatabase,
  type StoredGroup,
  type StoredRow,
} from './log-database.ts';

interface Frame {
  readonly crcSeed: number;
  readonly cipher: RecordCipher | undefined;
}

/** A group as it is stored after the records that end before it. */
export function storedGroup(group: readonly QueuedCommit[], frame: Frame): StoredGroup {
  const [oldest] = group;
  const newest = group.at(-1);
  const first = oldest?.first ?? 0;
  const { chunks } = encodeGroup(group, { durable: first - 1, ...frame });
  return {
    first,
    last: (newest?.first ?? 0) + (newest?.count ?? 0) - 1,
    newestTime: group.reduce((time, commit) => Math.max(time, commit.time), 0),
    chunks: [...cut(chunks)],
  };
}

/** The same bytes in chunks of at most CHUNK_BYTES_MAX, all but the last of that size. */
function* cut(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length;) {
      const piece = part.subarray(at, at + CHUNK_BYTES_MAX - bytes);
      waiting.push(piece);
      at += piece.length;
      bytes += piece.length;
      if (bytes < CHUNK_BYTES_MAX) continue;
      yield joined(waiting);
      waiting = [];
      bytes = 0;
    }
  }
  if (bytes > 0) yield joined(waiting);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}

interface RecordReaderOptions {
  readonly place: string;
  readonly cipher: RecordCipher | undefined;
  /** Where the CRCs of a group's records begin. */
  readonly crcSeedOf: (groupFirst: number) => number;
}

/**
 * Puts records together from rows that come in order, from the beginning of a group on. A record
 * may lie in many rows; no more is held than one record and a row.
 */
export class RecordReader {
  readonly #options: RecordReaderOptions;
  #place = { first: 0, chunk: -1 };
  /** The sequence with which the next record begins. */
  #next: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** The record that is read has at least so many bytes. */
  #missingBytes = 0;

  constructor(firstSequence: number, options: RecordReaderOptions) {
    this.#next = firstSequence;
    this.#options = options;
  }

  get nextSequence(): number {
    return this.#next;
  }

  /** Whether the row goes on where the last one ended; when it does not, some are missing. */
  follows({ first, chunk }: StoredRow): boolean {
    if (chunk > 0) return first === this.#place.first && chunk === this.#place.chunk + 1;
    return this.#waitingBytes === 0 && first === this.#next;
  }

  /** The records that end in the row, which must follow. */
  *take({ first, chunk, body }: StoredRow): Generator<LogRecord> {
    this.#place = { first, chunk };
    this.#waiting.push(body);
    this.#waitingBytes += body.length;
    if (this.#waitingBytes < this.#missingBytes) return;
    const { place, cipher, crcSeedOf } = this.#options;
    const bytes = this.#waiting.length === 1 ? body : Buffer.concat(this.#waiting);
    const position = { offset: 0, sequence: this.#next, crcSeed: crcSeedOf(first) };
    const found = parseRecords(bytes, position);
    for (const { header, at } of found.records) {
      const payload = decodePayload(bytes, at, header, cipher);
      if (payload === undefined) {
        throw rowsCorrupt(place, header.first, 'the record is not authentic');
      }
      this.#next = header.first + header.count;
      yield { first: header.first, last: this.#next - 1, time: header.time, payload };
    }
    if (found.reason !== undefined) throw rowsCorrupt(place, this.#next, found.reason);
    const rest = bytes.subarray(found.offset);
    this.#waiting = rest.length === 0 ? [] : [rest];
    this.#waitingBytes = rest.length;
    this.#missingBytes = found.missingBytes;
  }
}

/** How much a read fetches at once; a group that is larger is fetched in parts. */
const READ_BYTES_MAX = 4 * 1024 * 1024;

export interface StoredReading extends RecordReaderOptions {
  readonly rows: Pick<LogDatabase, 'groupAt' | 'rowsAfter'>;
  /** Why no row begins where one should. */
  readonly gap: (sequence: number) => Promise<Problem>;
}

/** The records from the one that holds `from` to the one that holds `last`, in order. */
export async function* storedRecords(
  from: number,
  last: number,
  { rows: source, gap, ...options }: StoredReading,
): AsyncGenerator<LogRecord> {
  if (from > last) return;
  const groupFirst = await source.groupAt(from);
  if (groupFirst === undefined) throw await gap(from);
  const reader = new RecordReader(groupFirst, options);
  let place = { first: groupFirst, chunk: -1 };
  while (reader.nextSequence <= last) {
    const rows = await source.rowsAfter(place, last, READ_BYTES_MAX);
    if (rows.length === 0) throw await gap(reader.nextSequence);
    for (const row of rows) {
      if (!reader.follows(row)) throw await gap(reader.nextSequence);
      for (const record of reader.take(row)) if (record.last >= from) yield record;
      place = row;
    }
  }
}
