import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import pg from 'pg';
import { type NodeReference, restrictTo } from '../src/restrict-to.ts';
import type { ConnectorRun } from '../src/connector-run.ts';
import { runConnector } from '../src/run-connector.ts';
import { main, type Target } from './command-line.ts';

/**
 * Customers and their orders from PostgreSQL: what has changed since the last run, and who may see
 * it. To begin with, change the tables and the operations below to yours:
 *
 *   customer (id bigint primary key, name text, team text,
 *             updated_at timestamptz, deleted_at timestamptz)
 *   purchase (id bigint primary key, customer_id bigint, total numeric,
 *             updated_at timestamptz, deleted_at timestamptz)
 */
const SCHEMA: SchemaDocument = {
  nodes: [
    { type: 'Customer', key: 'Number', fields: { Name: 'String' }, label: 'Name' },
    { type: 'Purchase', key: 'Number', fields: { Total: 'Float', Updated: 'Time' } },
  ],
  edges: [
    { type: 'BoughtBy', inverse: 'Bought' },
    { type: 'Bought', inverse: 'BoughtBy' },
  ],
};

/** Where the next run begins: each table has its own. */
interface Cursor {
  readonly customer: string;
  readonly purchase: string;
}

const BEGINNING: Cursor = { customer: '-infinity', purchase: '-infinity' };
const PAGE_ROWS = 1_000;
/**
 * A transaction that is slow to commit shows rows that were stamped before the newest row of the
 * last run. So each run looks back so far; rows that it has seen cost no more than the reading.
 */
const LOOK_BACK = '5 minutes';

/** A customer who changes teams takes the purchases along, so these count as changed then. */
const QUERIES: Readonly<Record<keyof Cursor, string>> = {
  customer: 'SELECT id, name, team, updated_at, deleted_at FROM customer',
  purchase: `SELECT p.id, p.customer_id, p.total, c.team, greatest(p.updated_at, c.updated_at) AS updated_at,
      coalesce(p.deleted_at, c.deleted_at) AS deleted_at
    FROM purchase p JOIN customer c ON c.id = p.customer_id`,
};

interface SourceRow {
  readonly id: string;
  readonly team: string | null;
  readonly updated_at: Date;
  /** `updated_at` to the microsecond, which a Date does not hold. */
  readonly stamp: string;
  readonly deleted_at: Date | null;
}
interface Customer extends SourceRow {
  readonly name: string;
}
interface Purchase extends SourceRow {
  readonly customer_id: string;
  readonly total: string;
}

async function bringDatabase(target: Target, teams: Map<string, string>, full: boolean) {
  const database = new pg.Client({ connectionString: process.env['DATABASE_URL'] });
  await database.connect();
  try {
    return await runConnector<Cursor>({ ...target, schema: SCHEMA }, async (run) => {
      const from = full ? BEGINNING : (run.cursor ?? BEGINNING);
      // All pages see the database as it is now.
      await database.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const customer = await bringTable<Customer>(
        { database, run, table: 'customer', from: from.customer },
        (row) => customerOperations(row, teams),
      );
      const purchase = await bringTable<Purchase>(
        { database, run, table: 'purchase', from: from.purchase },
        (row) => purchaseOperations(row, teams),
      );
      await database.query('COMMIT');
      if (full) await run.removeUnseen();
      await run.checkpoint({ customer, purchase });
    });
  } finally {
    await database.end();
  }
}

interface Table {
  readonly database: pg.Client;
  readonly run: ConnectorRun<Cursor>;
  readonly table: keyof Cursor;
  readonly from: string;
}

/**
 * Pages by key and not by offset, so a page costs the same wherever it is. Gives the cursor of the
 * next run.
 */
async function bringTable<R extends SourceRow>(
  { database, run, table, from }: Table,
  operations: (row: R) => GraphOperation[],
): Promise<string> {
  let newest = from;
  for (let after: [stamp: string, id: string] | undefined; ;) {
    const { rows } = await database.query<R>(
      `SELECT *, updated_at::text AS stamp FROM (${QUERIES[table]}) AS source_row
       WHERE (updated_at, id) > ($1::timestamptz - $2::interval, $3)
       ORDER BY updated_at, id LIMIT ${PAGE_ROWS}`,
      after === undefined ? [from, LOOK_BACK, '-1'] : [after[0], '0', after[1]],
    );
    for (const row of rows) {
      const id = `${table} ${row.id}`;
      if (row.deleted_at === null) await run.row(id, operations(row));
      else await run.remove(id);
    }
    const last = rows.at(-1);
    if (last === undefined) return newest;
    after = [last.stamp, last.id];
    newest = last.stamp;
  }
}

function customerOperations({ id, name, team }: Customer, teams: Map<string, string>) {
  const node = { type: 'Customer', key: id };
  const add: GraphOperation = { op: 'addOrUpdate', ...node, fields: { Name: name } };
  return [add, ...accessOf(node, team, teams)];
}

function purchaseOperations(row: Purchase, teams: Map<string, string>): GraphOperation[] {
  const node = { type: 'Purchase', key: row.id };
  const fields = { Total: Number(row.total), Updated: row.updated_at.toISOString() };
  const customer = { type: 'Customer', key: row.customer_id };
  return [
    { op: 'addOrUpdate', ...node, fields },
    { op: 'unlinkExcept', from: node, edge: 'BoughtBy', inverse: 'Bought', keep: [customer] },
    { op: 'link', from: node, edge: 'BoughtBy', inverse: 'Bought', to: customer },
    ...accessOf(node, row.team, teams),
  ];
}

/** Without any teams of the workspace, access is left to the workspace. */
function accessOf(node: NodeReference, team: string | null, teams: Map<string, string>) {
  if (teams.size === 0) return [];
  if (team === null) return restrictTo(node, 'everybody');
  const uid = teams.get(team);
  if (uid === undefined) throw new Error(`Which team is "${team}"? Say so: --team ${team}=TEAM`);
  return restrictTo(node, { teams: [uid] });
}

/** UIDs of teams of the workspace, by the names that the source has for them. */
async function teamsOf({ client, signal }: Target, given: readonly string[]) {
  const pairs = given.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw new Error(`--team ${text}: NAME=TEAM is needed`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  if (pairs.length === 0) return new Map<string, string>();
  const names = pairs.map(([, team]) => team);
  const { teams } = await client.access.resolvePrincipals({ teams: names }, { signal });
  return new Map(
    pairs.map(([name, team]) => {
      const uid = teams[team] ?? null;
      if (uid === null) throw new Error(`The workspace has no team ${team}, or more than one`);
      return [name, uid];
    }),
  );
}

await main({
  name: 'postgres',
  help: `Customers and their purchases from PostgreSQL.

  DATABASE_URL=postgres://reader@localhost/shop node connector/examples/postgres.ts
  node connector/examples/postgres.ts --team north=North --full

  --team NAME=TEAM a customer of this team of the source is for this team of the workspace; others are for everybody.
                   Needs a token with the scope ingestion:acl. Any number of them.
  --full           list everything, and take back what is not there any more

The database is taken from DATABASE_URL, or PGHOST, PGUSER, PGPASSWORD and the like.`,
  options: {
    team: { type: 'string', multiple: true, default: [] },
    full: { type: 'boolean', default: false },
  },
  run: async (target, { team, full }) => bringDatabase(target, await teamsOf(target, team), full),
});
