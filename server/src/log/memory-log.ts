import { randomBytes } from 'node:crypto';
import { Problem } from '#base/problem.ts';
import { CommitQueue } from './commit-queue.ts';
import { bytesAfter, droppableSegments, segmentBytesMaxDefault } from './retention.ts';
import { logTrimmed, requireReadable } from './log-problem.ts';
import type { Clock } from '#base/clock.ts';
import type { CommitLog, LogRecord } from './commit-log.ts';
import type { QueuedCommit } from './commit-queue.ts';
import type { ArchiveRule } from './retention.ts';

/**
 * What a memory log keeps. A log that is created over the medium of an earlier log is that log,
 * opened again.
 */
export interface MemoryMedium {
  readonly epoch: string;
  /** Every record held, in order. */
  readonly records: LogRecord[];
  /** The segments that hold the records, in order. New records go to the last one. */
  readonly segments: MemorySegment[];
}

interface MemorySegment {
  last: number;
  bytes: number;
  newestTime: number;
}

export interface MemoryLogOptions {
  readonly clock: Clock;
  readonly archive: ArchiveRule;
  /** A new segment begins when the last one holds this many bytes of payload or more. */
  readonly segmentBytesMax?: number;
  /** Appends that would hold more bytes of payload than this reject with `storage_full`. */
  readonly capacityBytes?: number;
  readonly medium?: MemoryMedium;
}

export function createMemoryMedium(epoch = randomBytes(16).toString('hex')): MemoryMedium {
  return { epoch, records: [], segments: [{ last: 0, bytes: 0, newestTime: 0 }] };
}

/**
 * A commit log in memory, for tests of the parts that use a log. It has the same port, group commit
 * and retention, but no files.
 */
export function createMemoryLog(options: MemoryLogOptions): CommitLog {
  return new MemoryLog(options);
}

class MemoryLog implements CommitLog {
  readonly #options: MemoryLogOptions;
  readonly #medium: MemoryMedium;
  readonly #queue: CommitQueue;

  constructor(options: MemoryLogOptions) {
    this.#options = options;
    this.#medium = options.medium ?? createMemoryMedium();
    this.#queue = new CommitQueue({
      clock: options.clock,
      lastSequence: this.#medium.segments.at(-1)!.last,
      write: async (group) => this.#write(group),
    });
  }

  get epoch(): string {
    return this.#medium.epoch;
  }

  get firstSequence(): number {
    return this.#medium.records[0]?.first ?? this.lastSequence + 1;
  }

  get lastSequence(): number {
    return this.#queue.lastSequence;
  }

  append(count: number, payload: Uint8Array, time?: number): Promise<number> {
    return this.#queue.append(count, payload, time);
  }

  read(from: number): AsyncIterable<LogRecord> {
    requireReadable(from, this);
    return this.#records(from, this.lastSequence);
  }

  onDurable(listener: (lastSequence: number) => void): () => void {
    return this.#queue.onDurable(listener);
  }

  bytesAfter(sequence: number): number {
    return bytesAfter(this.#medium.segments, sequence);
  }

  async trim(keepAfter: number): Promise<void> {
    const { records, segments } = this.#medium;
    const { archive, clock } = this.#options;
    const dropped = droppableSegments(segments, keepAfter, archive, clock.now());
    const last = segments.splice(0, dropped).at(-1)?.last ?? 0;
    const kept = records.findIndex((record) => record.first > last);
    records.splice(0, kept < 0 ? records.length : kept);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.close();
  }

  #write(group: readonly QueuedCommit[]): void {
    const { segments, records } = this.#medium;
    const groupBytes = group.reduce((sum, commit) => sum + commit.payload.length, 0);
    const held = segments.reduce((sum, segment) => sum + segment.bytes, 0);
    if (held + groupBytes > (this.#options.capacityBytes ?? Infinity)) {
      throw new Problem('storage_full', 'the memory log has reached its capacity');
    }
    const { archive, segmentBytesMax = segmentBytesMaxDefault(archive) } = this.#options;
    let segment = segments.at(-1)!;
    if (segment.bytes >= segmentBytesMax) {
      segment = { last: segment.last, bytes: 0, newestTime: segment.newestTime };
      segments.push(segment);
    }
    for (const { first, count, time, payload } of group) {
      records.push({ first, last: first + count - 1, time, payload: payload.slice() });
      segment.last = first + count - 1;
      segment.bytes += payload.length;
      segment.newestTime = Math.max(segment.newestTime, time);
    }
  }

  async *#records(from: number, end: number): AsyncGenerator<LogRecord> {
    let next = from;
    while (next <= end) {
      if (next < this.firstSequence) throw logTrimmed(next, this.firstSequence);
      const record = this.#medium.records[this.#indexOf(next)]!;
      yield record;
      next = record.last + 1;
    }
  }

  /** The index of the record that holds the sequence, which must be in the log. */
  #indexOf(sequence: number): number {
    const { records } = this.#medium;
    let low = 0;
    let high = records.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (records[middle]!.last < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
