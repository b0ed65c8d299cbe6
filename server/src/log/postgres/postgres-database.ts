import { escapeIdentifier, type PoolClient } from 'pg';
import type { LogManifest } from '../log-manifest.ts';
import {
  DatabaseFault,
  type LeaseTerm,
  type LogDatabase,
  type RowPlace,
  type StoredEnd,
  type StoredGroup,
  type StoredRow,
  type StoredSegment,
} from './log-database.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { PostgresConnections } from './postgres-connections.ts';
import { prepareTables, schemaOf, type TablesOptions } from './postgres-tables.ts';

export interface PostgresDatabaseOptions {
  readonly address: PostgresAddress;
  /** Keeps the workspaces of one database apart. */
  readonly workspace: string;
  /** The first things of a log that does not exist yet. */
  readonly begin: TablesOptions['begin'];
}

/** How many reads may be under way. */
const READS_MAX = 4;

/** The statements are prepared once in each session. */
interface Statement {
  readonly name: string;
  readonly text: string;
}

type Statements = ReturnType<typeof statementsFor>;

/** A group of one chunk goes in one statement, which is a transaction by itself. */
function statementsFor(schema: string) {
  const to = escapeIdentifier(schema);
  const held = `select from ${to}.lease where term = $1 and holder = $2 for key share`;
  const statement = (name: string, text: string): Statement => ({ name, text });
  return {
    held: statement('held', held),
    insertSegment: statement(
      'insert_segment',
      `insert into ${to}.segment (first, header) values ($1, $2)`,
    ),
    insertHeld: statement(
      'insert_held',
      `with held as materialized (${held})
        insert into ${to}.record (first, chunk, last, time, term, body)
        select $3, $4, $5, $6, $1, $7 from held`,
    ),
    termOf: statement('term_of', `select term from ${to}.record where first = $1 and chunk = 0`),
    segments: statement('segments', `select first, header from ${to}.segment order by first`),
    // `octet_length` of what is not compressed reads no more than its length.
    endOf: statement(
      'end_of',
      `select max(last) as last, sum(octet_length(body)) as bytes, max(time) as time
        from ${to}.record where first >= $1`,
    ),
    groupAt: statement(
      'group_at',
      `select first from ${to}.record where first <= $1 order by first desc limit 1`,
    ),
    rowsAfter: statement(
      'rows_after',
      `select first, chunk, body from (
        select *, sum(octet_length(body)) over (order by first, chunk) as total from (
          select first, chunk, body from ${to}.record
            where (first, chunk) > ($1::bigint, $2::integer) and first <= $3
            order by first, chunk limit ${ROWS_MAX}) as page) as sized
        where total <= $4 or total = octet_length(body) order by first, chunk`,
    ),
    dropBefore: statement(
      'drop_before',
      `with held as materialized (${held}),
        gone as (delete from ${to}.segment where first < $3 and exists (select from held)),
        emptied as (delete from ${to}.record where first < $3 and exists (select from held))
        select from held`,
    ),
    vacuum: statement('vacuum', `vacuum (skip_locked) ${to}.record, ${to}.segment`),
    readLease: statement('read_lease', `select term, holder from ${to}.lease`),
    takeLease: statement(
      'take_lease',
      `update ${to}.lease set term = term + 1, holder = $1,
          expires_at = clock_timestamp() + $2 * interval '1 millisecond'
        where expires_at < clock_timestamp() returning term`,
    ),
    renewLease: statement(
      'renew_lease',
      `update ${to}.lease set expires_at = clock_timestamp() + $3 * interval '1 millisecond'
        where term = $1 and holder = $2`,
    ),
    raiseTerm: statement(
      'raise_term',
      `update ${to}.lease set term = term + 1 where term = $1 and holder = $2 returning term`,
    ),
    releaseLease: statement(
      'release_lease',
      `update ${to}.lease set expires_at = 'epoch' where term = $1 and holder = $2`,
    ),
    confirm: statement('confirm', `update ${to}.lease set expires_at = expires_at`),
  };
}

/** As many small groups as one answer has. */
const ROWS_MAX = 1_000;

/** The log of a workspace in PostgreSQL itself: see `log-database.ts`. */
export class PostgresDatabase implements LogDatabase {
  readonly place: string;
  readonly #appends: PostgresConnections;
  /** Renewals wait neither for an append nor for reads. */
  readonly #leases: PostgresConnections;
  readonly #reads: PostgresConnections;
  readonly #manifest: LogManifest;
  readonly #statements: Statements;

  private constructor(
    { address, workspace }: PostgresDatabaseOptions,
    appends: PostgresConnections,
    manifest: LogManifest,
  ) {
    this.place = placeOf(address, workspace);
    this.#appends = appends;
    this.#leases = new PostgresConnections(address, 2);
    this.#reads = new PostgresConnections(address, READS_MAX);
    this.#manifest = manifest;
    this.#statements = statementsFor(schemaOf(workspace));
  }

  /** Rejects with `log_database_unsuitable` or a `DatabaseFault`, having changed nothing. */
  static async open(options: PostgresDatabaseOptions): Promise<PostgresDatabase> {
    await using parts = new AsyncDisposableStack();
    const { address, workspace, begin } = options;
    const connections = parts.use(new PostgresConnections(address, 1));
    const place = placeOf(address, workspace);
    const manifest = await prepareTables({ connections, workspace, place, begin });
    parts.move();
    return new PostgresDatabase(options, connections, manifest);
  }

  async readManifest(): Promise<LogManifest> {
    return this.#manifest;
  }

