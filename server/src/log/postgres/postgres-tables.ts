import { escapeIdentifier, type PoolClient } from 'pg';
import { assert } from '#base/assert.ts';
import { parseLogManifest, type LogManifest } from '../log-manifest.ts';
import { rowsCorrupt, unsuitableDatabase } from './database-problem.ts';
import { DatabaseFault, type StoredSegment } from './log-database.ts';
import type { PostgresConnections } from './postgres-connections.ts';

const VERSION_MIN = 14;
const WORKSPACE = /^[a-z][a-z0-9_-]{0,39}$/;

/** The schema of a workspace, which keeps several of one database apart. */
export function schemaOf(workspace: string): string {
  assert(WORKSPACE.test(workspace), `the name of a workspace: ${workspace}`);
  return `trellis_${workspace}`;
}

export interface TablesOptions {
  readonly connections: PostgresConnections;
  readonly workspace: string;
  /** What messages call the log. */
  readonly place: string;
  /** The first things of a log that does not exist yet; undefined when it has to exist. */
  readonly begin: (() => LogSeed) | undefined;
}

interface LogSeed {
  readonly manifest: LogManifest;
  readonly segment: StoredSegment;
}

/**
 * Makes the tables of a workspace, when there are none, and checks those that are there. Throws
 * `log_database_unsuitable`, having changed nothing, when they cannot be used.
 */
export async function prepareTables(options: TablesOptions): Promise<LogManifest> {
  const { connections } = options;
  return explainingRights(options, () => connections.run((client) => prepare(client, options)));
}

type Place = Pick<TablesOptions, 'place' | 'workspace'>;

/** Says what an administrator does when the user may not make the tables. */
export async function explainingRights<T>(
  { place, workspace }: Place,
  doing: () => Promise<T>,
): Promise<T> {
  try {
    return await doing();
  } catch (error) {
    if (codeOf(error) !== NO_RIGHT) throw error;
    throw unsuitableDatabase(
      place,
      `${error instanceof Error ? error.message : String(error)}`,
      `Let an administrator run: create schema "${schemaOf(workspace)}" authorization <its user>`,
    );
  }
}

const NO_RIGHT = '42501';

function codeOf(error: unknown): unknown {
  const cause = error instanceof DatabaseFault ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}

async function prepare(client: PoolClient, options: TablesOptions): Promise<LogManifest> {
  const { begin } = options;
  const schema = schemaOf(options.workspace);
  await client.query('begin');
  const tables = await lockTables(client, options);
  if (tables.length === 0) await createTables(client, options, seedOf(begin, options));
  else {
    refuseForeignTables(tables, options);
    await addKeyProof(client, schema);
  }
  const manifest = await readManifest(client, schema, options);
  await client.query('commit');
  if (tables.length === 0) await makeRoomForVacuum(client, schema);
  return manifest;
}

/**
 * The tables of the schema, which nobody else makes until the end of the transaction: members that
 * start at the same time make them once.
 */
export async function lockTables(
  client: PoolClient,
  { place, workspace }: Place,
): Promise<readonly string[]> {
  refuseOldServer(place, await versionOf(client));
  const schema = schemaOf(workspace);
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [schema]);
  return tablesIn(client, schema);
}

function seedOf(begin: TablesOptions['begin'], { place }: Place): LogSeed {
  if (begin !== undefined) return begin();
  throw unsuitableDatabase(place, 'it holds no such workspace', 'Check MSK_LOG and MSK_WORKSPACE.');
}

async function versionOf(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
  return Math.floor(Number(rows[0]?.server_version_num) / 10_000);
}

/** Before 14, some settings of sessions that the log relies on are not there. */
export function refuseOldServer(place: string, version: number): void {
  if (version >= VERSION_MIN) return;
  throw unsuitableDatabase(
    place,
    `it is PostgreSQL ${version}`,
    `Use PostgreSQL ${VERSION_MIN} or later.`,
  );
}

