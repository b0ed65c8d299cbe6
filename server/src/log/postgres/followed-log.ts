import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { type LogRecord, recordDigest } from '../commit-log.ts';
import { logTrimmed } from '../log-problem.ts';
import type { RecordCipher } from '../record-cipher.ts';
import { segmentCrc } from '../segment.ts';
import { rowsCorrupt } from './database-problem.ts';
import { CHUNK_BYTES_MAX, type LogDatabase, type StoredSegment } from './log-database.ts';
import { RecordReader, storedRecords } from './stored-records.ts';

/**
 * One session of a member that does not hold the lease, with one server of the database: all that
 * it reads is read there. When that goes away, every call rejects with a `DatabaseFault`.
 */
export interface FollowedLog {
  readonly place: string;
  readonly epoch: string;
  readonly cipher: RecordCipher | undefined;
  readonly rows: Pick<LogDatabase, 'groupAt' | 'rowsAfter'>;
  /** As the server shows them, which may not be durable. */
  bounds(): Promise<SequenceBounds>;
  /** By a transaction that writes as well, and whose commit waits for the standby. */
  confirmedBounds(): Promise<SequenceBounds>;
  segments(): Promise<readonly StoredSegment[]>;
  /** Tells from now on what the primary announces, until it is disposed of. */
  listen(hear: (sequence: number) => void): Promise<AsyncDisposable>;
  /** Resolves after the time, or once the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

export interface SequenceBounds {
  readonly firstSequence: number;
  readonly lastSequence: number;
}

export interface Following {
  readonly epoch: string;
  /** The first sequence that is not applied. */
  readonly from: number;
  /** The `recordDigest` of the record before it, where it is known. */
  readonly previous: string | undefined;
  readonly signal: AbortSignal;
  /** Applies records in one write. The next ones wait for it. */
  readonly apply: (records: readonly LogRecord[]) => Promise<unknown>;
}

/** The primary tells what is new; who hears nothing looks so often. */
const LOOK_INTERVAL_MS = 1_000;
/** One chunk, so that each read is answered soon, over a slow link too. */
const READ_BYTES_MAX = CHUNK_BYTES_MAX;

/**
 * Applies what comes until the signal is aborted. It believes only what is durable on the standby,
 * which not all is that a session shows (see `LogDatabase`). Either the primary has announced it:
 * on the session that appended it, once that was confirmed, and this reads it from the server that
 * passed the announcement on. Or it was read by a transaction that writes as well.
 *
 * Rejects with `replication_epoch_differs` when the database has another history than what is
 * applied, or has lost its end, with `log_trimmed`, and with what `apply` throws.
 */
export function followLog(log: FollowedLog, following: Following): Promise<void> {
  return new FollowingSession(log).follow(following);
}

class FollowingSession {
  readonly #log: FollowedLog;
  /** With which the CRCs of a segment's records begin, by its first sequence; oldest first. */
  readonly #segments: { readonly first: number; readonly crcSeed: number }[] = [];
  /** The newest sequence that is known to be durable. */
  #confirmed = 0;
  #wake = (): void => {};

  constructor(log: FollowedLog) {
    this.#log = log;
  }