  append(group: StoredGroup, lease: LeaseTerm): Promise<boolean> {
    return this.#appends.run(async (client, mark) => {
      const { chunks, segment } = group;
      if (chunks.length === 1 && segment === undefined) {
        mark.sent = true;
        return this.#insert(client, group, 0, lease);
      }
      return this.#appendInParts(client, mark, group, lease);
    });
  }

  termOf(first: number): Promise<number | undefined> {
    return this.#read(async (client) => {
      const { rows } = await client.query<{ term: string }>(this.#statements.termOf, [first]);
      return rows[0] === undefined ? undefined : Number(rows[0].term);
    });
  }

  segments(): Promise<StoredSegment[]> {
    return this.#read(async (client) => {
      const { rows } = await client.query<{ first: string; header: Buffer }>(
        this.#statements.segments,
      );
      return rows.map(({ first, header }) => ({ first: Number(first), header }));
    });
  }

  endOf(from: number): Promise<StoredEnd | undefined> {
    return this.#read(async (client) => {
      const { rows } = await client.query<{ last: string | null; bytes: string; time: string }>(
        this.#statements.endOf,
        [from],
      );
      const [row] = rows;
      if (row === undefined || row.last === null) return undefined;
      return {
        last: Number(row.last),
        bytes: Number(row.bytes),
        newestTime: Number(row.time),
      };
    });
  }

  groupAt(sequence: number): Promise<number | undefined> {
    return this.#read(async (client) => {
      const { rows } = await client.query<{ first: string }>(this.#statements.groupAt, [sequence]);
      return rows[0] === undefined ? undefined : Number(rows[0].first);
    });
  }

  rowsAfter({ first, chunk }: RowPlace, upTo: number, bytesMax: number): Promise<StoredRow[]> {
    return this.#read(async (client) => {
      const { rows } = await client.query<{ first: string; chunk: number; body: Buffer }>(
        this.#statements.rowsAfter,
        [first, chunk, upTo, bytesMax],
      );
      return rows.map((row) => ({ first: Number(row.first), chunk: row.chunk, body: row.body }));
    });
  }

  /** When this resolves, new rows can have the room: PostgreSQL's own turn is not waited for. */
  dropBefore(segmentFirst: number, { term, holder }: LeaseTerm): Promise<boolean> {
    return this.#read(async (client) => {
      const values = [term, holder, segmentFirst];
      const { rowCount } = await client.query(this.#statements.dropBefore, values);
      if (rowCount === 0) return false;
      await client.query(this.#statements.vacuum.text);
      return true;
    });
  }

  readLease(): Promise<LeaseTerm> {
    return this.#leases.run(async (client) => {
      const { rows } = await client.query<{ term: string; holder: string }>(
        this.#statements.readLease,
      );
      const [row] = rows;
      if (row === undefined) throw new DatabaseFault('the lease is gone', { outcome: 'none' });
      return { term: Number(row.term), holder: row.holder };
    });
  }

  async takeLease(holder: string, durationMs: number): Promise<number | undefined> {
    return this.#changeLease(this.#statements.takeLease, [holder, durationMs]);
  }

  async renewLease({ term, holder }: LeaseTerm, durationMs: number): Promise<boolean> {
    const { renewLease } = this.#statements;
    return (await this.#change(renewLease, [term, holder, durationMs])).count === 1;
  }

  raiseTerm({ term, holder }: LeaseTerm): Promise<number | undefined> {
    return this.#changeLease(this.#statements.raiseTerm, [term, holder]);
  }

  async releaseLease({ term, holder }: LeaseTerm): Promise<void> {
    await this.#change(this.#statements.releaseLease, [term, holder]);
  }

  async confirm(): Promise<void> {
    await this.#change(this.#statements.confirm, []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await using parts = new AsyncDisposableStack();
    parts.use(this.#appends);
    parts.use(this.#leases);
    parts.use(this.#reads);
  }

  async #appendInParts(
    client: PoolClient,
    mark: { sent: boolean },
    group: StoredGroup,
    lease: LeaseTerm,
  ): Promise<boolean> {
    const { chunks, segment } = group;
    await client.query('begin');
    const { rowCount } = await client.query(this.#statements.held, [lease.term, lease.holder]);
    if (rowCount !== 1) {
      await client.query('rollback');
      return false;
    }
    if (segment !== undefined) {
      const { first, header } = segment;
      await client.query(this.#statements.insertSegment, [first, header]);
    }
    for (const chunk of chunks.keys()) await this.#insert(client, group, chunk, lease);
    mark.sent = true;
    await client.query('commit');
    return true;
  }

  async #insert(
    client: PoolClient,
    { first, last, newestTime, chunks }: StoredGroup,
    chunk: number,
    { term, holder }: LeaseTerm,
  ): Promise<boolean> {
    const body = chunks[chunk];
    const values = [term, holder, first, chunk, last, newestTime, body];
    const { rowCount } = await client.query(this.#statements.insertHeld, values);
    return rowCount === 1;
  }

  #read<T>(reading: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#reads.run(reading);
  }

  async #changeLease(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<number | undefined> {
    return (await this.#change(statement, values)).term;
  }

  #change(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<{ readonly count: number | null; readonly term: number | undefined }> {
    return this.#leases.run(async (client, mark) => {
      mark.sent = true;
      const { rows, rowCount } = await client.query<{ term?: string }>(statement, [...values]);
      const term = rows[0]?.term;
      return { count: rowCount, term: term === undefined ? undefined : Number(term) };
    });
  }
}

function placeOf(address: PostgresAddress, workspace: string): string {
  return `the workspace "${workspace}" in PostgreSQL at ${address.name}`;
}
