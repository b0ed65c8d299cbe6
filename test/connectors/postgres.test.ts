import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { requirePostgres } from '../support/requires.ts';
import { ConnectorScene } from './connector-scene.ts';

const TABLES = `
  CREATE TABLE customer (
    id bigint PRIMARY KEY, name text NOT NULL, team text,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(), deleted_at timestamptz
  );
  CREATE TABLE purchase (
    id bigint PRIMARY KEY, customer_id bigint NOT NULL REFERENCES customer, total numeric NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(), deleted_at timestamptz
  );
  INSERT INTO customer (id, name, team) VALUES (1, 'Ada', 'north'), (2, 'Bo', 'south'), (3, 'Cy', NULL);
  INSERT INTO purchase (id, customer_id, total) SELECT i, 1 + i % 3, i * 1.5 FROM generate_series(1, 2500) i;
  UPDATE purchase SET updated_at = now() - (id % 100 + 1) * interval '1 day';
  UPDATE customer SET updated_at = now() - interval '1 year';
`;

describe.skipIf(requirePostgres())('a database', () => {
  let at: ConnectorScene;
  let database: PostgresServer;
  const teams = ['--team', 'north=North', '--team', 'south=South'];

  beforeAll(async () => {
    at = await ConnectorScene.start(['ingestion:acl']);
    database = await startPostgres();
    await database.query(TABLES);
    const [ann, sam] = [await at.people.add('ann'), await at.people.add('sam')];
    await at.people.addTeam('North', { add: [ann] });
    await at.people.addTeam('South', { add: [sam] });
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
    await at[Symbol.asyncDispose]();
  });

  const run = (...args: string[]) =>
    at.run('postgres', [...teams, ...args], { DATABASE_URL: database.url });
  const customersOf = async (name: string) => {
    const nodes = Object.values(await at.nodes('Customer', name));
    return nodes.map((node) => node['Name']).toSorted();
  };

  test('comes whole, and each team sees its own customers', async () => {
    expect(await run()).toMatchObject({ rows: 2_503, rejected: 0 });
    expect(await customersOf('admin')).toEqual(['Ada', 'Bo', 'Cy']);
    expect(await customersOf('ann')).toEqual(['Ada', 'Cy']);
    expect(await customersOf('sam')).toEqual(['Bo', 'Cy']);
    expect(Object.keys(await at.nodes('Purchase', 'ann'))).toHaveLength(1_000);
  });

  test('then only what has changed since is read, and less is sent', async () => {
    const look = await run();
    expect(look).toMatchObject({ operations: 0 });
    expect(look.rows).toBe(look.unchanged);
    await database.query(
      `UPDATE customer SET name = 'Ada L.', updated_at = clock_timestamp() WHERE id = 1`,
    );
    expect((await run()).rows).toBeLessThan(2_503);
    expect(await customersOf('ann')).toEqual(['Ada L.', 'Cy']);
  });

  test('who may see something follows the source, also when that takes it away', async () => {
    await database.query(
      `UPDATE customer SET team = 'south', updated_at = clock_timestamp() WHERE id IN (1, 3)`,
    );
    await run();
    expect(await customersOf('ann')).toEqual([]);
    expect(await customersOf('sam')).toEqual(['Ada L.', 'Bo', 'Cy']);
    expect(await at.nodes('Purchase', 'ann')).toEqual({});
  });

  test('what is marked as deleted goes, and what vanished goes with a whole listing', async () => {
    await database.query(
      `UPDATE purchase SET deleted_at = now(), updated_at = clock_timestamp() WHERE id = 5`,
    );
    expect(await run()).toMatchObject({ removed: 1 });
    await database.query(`DELETE FROM purchase WHERE id = 7`);
    expect(await run('--full')).toMatchObject({ removed: 1 });
    const bought = await at.people.as('admin', 'POST', '/api/node/query', { type: 'Purchase' });
    expect(Object(bought.json).total).toBe(2_498);
  });

  test('a team that the workspace does not have is named, and nothing is sent', async () => {
    const args = ['--team', 'north=Nord'];
    const child = at.launch('postgres', args, { DATABASE_URL: database.url });
    const { code, stderr } = await at.end(child);
    expect([code, stderr]).toEqual([
      1,
      'postgres: The workspace has no team Nord, or more than one\n',
    ]);
  });

  test('a run that is killed is completed by the next one', async () => {
    await database.query(
      `INSERT INTO purchase (id, customer_id, total) SELECT i, 1, 1 FROM generate_series(10000, 22000) i`,
    );
    const before = await sequence();
    const child = at.launch('postgres', teams, { DATABASE_URL: database.url });
    const ended = at.end(child);
    await expect.poll(sequence).toBeGreaterThan(before);
    child.kill('SIGKILL');
    await ended;
    await run();
    const bought = await at.people.as('admin', 'POST', '/api/node/query', { type: 'Purchase' });
    expect(Object(bought.json).total).toBe(2_498 + 12_001);
  });

  async function sequence(): Promise<number> {
    const { headers } = await at.people.as('admin', 'GET', '/api/schema');
    return Number(headers.get('x-msk-sequence'));
  }
});
