import type { PostgresSource } from '@trellis/contract/shapes/connector.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import pg from 'pg';
import { ConnectorError } from '../connector-error.ts';
import type { ConnectorRun } from '../connector-run.ts';
import { restrictTo } from '../restrict-to.ts';
import { runConnector } from '../run-connector.ts';
import { PrincipalNames } from './principal-names.ts';
import type { ConnectorKind, SourceContext } from './source-context.ts';
import { readersOfTeam } from './source-readers.ts';

/** Where the next run begins. */
interface Cursor {
  /** The newest `changed` that was read, as text. */
  readonly changed: string;
  /** When everything was read last. */
  readonly fullAtMs: number;
}

type Row = Readonly<Record<string, string | null>>;

const PAGE_ROWS = 500;
const CONNECT_TIMEOUT_MS = 15_000;
const STATEMENT_TIMEOUT_MS = 10 * 60_000;
/** What is deleted in the database shows only when everything is read. */
const FULL_INTERVAL_MS = 24 * 60 * 60_000;
/**
 * A transaction that is slow to commit shows rows that were stamped before the newest row of the
 * last run. So each run looks back so far; rows that it has seen cost no more than the reading.
 */
const LOOK_BACK = '5 minutes';

/** A query of a database: a node for each row, and who may see it by a column. */
export const postgresKind: ConnectorKind<PostgresSource> = {
  async test(source, context) {
    return whileConnected(source, context, async (database) => {
      const columns = await columnsOf(database, source);
      return `A query with the columns ${columns.join(', ')}`;
    });
  },
  async run(source, target, context) {
    return whileConnected(source, context, async (database) => {
      const columns = await columnsOf(database, source);
      const { url } = source;
      const schema = schemaOf(source, columns);
      const names = new PrincipalNames(target.client);
      const reading = { database, source, names, context };
      return await runConnector<Cursor>({ ...target, name: `postgres ${url}`, schema }, (run) =>
        bringRows(run, reading),
      );
    });
  },
};

async function whileConnected<T>(
  { url, user, tls }: PostgresSource,
  { secret, signal }: SourceContext,
  work: (database: pg.Client) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const { hostname, port, pathname } = new URL(url);
  const database = new pg.Client({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 5_432),
    database: decodeURIComponent(pathname.slice(1)) || user,
    user,
    password: secret ?? '',
    ssl: tls,
    // Every value is brought as the database writes it.
    types: { getTypeParser: () => String },
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // A server that says nothing more is not waited for.
    query_timeout: STATEMENT_TIMEOUT_MS,
  });
  // A connection that breaks is told of by the query that was under way.
  database.on('error', () => {});
  const end = (): void => void database.end().catch(() => {});
  signal?.addEventListener('abort', end, { once: true });
  try {
    await database.connect();
    // All pages see the database as it is now, and nothing that the query calls may write.
    await database.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return await work(database);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof pg.DatabaseError)) throw error;
    throw new ConnectorError('source_failed', `The database says: ${error.message}`);
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}

/** Throws for a column that the settings name and the query lacks. */
async function columnsOf(
  database: pg.Client,
  { query, key, changed, team }: PostgresSource,
): Promise<string[]> {
  const { fields } = await database.query(
    single(`SELECT * FROM (${query}\n) AS source_row LIMIT 0`),
  );
  const columns = fields.map(({ name }) => name);
  for (const column of [key, changed, team]) {
    if (column === null || columns.includes(column)) continue;
    const message = `There is no column ${column}: ${columns.join(', ')}`;
    throw new ConnectorError('source_failed', message);
  }
  return columns;
}

interface Reading {
  readonly database: pg.Client;
  readonly source: PostgresSource;
  readonly names: PrincipalNames;
  readonly context: SourceContext;
}

async function bringRows(run: ConnectorRun<Cursor>, reading: Reading): Promise<void> {
  const { source, context } = reading;
  const { cursor } = run;
  const isDue = cursor === undefined || context.nowMs() - cursor.fullAtMs >= FULL_INTERVAL_MS;
  const isFull = source.changed === null || context.isFull || isDue;
  const fullAtMs = isFull ? context.nowMs() : cursor.fullAtMs;
  const newest = await bringPages(run, reading, isFull ? undefined : cursor.changed);
  if (isFull) await run.removeUnseen();
  await run.checkpoint({ changed: newest ?? cursor?.changed ?? '-infinity', fullAtMs });
}

/** Gives the newest `changed` of the rows; undefined when none has one. */
async function bringPages(
  run: ConnectorRun<Cursor>,
  { database, source, names }: Reading,
  since: string | undefined,
): Promise<string | undefined> {
  const { query, changed } = source;
  const column = changed === null ? 'NULL' : pg.escapeIdentifier(changed);
  const rows = `SELECT *, (${column})::text AS trellis_changed FROM (${query}\n) AS source_row`;
  const where =
    since === undefined
      ? ''
      : ` WHERE ${column} > ${pg.escapeLiteral(since)}::timestamptz - interval '${LOOK_BACK}'`;
  const order = changed === null ? '' : ` ORDER BY ${column} NULLS FIRST`;
  await database.query(single(`DECLARE trellis_rows NO SCROLL CURSOR FOR ${rows}${where}${order}`));
  let newest = since;
  for (;;) {
    const page = await database.query<Row>(`FETCH ${PAGE_ROWS} FROM trellis_rows`);
    if (page.rows.length === 0) return newest;
    const teams = page.rows.flatMap((row) => (source.team === null ? [] : [row[source.team]]));
    await names.look({ teams: teams.filter((name) => typeof name === 'string') });
    for (const row of page.rows) {
      const key = row[source.key] ?? null;
      if (key === null) {
        throw new ConnectorError('source_failed', `A row has no ${source.key}`);
      }
      const readers = source.team === null ? null : readersOfTeam(row[source.team] ?? null);
      const node = { type: source.type, key };
      await run.row(key, operationsOf(row, key, source, names), { node, readers });
      newest = row['trellis_changed'] ?? newest;
    }
  }
}

function operationsOf(
  row: Row,
  key: string,
  { type, team }: PostgresSource,
  names: PrincipalNames,
): GraphOperation[] {
  const entries = Object.entries(row).filter(([name]) => name !== 'trellis_changed');
  const fields = Object.fromEntries(entries);
  const add: GraphOperation = { op: 'addOrUpdate', type, key, fields };
  if (team === null) return [add];
  const name = row[team] ?? null;
  const node = { type, key };
  const audience = name === null ? 'everybody' : { teams: [names.requireTeam(name)] };
  return [add, ...restrictTo(node, audience)];
}

/** One statement: what follows a semicolon is refused, and so cannot end the transaction. */
function single(text: string): pg.QueryConfig {
  const config = { text, queryMode: 'extended' };
  return config;
}

function schemaOf({ type, key }: PostgresSource, columns: readonly string[]): SchemaDocument {
  const fields = Object.fromEntries(columns.map((column) => [column, 'String' as const]));
  return { nodes: [{ type, key, fields }], edges: [] };
}
