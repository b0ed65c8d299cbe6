import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { type LogRecord, recordDigest } from '../commit-log.ts';
import { openCipher } from '../log-manifest.ts';
import { logTrimmed } from '../log-problem.ts';
import { segmentCrc } from '../segment.ts';
import { databaseProblem, rowsCorrupt } from './database-problem.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { PostgresConnections } from './postgres-connections.ts';
import { placeOf, rowsIn } from './postgres-database.ts';
import { announcementsOf, type Statements, statementsFor } from './postgres-statements.ts';
import { readManifest, schemaOf } from './postgres-tables.ts';
import { RecordReader, storedRecords } from './stored-records.ts';

export interface LogFollowerOptions {
  readonly address: PostgresAddress;
  readonly workspace: string;
  readonly encryptionKey?: Uint8Array | undefined;
}

export interface LogBounds {
  readonly epoch: string;
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
const READ_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Reads the log in PostgreSQL as it grows, for a member that does not hold the lease.
 *
 * It believes only what is durable on the standby, which not all is that a session shows (see
 * `LogDatabase`). Either the primary has announced it: on the session that appended it, once that
 * was confirmed, and this reads it from the server that passed the announcement on. Or it was read
 * by a transaction that writes as well, whose commit waits for the standby.
 */
export class LogFollower implements AsyncDisposable {
  readonly #options: LogFollowerOptions;
  readonly #connections: PostgresConnections;

  constructor(options: LogFollowerOptions) {
    this.#options = options;
    this.#connections = new PostgresConnections(options.address, 1);
  }

  /** Rejects with `storage_failed` when PostgreSQL does not answer. */
  bounds(): Promise<LogBounds> {
    return this.#run(async (client) => {
      const session = await this.#session(client);
      return { epoch: session.epoch, ...(await session.confirmedBounds()) };
    });
  }

  /**
   * Applies what comes until the signal is aborted, or PostgreSQL goes away: then it rejects with
   * `storage_failed`. Rejects with `replication_epoch_differs` when PostgreSQL has another history
   * than what is applied, or has lost its end, with `log_trimmed`, and with what `apply` throws.
   */
  async follow(following: Following): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    const apply: Following['apply'] = async (records) => {
      try {
        return await following.apply(records);
      } catch (error) {
        failure = { error };
        throw error;
      }
    };
    try {
      await this.#run(async (client) => {
        const session = await this.#session(client);
        await session.follow({ ...following, apply });
      });
    } catch (error) {
      // That is not of the database.
      throw failure === undefined ? error : failure.error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections[Symbol.asyncDispose]();
  }

  async #session(client: PoolClient): Promise<FollowingSession> {
    const { address, workspace, encryptionKey } = this.#options;
    const schema = schemaOf(workspace);
    const place = placeOf(address, workspace);
    const manifest = await readManifest(client, schema, { place, workspace });
    const cipher = openCipher(place, manifest, encryptionKey, randomBytes);
    const { epoch } = manifest;
    return new FollowingSession({ client, schema, place, cipher, epoch });
  }

  async #run<T>(doing: (client: PoolClient) => Promise<T>): Promise<T> {
    try {
      return await this.#connections.run(doing);
    } catch (error) {
      throw databaseProblem('following the commit log in PostgreSQL', error);
    }
  }
}

interface SessionParts {
  readonly client: PoolClient;
  readonly schema: string;
  readonly place: string;
  readonly cipher: ReturnType<typeof openCipher>;
  readonly epoch: string;
}

type Bounds = Omit<LogBounds, 'epoch'>;

