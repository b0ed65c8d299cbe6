import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { readersByRow, runToEnd } from '../support/connector-runs.ts';
import { People } from '../support/people.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { requirePostgres } from '../support/requires.ts';

describe.skipIf(requirePostgres())('a database that the server brings in by itself', () => {
  let people: People;
  let admin: TrellisClient;
  let database: PostgresServer;
  let source: Parameters<TrellisClient['connectors']['create']>[0]['source'];

  beforeAll(async () => {
    people = await People.start();
    const [ann, sam] = [await people.add('ann'), await people.add('sam')];
    await people.addTeam('North', { add: [ann] });
    await people.addTeam('South', { add: [sam] });
    const baseUrl = people.workspace.server.url;
    admin = new TrellisClient({ baseUrl, token: people.token('admin') });
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'db' }]);
    database = await startPostgres({ tls: { key, cert } });
    await database.query(`
      CREATE TABLE customer (
        id int PRIMARY KEY, name text, team text, updated_at timestamptz DEFAULT clock_timestamp()
      );
      INSERT INTO customer (id, name, team, updated_at)
        SELECT i, 'c' || i, CASE i % 2 WHEN 0 THEN 'North' ELSE 'South' END, now() - i * interval '1 hour'
        FROM generate_series(1, 1200) i`);
    const origin = `postgres://127.0.0.1:${database.port}`;
    await admin.workspace.putSettings({ fetchAllowList: [origin] });
    source = {
      kind: 'postgres',
      url: `${origin}/postgres`,
      tls: false,
      user: 'postgres',
      query: 'SELECT * FROM customer',
      type: 'Customer',
      key: 'id',
      changed: 'updated_at',
      team: 'team',
    };
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
    await people[Symbol.asyncDispose]();
  });

  const run = (id: string, full = false) => runToEnd(admin, id, full);

  async function seen(userName: string): Promise<number> {
    const { json } = await people.as(userName, 'POST', '/api/node/query', { type: 'Customer' });
    return Object(json).total;
  }

  test('comes whole, then what has changed; deletions with a whole reading; by team', async () => {
    expect(await admin.connectors.test({ source })).toEqual({
      isReachable: true,
      message: 'A query with the columns id, name, team, updated_at',
    });
    const { id } = await admin.connectors.create({ name: 'shop', source });
    expect(await run(id)).toMatchObject({ error: null, report: { rows: 1_200, added: 1_200 } });
    expect([await seen('admin'), await seen('ann'), await seen('sam')]).toEqual([1_200, 600, 600]);
    const readers = await readersByRow(admin, id);
    expect(new Set(Object.values(readers).flat())).toEqual(
      new Set(['both team North', 'both team South']),
    );
    await database.query(`UPDATE customer SET team = 'South', updated_at = now() WHERE id = 2`);
    await database.query(`DELETE FROM customer WHERE id = 1`);
    const changed = { row: '2', change: 'changed' };
    expect((await run(id))?.report).toMatchObject({ rows: 1, changes: [changed], removed: 0 });
    expect([await seen('ann'), await seen('sam')]).toEqual([599, 601]);
    const full = await run(id, true);
    expect(full?.report).toMatchObject({ rows: 1_199, changes: [{ row: '1', change: 'removed' }] });
    expect(await seen('sam')).toBe(600);
    await database.query(`UPDATE customer SET team = 'West', updated_at = now() WHERE id = 3`);
    expect(await run(id)).toMatchObject({
      state: 'failed',
      error: { message: 'The workspace has no team "West", or more than one' },
    });
  });

  test('a query cannot write, and what the database refuses is told', async () => {
    const refused = [
      [
        'SELECT 1 AS id) AS x; COMMIT; DROP TABLE customer; SELECT * FROM (SELECT 1 AS id',
        'multiple commands',
      ],
      ['DELETE FROM customer RETURNING id', 'syntax error'],
      ['SELECT pg_terminate_backend(pg_backend_pid()) AS id', 'terminating connection'],
      ['SELECT nobody FROM customer', 'does not exist'],
      ['SELECT 1 AS other', 'There is no column id: other'],
    ] as const;
    for (const [query, says] of refused) {
      const asked = { ...source, query, changed: null, team: null };
      const { id } = await admin.connectors.create({ name: says, source: asked });
      const last = await run(id);
      expect(last).toMatchObject({ state: 'failed', error: { code: 'connector_failed' } });
      expect(last?.error?.message).toContain(says);
    }
    const encrypted = { ...source, tls: true };
    const { isReachable, message } = await admin.connectors.test({ source: encrypted });
    expect([isReachable, message]).toEqual([false, expect.stringContaining('self-signed')]);
    const { count } = await counted();
    expect(count).toBe(1_199);
  });

  /** Through the connector itself: the table is still there. */
  async function counted(): Promise<{ count: number }> {
    const query = 'SELECT count(*) AS id FROM customer';
    const asked = { ...source, query, type: 'Count', changed: null, team: null };
    const { id } = await admin.connectors.create({ name: 'count', source: asked });
    const last = await run(id);
    return { count: Number(last?.report?.changes[0]?.row) };
  }
});
