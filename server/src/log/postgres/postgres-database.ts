import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, type PoolClient } from 'pg';
import { must } from '#base/assert.ts';
import { FOLLOWER_GATHER_INTERVAL_MS } from '#base/replication-limits.ts';
import { unlessAborted } from '#base/unless-aborted.ts';
import type { LogManifest } from '../log-manifest.ts';
import {
  DatabaseFault,
  type LeaseTerm,
  type LogDatabase,
  type Settled,
  type StoredContents,
  type StoredGroup,
  type StoredRow,
} from './log-database.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { PostgresConnections, SOON_ANSWER_TIMEOUT_MS } from './postgres-connections.ts';
import {
  announcementsOf,
  RELEASED,
  type Statement,
  type Statements,
  statementsFor,
} from './postgres-statements.ts';
import { prepareTables, schemaOf, type TablesOptions } from './postgres-tables.ts';

export interface PostgresDatabaseOptions {
  readonly address: PostgresAddress;
  /** Keeps the workspaces of one database apart. */
  readonly workspace: string;
  /** The first things of a log that does not exist yet; undefined when it has to exist. */
  readonly begin: TablesOptions['begin'];
  /** What a trim waits for others that may see its rows, and for those that hold the tables. */
  readonly roomWaitMs?: number;
}

const ROOM_WAIT_MS = 5_000;
const ROOM_LOOK_INTERVAL_MS = 50;
const LOCK_NOT_AVAILABLE = '55P03';

/** How many reads may be under way. */
const READS_MAX = 4;

interface ContentsRow extends LeaseRow {
  readonly first: string;
  readonly header: Buffer;
  readonly last: string | null;
  readonly bytes: string;
  readonly time: string;
}

/** The log of a workspace in PostgreSQL itself: see `log-database.ts`. */
export class PostgresDatabase implements LogDatabase {
  readonly place: string;
  readonly #appends: PostgresConnections;
  /** Renewals wait neither for an append nor for reads. */
  readonly #leases: PostgresConnections;
  readonly #reads: PostgresConnections;
  readonly #manifest: LogManifest;
  readonly #statements: Statements;
  readonly #announcements: Announcements;
  readonly #roomWaitMs: number;