/** The first clusters had no such column. */
async function addKeyProof(client: PoolClient, schema: string): Promise<void> {
  const table = `${escapeIdentifier(schema)}.member`;
  const { rows } = await client.query(
    `select from pg_attribute where attrelid = $1::regclass and attname = 'key_proof'`,
    [table],
  );
  if (rows.length > 0) return;
  await client.query(`alter table ${table} add column key_proof text not null default ''`);
}

const TABLES = ['lease', 'manifest', 'member', 'record', 'segment', 'takeover'];

async function tablesIn(client: PoolClient, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ relname: string }>(
    `select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and relkind in ('r', 'p', 'v', 'm', 'f')`,
    [schema],
  );
  return rows.map(({ relname }) => relname);
}

function refuseForeignTables(tables: readonly string[], { place, workspace }: TablesOptions): void {
  if (TABLES.every((name) => tables.includes(name))) return;
  throw unsuitableDatabase(
    place,
    `its schema "${schemaOf(workspace)}" holds other tables`,
    'Choose another name for the workspace, or another database.',
  );
}

/** Rows of `record` are not compressed: what is encrypted only costs time. */
export async function createTables(
  client: PoolClient,
  { workspace }: Pick<TablesOptions, 'workspace'>,
  { manifest, segment }: LogSeed,
): Promise<void> {
  const schema = schemaOf(workspace);
  const to = escapeIdentifier(schema);
  const { rows } = await client.query('select from pg_namespace where nspname = $1', [schema]);
  if (rows.length === 0) await client.query(`create schema ${to}`);
  const one = 'one boolean not null unique default true check (one)';
  await client.query(`
    create table ${to}.manifest (${one}, workspace text not null, document text not null);
    create table ${to}.lease (
      term bigint primary key, ${one}, holder text not null, expires_at timestamptz not null);
    create table ${to}.member (
      name text primary key, run text not null, address text not null,
      server_address text not null, role text not null,
      applied bigint not null, version text not null, seen_at timestamptz not null,
      key_proof text not null default '');
    create table ${to}.takeover (
      term bigint primary key, member text not null, at timestamptz not null);
    create table ${to}.segment (first bigint primary key, header bytea not null);
    create table ${to}.record (
      first bigint not null, chunk integer not null, last bigint not null, time bigint not null,
      term bigint not null, body bytea not null, primary key (first, chunk));
    alter table ${to}.record alter body set storage external`);
  await client.query(`insert into ${to}.manifest (workspace, document) values ($1, $2)`, [
    workspace,
    JSON.stringify(manifest),
  ]);
  await client.query(`insert into ${to}.lease (term, holder, expires_at) values (0, '', 'epoch')`);
  await client.query(`insert into ${to}.segment (first, header) values ($1, $2)`, [
    segment.first,
    segment.header,
  ]);
}

/**
 * Lets PostgreSQL make the files that a vacuum needs while there is room for them. Without them a
 * full volume could not be trimmed.
 */
export async function makeRoomForVacuum(client: PoolClient, schema: string): Promise<void> {
  const to = escapeIdentifier(schema);
  const record = `${to}.record`;
  await client.query(`
    begin;
    insert into ${record} values (0, 0, 0, 0, 0, decode(repeat('00', 4096), 'hex'));
    delete from ${record} where first = 0;
    commit`);
  // Of the segments, too: while another vacuum holds the records, one of both leaves these out.
  await client.query(`vacuum (truncate false) ${record}, ${to}.segment`);
}

export async function readManifest(
  client: PoolClient,
  schema: string,
  { place, workspace }: Place,
): Promise<LogManifest> {
  const { rows } = await client.query<{ workspace: string; document: string }>(
    `select workspace, document from ${escapeIdentifier(schema)}.manifest`,
  );
  const [row] = rows;
  if (row === undefined) throw rowsCorrupt(place, 1, 'its manifest is gone');
  if (row.workspace !== workspace) {
    throw unsuitableDatabase(
      place,
      `its schema "${schema}" belongs to the workspace "${row.workspace}"`,
      'Restore the name of the schema, or choose another name for the workspace.',
    );
  }
  const manifest = parseLogManifest(row.document);
  if (typeof manifest === 'string') throw rowsCorrupt(place, 1, `its manifest: ${manifest}`);
  return manifest;
}