  async follow({ epoch, from, previous, signal, apply }: Following): Promise<void> {
    const hear = (sequence: number): void => {
      this.#confirmed = Math.max(this.#confirmed, sequence);
      this.#wake();
    };
    const stop = (): void => this.#wake();
    signal.addEventListener('abort', stop);
    try {
      // What is committed later than this is announced.
      await using _listening = await this.#log.listen(hear);
      await this.#requireSameHistory({ epoch, from, previous });
      let reader: RowsReader | undefined;
      let next = from;
      while (!signal.aborted) {
        if (next > this.#confirmed) {
          await this.#moreThan(next, signal);
          continue;
        }
        reader ??= await this.#readerAt(next);
        const records = (await reader.read(this.#confirmed)).filter(({ last }) => last >= next);
        if (records.length === 0 || signal.aborted) continue;
        await apply(records);
        next = must(records.at(-1), 'a record').last + 1;
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Waits until there may be more, by an announcement or a look. */
  async #moreThan(next: number, signal: AbortSignal): Promise<void> {
    const waking = new AbortController();
    this.#wake = () => waking.abort();
    if (next > this.#confirmed && !signal.aborted) {
      await this.#log.pause(LOOK_INTERVAL_MS, waking.signal);
    }
    this.#wake = () => {};
    if (waking.signal.aborted || signal.aborted) return;
    if ((await this.#log.bounds()).lastSequence < next) return;
    this.#confirmed = Math.max(this.#confirmed, (await this.#log.confirmedBounds()).lastSequence);
  }

  async #requireSameHistory(expected: Pick<Following, 'epoch' | 'from' | 'previous'>) {
    const { epoch, from, previous } = expected;
    const { place, cipher, rows } = this.#log;
    if (epoch !== this.#log.epoch) throw differs(`its epoch is ${this.#log.epoch}, not ${epoch}`);
    const { firstSequence, lastSequence } = await this.#log.confirmedBounds();
    this.#confirmed = Math.max(this.#confirmed, lastSequence);
    if (from < firstSequence) throw logTrimmed(from, firstSequence);
    if (from > lastSequence + 1) throw differs(`it ends at ${lastSequence}, before ${from - 1}`);
    if (previous === undefined || from - 1 < firstSequence) return;
    await this.#readSegments();
    const reading = storedRecords(from - 1, from - 1, {
      place,
      cipher,
      crcSeedOf: (first) => this.#crcSeedOf(first),
      rows,
      gap: (sequence) => this.#gap(sequence),
    });
    for await (const record of reading) {
      if (recordDigest(record) !== previous) throw differs(`its record at ${from - 1} is another`);
    }
  }

  async #readerAt(sequence: number): Promise<RowsReader> {
    const { place, cipher, rows } = this.#log;
    const groupFirst = await rows.groupAt(sequence);
    if (groupFirst === undefined) throw await this.#gap(sequence);
    await this.#readSegments();
    const crcSeedOf = (first: number): number => this.#crcSeedOf(first);
    const reader = new RecordReader(groupFirst, { place, cipher, crcSeedOf });
    let at = { first: groupFirst, chunk: -1 };
    return {
      read: async (upTo) => {
        const found = await rows.rowsAfter(at, upTo, READ_BYTES_MAX);
        if (found.length === 0) throw await this.#gap(reader.nextSequence);
        const records: LogRecord[] = [];
        for (const row of found) {
          // A segment is there as soon as its first row.
          if (row.header !== undefined) this.#takeSegment({ first: row.first, header: row.header });
          if (!reader.follows(row)) throw await this.#gap(reader.nextSequence);
          records.push(...reader.take(row));
          at = row;
        }
        return records;
      },
    };
  }

  /** Of the segments so far; later ones come with their first rows. */
  async #readSegments(): Promise<void> {
    for (const segment of await this.#log.segments()) this.#takeSegment(segment);
  }

  #takeSegment({ first, header }: StoredSegment): void {
    if (first <= (this.#segments.at(-1)?.first ?? 0)) return;
    this.#segments.push({ first, crcSeed: segmentCrc(header) });
  }

  #crcSeedOf(sequence: number): number {
    const found = this.#segments.findLast(({ first }) => first <= sequence);
    return must(found, 'the segment of a row').crcSeed;
  }

  /** Why no row begins where one should. */
  async #gap(sequence: number): Promise<Problem> {
    const { firstSequence, lastSequence } = await this.#log.bounds();
    if (sequence < firstSequence) return logTrimmed(sequence, firstSequence);
    if (sequence > lastSequence) return differs(`it ends at ${lastSequence} now`);
    return rowsCorrupt(this.#log.place, sequence, 'rows are missing');
  }
}

interface RowsReader {
  /** The records that end in the next rows of groups that begin at or before a sequence. */
  read(upTo: number): Promise<readonly LogRecord[]>;
}

function differs(what: string): Problem {
  return new Problem(
    'replication_epoch_differs',
    `the log in PostgreSQL is not what this member follows: ${what}`,
  );
}