  private constructor(
    { address, workspace, roomWaitMs = ROOM_WAIT_MS }: PostgresDatabaseOptions,
    appends: PostgresConnections,
    manifest: LogManifest,
  ) {
    this.place = placeOf(address, workspace);
    this.#appends = appends;
    this.#leases = new PostgresConnections(address, {
      max: 2,
      answerTimeoutMs: SOON_ANSWER_TIMEOUT_MS,
    });
    this.#reads = new PostgresConnections(address, { max: READS_MAX });
    this.#manifest = manifest;
    this.#roomWaitMs = roomWaitMs;
    this.#statements = statementsFor(schemaOf(workspace));
    this.#announcements = new Announcements(appends, schemaOf(workspace));
  }

  /** Rejects with `log_database_unsuitable` or a `DatabaseFault`, having changed nothing. */
  static async open(options: PostgresDatabaseOptions): Promise<PostgresDatabase> {
    await using parts = new AsyncDisposableStack();
    const { address, workspace, begin } = options;
    const connections = parts.use(new PostgresConnections(address, { max: 1 }));
    const place = placeOf(address, workspace);
    const manifest = await prepareTables({ connections, workspace, place, begin });
    parts.move();
    return new PostgresDatabase(options, connections, manifest);
  }

  async readManifest(): Promise<LogManifest> {
    return this.#manifest;
  }

  async append(group: StoredGroup, lease: LeaseTerm): Promise<boolean> {
    let session: PoolClient | undefined;
    const isAppended = await this.#appends.run((client, mark) => {
      session = client;
      return this.#appendOn(client, mark, group, lease);
    });
    if (isAppended && session !== undefined) this.#announcements.confirmed(session, group.last);
    return isAppended;
  }

  #appendOn(
    client: PoolClient,
    mark: { sent: boolean },
    group: StoredGroup,
    lease: LeaseTerm,
  ): Promise<boolean> {
    const { chunks, segment } = group;
    if (chunks.length > 1 || segment !== undefined) {
      return this.#appendInParts(client, mark, group, lease);
    }
    mark.sent = true;
    return insertChunk(client, this.#statements, { group, chunk: 0, lease });
  }

  /** On a session of reads: that of appends may be waited for, for as long as a standby needs. */
  settle({ term, holder }: LeaseTerm, groupFirst: number): Promise<Settled> {
    const { raiseTerm, groupTerm } = this.#statements;
    return this.#reads.run(async (client, mark) => {
      await client.query('begin');
      const raised = await client.query<LeaseRow>(raiseTerm, [term, holder]);
      // A statement of its own: it sees the append that the other one has waited for.
      const found = await client.query<{ term: string | null; first: string }>(groupTerm, [
        groupFirst,
      ]);
      mark.sent = true;
      await client.query('commit');
      const row = must(found.rows[0], 'a row');
      return {
        lease: leaseOf(raised.rows),
        groupTerm: row.term === null ? undefined : Number(row.term),
        firstSequence: Number(row.first),
      };
    });
  }

  readContents(): Promise<StoredContents> {
    return this.#read(async (client) => {
      const { rows } = await client.query<ContentsRow>(this.#statements.readContents);
      const segments = rows.map(({ first, header }) => ({ first: Number(first), header }));
      const lease = leaseOf(rows);
      const { last, bytes, time } = must(rows[0], 'a segment');
      if (last === null) return { lease, segments, end: undefined };
      const end = { last: Number(last), bytes: Number(bytes), newestTime: Number(time) };
      return { lease, segments, end };
    });
  }

  groupAt(sequence: number): Promise<number | undefined> {
    return this.#read((client) => rowsIn(client, this.#statements).groupAt(sequence));
  }

  rowsAfter(...asked: Parameters<LogDatabase['rowsAfter']>): Promise<readonly StoredRow[]> {
    return this.#read((client) => rowsIn(client, this.#statements).rowsAfter(...asked));
  }

  /** When this resolves, new rows can have the room: PostgreSQL's own turn is not waited for. */
  async dropBefore(
    segmentFirst: number,
    { term, holder }: LeaseTerm,
    closing: AbortSignal,
  ): Promise<boolean> {
    const dropped = await this.#read(async (client) => {
      const values = [term, holder, segmentFirst];
      const { dropBefore } = this.#statements;
      return (await client.query<{ transaction: string }>(dropBefore, values)).rows[0];
    });
    if (dropped === undefined) return false;
    const making = this.#read((client) => {
      const room = this.#makeRoom(client, dropped.transaction, closing);
      // What the session is in the middle of ends with it.
      return unlessAborted(room, closing);
    });
    await making.catch((error: unknown) => {
      if (!closing.aborted) throw error;
    });
    return true;
  }

  confirmLease(): Promise<LeaseTerm> {
    return this.#leases.run(async (client, mark) => {
      mark.sent = true;
      const { rows } = await client.query<LeaseRow>(this.#statements.confirmLease);
      return leaseOf(rows);
    });
  }

  takeLease(holder: string, durationMs: number): Promise<number | undefined> {
    return this.#leases.run(async (client, mark) => {
      mark.sent = true;
      const values = [holder, durationMs];
      const { rows } = await client.query<{ term: string }>(this.#statements.takeLease, values);
      return rows[0] === undefined ? undefined : Number(rows[0].term);
    });
  }

  async renewLease({ term, holder }: LeaseTerm, durationMs: number): Promise<boolean> {
    const { renewLease } = this.#statements;
    return (await this.#change(renewLease, [term, holder, durationMs])) === 1;
  }

  async releaseLease({ term, holder }: LeaseTerm): Promise<void> {
    const values = [term, holder, this.#announcements.name, RELEASED];
    await this.#change(this.#statements.releaseLease, values);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await using parts = new AsyncDisposableStack();
    parts.use(this.#appends);
    parts.use(this.#announcements);
    parts.use(this.#leases);
    parts.use(this.#reads);
  }

  async #appendInParts(
    client: PoolClient,
    mark: { sent: boolean },
    group: StoredGroup,
    lease: LeaseTerm,
  ): Promise<boolean> {
    await client.query('begin');
    const { rowCount } = await client.query(this.#statements.held, [lease.term, lease.holder]);
    if (rowCount !== 1) {
      await client.query('rollback');
      return false;
    }
    await insertGroup(client, this.#statements, { group, lease });
    mark.sent = true;
    await client.query('commit');
    return true;
  }

  /**
   * Frees the rows that a transaction has deleted. A vacuum leaves what a transaction may see that
   * began before, such as the renewal of a lease, so those are waited for. PostgreSQL ends a vacuum
   * of its own that holds the tables after a second. What is left after all that goes at the next
   * trim, or in PostgreSQL's own turn.
   */
  async #makeRoom(client: PoolClient, transaction: string, closing: AbortSignal): Promise<void> {
    const { mayStillSee, vacuum } = this.#statements;
    const waitMs = this.#roomWaitMs;
    for (let waitedMs = 0; waitedMs < waitMs; waitedMs += ROOM_LOOK_INTERVAL_MS) {
      const { rowCount } = await client.query(mayStillSee, [transaction]);
      if (rowCount === 0) break;
      await sleep(ROOM_LOOK_INTERVAL_MS, undefined, { signal: closing });
    }
    await client.query(`set lock_timeout = ${waitMs}`);
    await client.query(vacuum.text).catch((error: unknown) => {
      if (!(error instanceof DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
    });
    await client.query('reset lock_timeout');
  }

  #read<T>(reading: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#reads.run(reading);
  }

  /** How many rows it has changed. */
  #change(statement: Statement, values: readonly unknown[]): Promise<number | null> {
    return this.#leases.run(async (client, mark) => {
      mark.sent = true;
      return (await client.query(statement, [...values])).rowCount;
    });
  }
}

/**
 * Tells followers what is durable: see `LogFollower`. One that gets lost is made up for by the next
 * one, or by their own look.
 */
class Announcements implements AsyncDisposable {
  /** Where they are told. */
  readonly name: string;
  readonly #appends: PostgresConnections;
  readonly #schema: string;
  #newest: { readonly client: PoolClient; readonly sequence: number } | undefined;
  #telling: Promise<void> | undefined;

  constructor(appends: PostgresConnections, schema: string) {
    this.#appends = appends;
    this.#schema = schema;
    this.name = announcementsOf(schema).name;
  }

  /** Everything up to a sequence is durable, says the server of that session. */
  confirmed(client: PoolClient, sequence: number): void {
    this.#newest = { client, sequence };
    this.#telling ??= this.#tellAll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#telling;
  }

  async #tellAll(): Promise<void> {
    while (this.#newest !== undefined) {
      // Who has committed is told first.
      await nextTurn();
      await this.#tell().catch(() => undefined);
      await sleep(FOLLOWER_GATHER_INTERVAL_MS);
    }
    this.#telling = undefined;
  }

  /** Another session may be one of another server, which was asked nothing. */
  async #tell(): Promise<void> {
    const { announce } = statementsFor(this.#schema);
    await this.#appends.run(async (client) => {
      const told = this.#newest;
      this.#newest = undefined;
      if (told?.client !== client) return;
      await client.query(announce, [this.name, String(told.sequence)]);
    });
  }
}

