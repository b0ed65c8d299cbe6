import { randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import { must } from '#base/assert.ts';
import { pauseFor, timerAlarm } from '#base/clock.ts';
import { openCipher } from '../log-manifest.ts';
import type { RecordCipher } from '../record-cipher.ts';
import { databaseProblem } from './database-problem.ts';
import {
  type FollowedLog,
  type Following,
  followLog,
  type SequenceBounds,
} from './followed-log.ts';
import type { StoredSegment } from './log-database.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { PostgresConnections, SOON_ANSWER_TIMEOUT_MS } from './postgres-connections.ts';
import { placeOf, rowsIn } from './postgres-database.ts';
import {
  announcementsOf,
  RELEASED,
  type Statements,
  statementsFor,
} from './postgres-statements.ts';
import { readManifest, schemaOf } from './postgres-tables.ts';

export interface LogFollowerOptions {
  readonly address: PostgresAddress;
  readonly workspace: string;
  readonly encryptionKey?: Uint8Array | undefined;
  /** Told while it follows, when the primary has let its lease go. */
  readonly onReleased?: (() => void) | undefined;
}

export interface LogBounds extends SequenceBounds {
  readonly epoch: string;
}

/** Reads the log in PostgreSQL as it grows, for a member that does not hold the lease. */
export class LogFollower implements AsyncDisposable {
  readonly #options: LogFollowerOptions;
  readonly #connections: PostgresConnections;

  constructor(options: LogFollowerOptions) {
    this.#options = options;
    this.#connections = new PostgresConnections(options.address, { max: 1 });
  }

  /** Rejects with `storage_failed` when PostgreSQL does not answer. */
  bounds(): Promise<LogBounds> {
    return this.#run(async (client) => {
      const session = await this.#session(client);
      return { epoch: session.epoch, ...(await session.confirmedBounds()) };
    });
  }

  /**
   * See `followLog`. Rejects with `storage_failed` when PostgreSQL goes away.
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
        await followLog(await this.#session(client), { ...following, apply });
      });
    } catch (error) {
      // That is not of the database.
      throw failure === undefined ? error : failure.error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections[Symbol.asyncDispose]();
  }

  async #session(client: PoolClient): Promise<FollowedLog> {
    const { address, workspace, encryptionKey, onReleased } = this.#options;
    const schema = schemaOf(workspace);
    const place = placeOf(address, workspace);
    const manifest = await readManifest(client, schema, { place, workspace });
    const cipher = openCipher(place, manifest, encryptionKey, randomBytes);
    return new PostgresSession(client, {
      schema,
      place,
      cipher,
      epoch: manifest.epoch,
      onReleased,
    });
  }

  async #run<T>(doing: (client: PoolClient) => Promise<T>): Promise<T> {
    try {
      return await this.#connections.run(doing);
    } catch (error) {
      throw databaseProblem('following the commit log in PostgreSQL', error);
    }
  }
}

interface SessionParts
  extends Pick<FollowedLog, 'place' | 'epoch'>, Pick<LogFollowerOptions, 'onReleased'> {
  readonly schema: string;
  readonly cipher: RecordCipher | undefined;
}

/**
 * What one read of rows may take, some hundred kilobytes a second: a session that died in the
 * middle of it is noticed, and a slow link is not taken for a dead one.
 */
const ROWS_TIMEOUT_MS = 8_000;

class PostgresSession implements FollowedLog {
  readonly place: string;
  readonly epoch: string;
  readonly cipher: RecordCipher | undefined;
  readonly rows: FollowedLog['rows'];
  readonly #client: PoolClient;
  readonly #schema: string;
  readonly #statements: Statements;
  readonly #onReleased: (() => void) | undefined;

  constructor(client: PoolClient, parts: SessionParts) {
    const { schema, place, cipher, epoch } = parts;
    this.#onReleased = parts.onReleased;
    this.#client = client;
    this.#schema = schema;
    this.#statements = statementsFor(schema);
    this.place = place;
    this.epoch = epoch;
    this.cipher = cipher;
    this.rows = rowsIn(client, this.#statements, ROWS_TIMEOUT_MS);
  }

  /** A session that is dead, and is not closed, is noticed by its looks. */
  bounds(): Promise<SequenceBounds> {
    return this.#bounds({ query_timeout: SOON_ANSWER_TIMEOUT_MS });
  }

  async confirmedBounds(): Promise<SequenceBounds> {
    await this.#client.query('begin');
    await this.#client.query(this.#statements.waitForStandby);
    const bounds = await this.#bounds({});
    await this.#client.query('commit');
    return bounds;
  }

  async segments(): Promise<readonly StoredSegment[]> {
    const { rows } = await this.#client.query<{ first: string; header: Buffer }>(
      this.#statements.segments,
    );
    return rows.map(({ first, header }) => ({ first: Number(first), header }));
  }

  async listen(hear: (sequence: number) => void): Promise<AsyncDisposable> {
    const client = this.#client;
    const onNotification = ({ payload }: { readonly payload?: string | undefined }): void => {
      if (payload === RELEASED) this.#onReleased?.();
      const sequence = Number(payload);
      if (Number.isSafeInteger(sequence)) hear(sequence);
    };
    client.on('notification', onNotification);
    const listening = {
      [Symbol.asyncDispose]: async () => {
        client.off('notification', onNotification);
        // The session goes back to others; one that is dead is not waited for again.
        const soon = { query_timeout: SOON_ANSWER_TIMEOUT_MS };
        await client.query({ text: 'unlisten *', ...soon }).catch(() => undefined);
      },
    };
    try {
      await client.query(`listen ${announcementsOf(this.#schema).identifier}`);
      return listening;
    } catch (error) {
      await listening[Symbol.asyncDispose]();
      throw error;
    }
  }

  pause(ms: number, signal: AbortSignal): Promise<void> {
    return pauseFor(timerAlarm, ms, signal);
  }

  async #bounds(how: { readonly query_timeout?: number }): Promise<SequenceBounds> {
    const { rows } = await this.#client.query<{ first: string; last: string | null }>({
      ...this.#statements.bounds,
      ...how,
    });
    const { first, last } = must(rows[0], 'a row');
    const firstSequence = Number(first);
    return { firstSequence, lastSequence: last === null ? firstSequence - 1 : Number(last) };
  }
}
