import { randomBytes } from 'node:crypto';
import { must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { Problem } from '#base/problem.ts';
import type { CommitLog, LogRecord } from '../commit-log.ts';
import { CommitQueue, type QueuedCommit } from '../commit-queue.ts';
import { type LogManifest, newLogManifest, openCipher } from '../log-manifest.ts';
import { logTrimmed, requireReadable } from '../log-problem.ts';
import type { RandomBytes, RecordCipher } from '../record-cipher.ts';
import {
  type ArchiveRule,
  bytesAfter,
  droppableSegments,
  segmentBytesMaxDefault,
} from '../retention.ts';
import { encodeSegmentHeader, NO_PREVIOUS_SEGMENT } from '../segment.ts';
import type { LogBeginning } from '../segment-log.ts';
import { databaseProblem, noPrimary, rowsCorrupt } from './database-problem.ts';
import type { Lease } from './lease.ts';
import {
  DatabaseFault,
  type LeaseTerm,
  type LogDatabase,
  type StoredGroup,
  type StoredSegment,
} from './log-database.ts';
import { newSegment, type HeldSegment, heldSegments } from './held-segments.ts';
import { storedGroup, storedRecords } from './stored-records.ts';

export interface DatabaseLogOptions {
  readonly database: LogDatabase;
  /** Taken before the log is opened, which then reads to its end. */
  readonly lease: Lease;
  readonly clock: Clock;
  /** As of a log in a folder. */
  readonly encryptionKey?: Uint8Array;
  readonly segmentBytesMax?: number;
  readonly archive: ArchiveRule;
  readonly random?: RandomBytes;
  /**
   * Aborted when the log is about to be disposed of: while the database does not answer, what
   * became of a commit stays open then, and a trim waits for nobody.
   */
  readonly closing?: AbortSignal;
}

interface LogSeed {
  readonly encryptionKey?: Uint8Array | undefined;
  readonly beginning?: LogBeginning | undefined;
  readonly random?: RandomBytes | undefined;
}

/** The manifest and the first segment of a new log. */
export function beginDatabaseLog({ encryptionKey, beginning, random = randomBytes }: LogSeed): {
  readonly manifest: LogManifest;
  readonly segment: StoredSegment;
} {
  const manifest = newLogManifest(encryptionKey, random, beginning?.epoch);
  const first = (beginning?.after ?? 0) + 1;
  const encrypted = manifest.encryption !== null;
  const { epoch } = manifest;
  const header = encodeSegmentHeader({ epoch, encrypted, first, previous: NO_PREVIOUS_SEGMENT });
  return { manifest, segment: { first, header } };
}

/**
 * Opens the log that a database holds, for the member that holds the lease. Disposing of it leaves
 * the lease and the database open.
 *
 * Rejects, having changed nothing, with the problems `wrong_master_key`, `log_corrupt`,
 * `no_primary` when the lease is lost meanwhile, and `storage_failed` when the database does not
 * answer.
 */
export async function openDatabaseLog(options: DatabaseLogOptions): Promise<CommitLog> {
  const { database, lease, encryptionKey, random = randomBytes } = options;
  try {
    const manifest = await database.readManifest();
    const cipher = openCipher(database.place, manifest, encryptionKey, random);
    const contents = await database.readContents();
    const { current } = lease;
    if (current?.term !== contents.lease.term || current.holder !== contents.lease.holder) {
      throw noPrimary(database.place);
    }
    const segments = heldSegments(database.place, contents, manifest);
    return new DatabaseLog(options, { manifest, cipher, segments });
  } catch (error) {
    throw databaseProblem('opening the commit log', error);
  }
}

interface DatabaseLogParts {
  readonly manifest: LogManifest;
  readonly cipher: RecordCipher | undefined;
  /** Oldest first, never empty. New groups go to the last one. */
  readonly segments: HeldSegment[];
}

class DatabaseLog implements CommitLog {
  readonly #options: DatabaseLogOptions;
  readonly #parts: DatabaseLogParts;
  readonly #queue: CommitQueue;
  readonly #segmentBytesMax: number;
  readonly #trims = new OneAtATime();
  readonly #disposal = new AbortController();
  /** Aborted when it is disposed of, or is about to be. */
  readonly #closing: AbortSignal;

  constructor(options: DatabaseLogOptions, parts: DatabaseLogParts) {
    this.#options = options;
    this.#parts = parts;
    const { closing = this.#disposal.signal } = options;
    this.#closing = AbortSignal.any([closing, this.#disposal.signal]);
    this.#segmentBytesMax = options.segmentBytesMax ?? segmentBytesMaxDefault(options.archive);
    this.#queue = new CommitQueue({
      clock: options.clock,
      lastSequence: this.#newest.last,
      write: (group) => this.#write(group),
    });
  }

  get epoch(): string {
    return this.#parts.manifest.epoch;
  }

  get firstSequence(): number {
    return must(this.#parts.segments[0], 'a segment').first;
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
    return bytesAfter(this.#parts.segments, sequence);
  }

  trim(keepAfter: number): Promise<void> {
    return this.#trims.run(() => this.#dropSegments(keepAfter));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposal.abort();
    await this.#queue.close();
    await this.#trims.ended();
  }

  get #newest(): HeldSegment {
    return must(this.#parts.segments.at(-1), 'a segment');
  }

  async #write(commits: readonly QueuedCommit[]): Promise<void> {
    const { database, lease } = this.#options;
    const held = lease.current;
    if (held === undefined) throw noPrimary(database.place);
    const begun =
      this.#newest.bytes >= this.#segmentBytesMax ? newSegment(this.#newest) : undefined;
    const { crcSeed } = begun ?? this.#newest;
    const group = {
      ...storedGroup(commits, { crcSeed, cipher: this.#parts.cipher }),
      ...(begun === undefined ? {} : { segment: begun.stored }),
    };
    if (!(await this.#append(group, held))) {
      lease.lose();
      throw noPrimary(database.place);
    }
    if (begun !== undefined) this.#parts.segments.push(begun);
    const segment = this.#newest;
    segment.last = group.last;
    segment.newestTime = Math.max(segment.newestTime, group.newestTime);
    segment.bytes += group.chunks.reduce((sum, { length }) => sum + length, 0);
  }

  /**
   * False when the lease is lost. When it throws, the group is not in the log, nor ever will be;
   * unless the log is closed while that is still open, or others have trimmed so far.
   */
  async #append(group: StoredGroup, held: LeaseTerm): Promise<boolean> {
    const { database, lease } = this.#options;
    try {
      return await database.append(group, held);
    } catch (error) {
      if (isOpen(error)) {
        if (await this.#isThereAfterAll(group, held)) return true;
        // Another member has it by now: that is the reason to tell.
        if (lease.isLost) return false;
      }
      throw appendProblem(database.place, error);
    }
  }

  /**
   * Whether a group whose append broke off is in the log. Asks until that is certain: until then
   * nothing else is appended, and nobody is told anything about the commits of the group.
   */
  async #isThereAfterAll({ first }: StoredGroup, held: LeaseTerm): Promise<boolean> {
    const { database, lease } = this.#options;
    for (;;) {
      try {
        const { groupTerm, firstSequence } = await lease.settle(database, held, first);
        if (first < firstSequence) {
          throw new Error(`the log begins at ${firstSequence} now, and may have had the commit`);
        }
        // Only this member appends in this term, and one group at a time.
        return groupTerm === held.term;
      } catch (error) {
        if (!(error instanceof DatabaseFault) || this.#closing.aborted) throw error;
      }
      await lease.retryLater();
    }
  }

  async *#records(from: number, last: number): AsyncGenerator<LogRecord> {
    const { database } = this.#options;
    const { cipher } = this.#parts;
    const reading = storedRecords(from, last, {
      place: database.place,
      cipher,
      crcSeedOf: (first) => this.#segmentOf(first).crcSeed,
      rows: {
        groupAt: (sequence) => this.#ask(() => database.groupAt(sequence)),
        rowsAfter: (...asked) => this.#ask(() => database.rowsAfter(...asked)),
      },
      gap: (sequence) => this.#gap(sequence),
    });
    for await (const record of reading) {
      if (record.first < this.firstSequence) throw logTrimmed(record.first, this.firstSequence);
      yield record;
    }
  }

  #segmentOf(sequence: number): HeldSegment {
    const found = this.#parts.segments.findLast(({ first }) => first <= sequence);
    if (found === undefined) throw logTrimmed(sequence, this.firstSequence);
    return found;
  }

  /** Why no row begins where one should: a trim has overtaken the reader, or it is lost. */
  async #gap(sequence: number): Promise<Problem> {
    const { database } = this.#options;
    const { segments } = await this.#ask(() => database.readContents());
    const [oldest] = segments;
    if (oldest !== undefined && sequence < oldest.first) return logTrimmed(sequence, oldest.first);
    return rowsCorrupt(database.place, sequence, 'rows are missing');
  }

  async #dropSegments(keepAfter: number): Promise<void> {
    const { database, lease, archive, clock } = this.#options;
    const { segments } = this.#parts;
    const count = droppableSegments(segments, keepAfter, archive, clock.now());
    const kept = segments[count];
    if (count === 0 || kept === undefined) return;
    const held = lease.current;
    if (held === undefined) throw noPrimary(database.place);
    const isDropped = await this.#ask(() => database.dropBefore(kept.first, held, this.#closing));
    if (!isDropped) throw noPrimary(database.place);
    segments.splice(0, count);
  }

  async #ask<T>(asking: () => Promise<T>): Promise<T> {
    try {
      return await asking();
    } catch (error) {
      throw databaseProblem(`reading ${this.#options.database.place}`, error);
    }
  }
}

/** While PostgreSQL does not answer, no member can append. */
function appendProblem(place: string, error: unknown): Problem {
  const problem = databaseProblem(`appending to ${place}`, error);
  if (problem.code !== 'storage_failed' || !(error instanceof DatabaseFault)) return problem;
  return new Problem('no_primary', problem.message, {
    hint: 'Check PostgreSQL and the way to it; writing goes on once it answers.',
    cause: error,
  });
}

function isOpen(error: unknown): boolean {
  return error instanceof DatabaseFault && error.outcome === 'open';
}