interface HeldGroup {
  readonly group: StoredGroup;
  readonly lease: LeaseTerm;
}

/** In the transaction of the caller, which has locked the lease. */
export async function insertGroup(
  client: PoolClient,
  statements: Statements,
  { group, lease }: HeldGroup,
): Promise<void> {
  const { segment, chunks } = group;
  if (segment !== undefined) {
    await client.query(statements.insertSegment, [segment.first, segment.header]);
  }
  for (const chunk of chunks.keys()) await insertChunk(client, statements, { group, lease, chunk });
}

/** False when the lease is not this one. */
async function insertChunk(
  client: PoolClient,
  { insertHeld }: Statements,
  { group, lease, chunk }: HeldGroup & { readonly chunk: number },
): Promise<boolean> {
  const { first, last, newestTime, chunks } = group;
  const values = [lease.term, lease.holder, first, chunk, last, newestTime, chunks[chunk]];
  const { rowCount } = await client.query(insertHeld, values);
  return rowCount === 1;
}

/**
 * The rows as one session sees them. With a time, it takes a session that answers later for dead.
 */
export function rowsIn(
  client: PoolClient,
  statements: Statements,
  answerTimeoutMs?: number,
): Pick<LogDatabase, 'groupAt' | 'rowsAfter'> {
  const within = answerTimeoutMs === undefined ? {} : { query_timeout: answerTimeoutMs };
  return {
    groupAt: async (sequence) => {
      const query = { ...statements.groupAt, ...within };
      const { rows } = await client.query<{ first: string }>(query, [sequence]);
      return rows[0] === undefined ? undefined : Number(rows[0].first);
    },
    rowsAfter: async ({ first, chunk }, upTo, bytesMax) => {
      const query = { ...statements.rowsAfter, ...within };
      const { rows } = await client.query<ReadRow>(query, [first, chunk, upTo, bytesMax]);
      return rows.map((row) => ({
        ...row,
        first: Number(row.first),
        header: row.header ?? undefined,
      }));
    },
  };
}

interface ReadRow {
  readonly first: string;
  readonly chunk: number;
  readonly body: Buffer;
  readonly header: Buffer | null;
}

interface LeaseRow {
  readonly term: string;
  readonly holder: string;
}

function leaseOf([row]: readonly LeaseRow[]): LeaseTerm {
  if (row === undefined)
    throw new DatabaseFault('the row of the lease is gone', { outcome: 'none' });
  return { term: Number(row.term), holder: row.holder };
}

export function placeOf(address: PostgresAddress, workspace: string): string {
  return `the workspace "${workspace}" in PostgreSQL at ${address.name}`;
}
