import {
  REPLICATION_CHUNK_BYTES_MAX,
  REPLICATION_CHUNK_RECORDS_MAX,
} from '#base/replication-limits.ts';
import type { LogRecord } from '#log/commit-log.ts';
import { corrupt } from './channel-problem.ts';

/**
 * A chunk: consecutive records of the log, merged, one after the other. All numbers are unsigned
 * and big-endian.
 *
 *     bytes
 *         8  first sequence
 *         8  last sequence
 *         8  time of the append, milliseconds since the Unix epoch
 *         4  length of the payload
 *            payload
 */
const HEADER_BYTES = 28;

/**
 * Merges records until one of the bounds is reached; a record that is larger than a chunk is a
 * chunk of its own.
 */
export class ChunkBuilder {
  #parts: Uint8Array[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** Whether a further record belongs into the next chunk. */
  isFullFor({ payload }: LogRecord): boolean {
    return (
      !this.isEmpty &&
      (this.#parts.length >= 2 * REPLICATION_CHUNK_RECORDS_MAX ||
        this.#bytes + HEADER_BYTES + payload.length > REPLICATION_CHUNK_BYTES_MAX)
    );
  }

  add({ first, last, time, payload }: LogRecord): void {
    const header = Buffer.allocUnsafe(HEADER_BYTES);
    header.writeBigUInt64BE(BigInt(first), 0);
    header.writeBigUInt64BE(BigInt(last), 8);
    header.writeBigUInt64BE(BigInt(time), 16);
    header.writeUInt32BE(payload.length, 24);
    this.#parts.push(header, payload);
    this.#bytes += HEADER_BYTES + payload.length;
  }

  /** The encoded chunk, in parts to be sent one after the other; the builder is empty again. */
  take(): readonly Uint8Array[] {
    const parts = this.#parts;
    this.#parts = [];
    this.#bytes = 0;
    return parts;
  }
}

/**
 * The records of a chunk, whose payloads are views of it. Throws `replication_corrupt` unless they
 * are whole and follow one upon the other from sequence `from` on.
 */
export function decodeChunk(chunk: Buffer, from: number): LogRecord[] {
  const records: LogRecord[] = [];
  let next = from;
  let at = 0;
  while (at < chunk.length) {
    if (at + HEADER_BYTES > chunk.length) throw corrupt('a chunk ends within a record');
    const first = Number(chunk.readBigUInt64BE(at));
    const last = Number(chunk.readBigUInt64BE(at + 8));
    const time = Number(chunk.readBigUInt64BE(at + 16));
    const payloadAt = at + HEADER_BYTES;
    const end = payloadAt + chunk.readUInt32BE(at + 24);
    if (end > chunk.length) throw corrupt('a chunk ends within a record');
    if (first !== next || last < first) {
      throw corrupt(`records ${first} to ${last} came where ${next} was expected`);
    }
    records.push({ first, last, time, payload: chunk.subarray(payloadAt, end) });
    next = last + 1;
    at = end;
  }
  if (records.length === 0) throw corrupt('a chunk is empty');
  return records;
}