/** All that is read is read from one server. */
class FollowingSession {
  readonly epoch: string;
  readonly #parts: SessionParts;
  readonly #statements: Statements;
  /** With which the CRCs of a segment's records begin, by its first sequence; oldest first. */
  readonly #segments: { readonly first: number; readonly crcSeed: number }[] = [];
  /** The newest sequence that is known to be durable. */
  #confirmed = 0;
  #wake = (): void => {};

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.epoch = parts.epoch;
    this.#statements = statementsFor(parts.schema);
  }

  async confirmedBounds(): Promise<Bounds> {
    const { client } = this.#parts;
    await client.query('begin');
    await client.query(this.#statements.waitForStandby);
    const bounds = await this.#bounds();
    await client.query('commit');
    return bounds;
  }

  async follow({ epoch, from, previous, signal, apply }: Following): Promise<void> {
    const { client, schema } = this.#parts;
    const hear = ({ payload }: { readonly payload?: string | undefined }): void => {
      const sequence = Number(payload);
      if (Number.isSafeInteger(sequence)) this.#confirmed = Math.max(this.#confirmed, sequence);
      this.#wake();
    };
    const stop = (): void => this.#wake();
    client.on('notification', hear);
    signal.addEventListener('abort', stop);
    try {
      // What is committed later than this is announced.
      await client.query(`listen ${announcementsOf(schema).identifier}`);
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
      client.off('notification', hear);
      signal.removeEventListener('abort', stop);
      // The session goes back to others.
      await client.query('unlisten *').catch(() => undefined);
    }
  }

  /** Waits until there may be more, by an announcement or a look. */
  async #moreThan(next: number, signal: AbortSignal): Promise<void> {
    const waking = new AbortController();
    this.#wake = () => waking.abort();
    if (next > this.#confirmed && !signal.aborted) {
      await sleep(LOOK_INTERVAL_MS, undefined, { signal: waking.signal }).catch(() => undefined);
    }
    this.#wake = () => {};
    if (waking.signal.aborted || signal.aborted) return;
    if ((await this.#bounds()).lastSequence < next) return;
    this.#confirmed = Math.max(this.#confirmed, (await this.confirmedBounds()).lastSequence);
  }

  async #bounds(): Promise<Bounds> {
    const { rows } = await this.#parts.client.query<{ first: string; last: string | null }>(
      this.#statements.bounds,
    );
    const { first, last } = must(rows[0], 'a row');
    const firstSequence = Number(first);
    return { firstSequence, lastSequence: last === null ? firstSequence - 1 : Number(last) };
  }

  async #requireSameHistory(expected: Pick<Following, 'epoch' | 'from' | 'previous'>) {
    const { epoch, from, previous } = expected;
    if (epoch !== this.epoch) throw differs(`its epoch is ${this.epoch}, not ${epoch}`);
    const { firstSequence, lastSequence } = await this.confirmedBounds();
    this.#confirmed = Math.max(this.#confirmed, lastSequence);
    if (from < firstSequence) throw logTrimmed(from, firstSequence);
    if (from > lastSequence + 1) throw differs(`it ends at ${lastSequence}, before ${from - 1}`);
    if (previous === undefined || from - 1 < firstSequence) return;
    const { client, place, cipher } = this.#parts;
    await this.#readSegments();
    const reading = storedRecords(from - 1, from - 1, {
      place,
      cipher,
      crcSeedOf: (first) => this.#crcSeedOf(first),
      rows: rowsIn(client, this.#statements),
      gap: (sequence) => this.#gap(sequence),
    });
    for await (const record of reading) {
      if (recordDigest(record) !== previous) throw differs(`its record at ${from - 1} is another`);
    }
  }

  async #readerAt(sequence: number): Promise<RowsReader> {
    const { client, place, cipher } = this.#parts;
    const rows = rowsIn(client, this.#statements);
    const groupFirst = await rows.groupAt(sequence);
    if (groupFirst === undefined) throw await this.#gap(sequence);
    const crcSeedOf = (first: number): number => this.#crcSeedOf(first);
    const reader = new RecordReader(groupFirst, { place, cipher, crcSeedOf });
    let at = { first: groupFirst, chunk: -1 };
    return {
      read: async (upTo) => {
        const found = await rows.rowsAfter(at, upTo, READ_BYTES_MAX);
        if (found.length === 0) throw await this.#gap(reader.nextSequence);
        // A segment is there as soon as its first row.
        await this.#readSegments();
        const records: LogRecord[] = [];
        for (const row of found) {
          if (!reader.follows(row)) throw await this.#gap(reader.nextSequence);
          records.push(...reader.take(row));
          at = row;
        }
        return records;
      },
    };
  }

  async #readSegments(): Promise<void> {
    const { client } = this.#parts;
    const after = this.#segments.at(-1)?.first ?? 0;
    const { rows } = await client.query<{ first: string; header: Buffer }>(
      this.#statements.segmentsAfter,
      [after],
    );
    for (const { first, header } of rows) {
      this.#segments.push({ first: Number(first), crcSeed: segmentCrc(header) });
    }
  }

  #crcSeedOf(sequence: number): number {
    const found = this.#segments.findLast(({ first }) => first <= sequence);
    return must(found, 'the segment of a row').crcSeed;
  }

  /** Why no row begins where one should. */
  async #gap(sequence: number): Promise<Problem> {
    const { firstSequence, lastSequence } = await this.#bounds();
    if (sequence < firstSequence) return logTrimmed(sequence, firstSequence);
    if (sequence > lastSequence) return differs(`it ends at ${lastSequence} now`);
    return rowsCorrupt(this.#parts.place, sequence, 'rows are missing');
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
