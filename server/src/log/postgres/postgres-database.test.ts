import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres-server.ts';
import { requirePostgres } from '../../../../test/support/requires.ts';
import type { CommitLog } from '../commit-log.ts';
import { filled, readAll, settings } from '../testing/log-engine.ts';
import { refuseOldServer } from './postgres-tables.ts';
import { openDatabase, openLog, Workspaces } from './testing/postgres-workspaces.ts';

const UNSUITABLE = { code: 'log_database_unsuitable' };

describe.skipIf(requirePostgres())('opening a log in PostgreSQL', () => {
  let server: PostgresServer;
  let workspace: string;
  let client: pg.Client;
  const workspaces = new Workspaces(() => server);
  beforeAll(async () => {
    server = await startPostgres();
    client = new pg.Client({ connectionString: server.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    workspace = workspaces.next();
  });

  const schema = () => `"trellis_${workspace}"`;
  const asRole = (role: string) => server.url.replace('postgres@', `${role}@`);
  /** Every row of every schema of a workspace, and who may do what there. */
  const content = async (): Promise<unknown[]> => {
    const { rows } = await client.query(`
      select n.nspname, n.nspacl::text, c.relname, c.relacl::text,
          case when c.relkind = 'r' then query_to_xml(
            format('select * from %I.%I', n.nspname, c.relname), true, false, '')::text end as rows
        from pg_namespace n left join pg_class c on c.relnamespace = n.oid
        where n.nspname like 'trellis%' order by 1, 3`);
    return rows;
  };

  it('keeps the workspaces of one database apart', async () => {
    const other = workspaces.next();
    await using one = await openLog(server.url, workspace, settings());
    await using two = await openLog(server.url, other, settings());
    await Promise.all([one.append(1, filled(10, 1)), two.append(2, filled(20, 2))]);
    expect(one.epoch).not.toBe(two.epoch);
    expect((await readAll(one)).map(({ payload }) => payload.length)).toEqual([10]);
    expect((await readAll(two)).map(({ payload }) => payload.length)).toEqual([20]);
  });

  it('makes the tables once when members start at the same time', async () => {
    const opening = Array.from({ length: 8 }, () => openDatabase(server.url, workspace));
    const databases = await Promise.all(opening);
    const manifests = await Promise.all(databases.map((each) => each.readManifest()));
    expect(new Set(manifests.map(({ epoch }) => epoch)).size).toBe(1);
    for (const database of databases) await database[Symbol.asyncDispose]();
  });

  it.each([
    { what: 'another key', begun: randomBytes(32), opened: randomBytes(32) },
    { what: 'no key', begun: randomBytes(32), opened: undefined },
    { what: 'a key for a plain log', begun: undefined, opened: randomBytes(32) },
  ])('refuses $what and changes no record', async ({ begun, opened }) => {
    const log = await openLog(server.url, workspace, { ...settings(), encryptionKey: begun });
    await log.append(1, filled(10));
    await log[Symbol.asyncDispose]();
    const opening = openLog(server.url, workspace, { ...settings(), encryptionKey: opened });
    await expect(opening).rejects.toMatchObject({ code: 'wrong_master_key' });
    await using again = await openLog(server.url, workspace, {
      ...settings(),
      encryptionKey: begun,
    });
    expect(await readAll(again)).toHaveLength(1);
  });

  it('has the files that a vacuum needs, so that a full volume can be trimmed', async () => {
    const tables = ['record', 'segment'] as const;
    const hasThem = async (): Promise<boolean> => {
      const made = workspaces.next();
      await using _opened = await openDatabase(server.url, made);
      const sizes = tables.map((name) => `pg_relation_size('"trellis_${made}".${name}', 'vm') > 0`);
      const { rows } = await client.query(`select ${sizes.join(' and ')} as "hasThem"`);
      return rows[0].hasThem;
    };
    // PostgreSQL makes them later while another transaction may see what was there before.
    await expect.poll(hasThem).toBe(true);
  });

  describe.each([
    { who: 'may still see the rows', sql: ['begin isolation level repeatable read', 'select 1'] },
    { who: 'holds the tables', sql: ['begin', 'lock table record in share update exclusive mode'] },
  ])('a trim while another session $who', ({ sql }) => {
    let other: pg.Client;
    beforeEach(async () => {
      other = new pg.Client({ connectionString: server.url });
      await other.connect();
    });
    afterEach(() => other.end());

    const trimmable = settings({
      archive: { ttlMs: Infinity, bytesMax: 0 },
      segmentBytesMax: 50_000,
    });
    /** Trims what was appended, once the other session is in the way; the rows are gone then. */
    async function trimBeside(log: CommitLog): Promise<{ readonly trimming: Promise<void> }> {
      for (let i = 0; i < 10; i++) await log.append(1, filled(100_000));
      await other.query(`set search_path to ${schema()}`);
      for (const each of sql) await other.query(each);
      const trimming = log.trim(10);
      const isDropped = `select from ${schema()}.record having count(*) < 3`;
      await expect.poll(async () => (await client.query(isDropped)).rowCount).toBe(1);
      return { trimming };
    }

    it('frees the room afterwards', async () => {
      await using log = await openLog(server.url, workspace, trimmable);
      const bytes = async (): Promise<number> => {
        const size = `pg_total_relation_size('${schema()}.record')`;
        const { rows } = await client.query<{ size: string }>(`select ${size} as size`);
        return Number(rows[0]?.size);
      };
      const { trimming } = await trimBeside(log);
      const full = await bytes();
      await other.query('commit');
      await trimming;
      for (let i = 0; i < 5; i++) await log.append(1, filled(100_000));
      expect(await bytes()).toBeLessThanOrEqual(full);
    });

    it('ends when the log is closed', async () => {
      const patient = { ...trimmable, roomWaitMs: 3_600_000 };
      const log = await openLog(server.url, workspace, patient);
      const { trimming } = await trimBeside(log);
      await log[Symbol.asyncDispose]();
      await trimming;
      await other.query('commit');
    });
  });

  it('leaves nothing of a payload readable in the tables when there is a key', async () => {
    const secret = 'the quick brown fox';
    const encryptionKey = randomBytes(32);
    await using log = await openLog(server.url, workspace, { ...settings(), encryptionKey });
    await log.append(1, Buffer.from(secret.repeat(100)));
    const { rows } = await client.query<{ body: Buffer }>(`select body from ${schema()}.record`);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.body.includes(secret.slice(0, 8))).toBe(false);
  });

  it('refuses a role that may not make the tables, and changes nothing', async () => {
    await server.query(`create role ${workspace} login`);
    const before = await content();
    await expect(openDatabase(asRole(workspace), workspace)).rejects.toMatchObject({
      ...UNSUITABLE,
      message: expect.stringContaining('permission denied'),
      hint: expect.stringContaining(`create schema ${schema()} authorization`),
    });
    expect(await content()).toEqual(before);
    await server.query(`create schema ${schema()} authorization ${workspace}`);
    await using log = await openLog(asRole(workspace), workspace, settings());
    expect(await log.append(1, filled(10))).toBe(1);
  });

  it('refuses a role that may not read the tables', async () => {
    await (await openDatabase(server.url, workspace))[Symbol.asyncDispose]();
    await server.query(`create role ${workspace} login`);
    const before = await content();
    await expect(openDatabase(asRole(workspace), workspace)).rejects.toMatchObject(UNSUITABLE);
    expect(await content()).toEqual(before);
  });

  it('refuses a schema with tables of something else, and changes nothing', async () => {
    await server.query(`create schema ${schema()}`);
    await server.query(`create table ${schema()}.record (id integer)`);
    const before = await content();
    await expect(openDatabase(server.url, workspace)).rejects.toMatchObject({
      ...UNSUITABLE,
      message: expect.stringContaining('holds other tables'),
    });
    expect(await content()).toEqual(before);
  });

  it('refuses the tables of another workspace, and changes nothing', async () => {
    await (await openDatabase(server.url, workspace))[Symbol.asyncDispose]();
    const renamed = workspaces.next();
    await server.query(`alter schema ${schema()} rename to "trellis_${renamed}"`);
    const before = await content();
    await expect(openDatabase(server.url, renamed)).rejects.toMatchObject({
      ...UNSUITABLE,
      message: expect.stringContaining(`belongs to the workspace "${workspace}"`),
    });
    expect(await content()).toEqual(before);
  });

  it('refuses a version before 14', () => {
    expect(() => refuseOldServer('there', 14)).not.toThrow();
    expect(() => refuseOldServer('there', 13)).toThrow(
      expect.objectContaining({ ...UNSUITABLE, message: expect.stringContaining('PostgreSQL 13') }),
    );
  });

  it('goes past hosts that are away or take no writes', async () => {
    const role = `reader_${workspace}`;
    await server.query(`create role ${role} login superuser`);
    await server.query(`alter role ${role} set default_transaction_read_only = on`);
    const host = encodeURIComponent(server.folder);
    const several = (user: string) => `postgres://${user}@127.0.0.1:1,${host}/postgres`;
    await using log = await openLog(several('postgres'), workspace, settings());
    expect(await log.append(1, filled(10))).toBe(1);
    await expect(openDatabase(several(role), workspace)).rejects.toThrow('takes no writes');
    await expect(openDatabase('postgres://postgres@127.0.0.1:1/x', 'w')).rejects.toThrow(
      'ECONNREFUSED',
    );
  });

  it('waits for the disk even where the database does not', async () => {
    const role = `hasty_${workspace}`;
    await server.query(`create role ${role} login superuser`);
    await server.query(`alter role ${role} set synchronous_commit = off`);
    await server.query(`create function public.note() returns trigger language plpgsql as $$
      begin raise exception '%', current_setting('synchronous_commit'); end $$`);
    await using log = await openLog(asRole(role), workspace, settings());
    await server.query(
      `create trigger note before insert on ${schema()}.record execute function public.note()`,
    );
    await expect(log.append(1, filled(10))).rejects.toThrow(/failed: on$/);
  });

  it('tells rows that are not what was appended', async () => {
    const log = await openLog(server.url, workspace, settings());
    for (let i = 0; i < 3; i++) await log.append(1, filled(100, i));
    const corrupt = (sequence: number) => ({ code: 'log_corrupt', details: { sequence } });
    const change = (sql: string) => server.query(sql.replaceAll('record', `${schema()}.record`));
    await change('create table public.kept as table record');
    const restore = async () => {
      await change('truncate record');
      await change('insert into record table public.kept');
    };
    await change('update record set body = set_byte(body, 60, 9) where first = 2');
    await expect(readAll(log)).rejects.toMatchObject(corrupt(2));
    await restore();
    await change('delete from record where first = 2');
    await expect(readAll(log)).rejects.toMatchObject(corrupt(2));
    await restore();
    await change(`update record set body = substr(body, 1, 50) where first = 2`);
    await expect(readAll(log)).rejects.toMatchObject(corrupt(2));
    await restore();
    await change(`update record set body = (select body from public.kept where first = 1)
      where first = 2`);
    await expect(readAll(log)).rejects.toMatchObject(corrupt(2));
    await restore();
    expect(await readAll(log)).toHaveLength(3);
    await log[Symbol.asyncDispose]();
  });

  it('reads a commit of many chunks between small ones', async () => {
    await using log = await openLog(server.url, workspace, settings());
    const sizes = [10, 2 ** 20 - 40, 2 ** 20 - 39, 9 * 2 ** 20 + 3, 10];
    await Promise.all(sizes.map((size, i) => log.append(1, filled(size, i))));
    const records = await readAll(log);
    expect(records.map(({ payload }) => payload.length)).toEqual(sizes);
    expect(records.every(({ payload }, i) => payload.every((byte) => byte === i))).toBe(true);
    const from = await readAll(log, 4);
    expect(from.map(({ first }) => first)).toEqual([4, 5]);
    const { rows } = await client.query<{ most: number }>(
      `select max(octet_length(body)) as most from ${schema()}.record`,
    );
    expect(rows[0]?.most).toBe(2 ** 20);
  });
});

describe.skipIf(requirePostgres())('TLS to PostgreSQL', () => {
  it('is checked against the file of authorities and the name of the host', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'db.example' }], {
      keyType: 'ec',
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
    });
    await using server = await startPostgres({ tls: { key, cert } });
    const ca = join(server.folder, 'data/server.crt');
    const open = (host: string, parameters: string) => {
      const url = `postgres://postgres@${host}:${server.port}/postgres?${parameters}`;
      return openDatabase(url, 'tls');
    };
    const root = `sslrootcert=${encodeURIComponent(ca)}`;
    await expect(open('localhost', 'sslmode=verify-full')).rejects.toThrow('self-signed');
    await expect(open('127.0.0.1', `sslmode=verify-full&${root}`)).rejects.toThrow('altnames');
    for (const [host, parameters] of [
      ['localhost', `sslmode=verify-full&${root}`],
      ['127.0.0.1', `sslmode=verify-ca&${root}`],
      ['127.0.0.1', 'sslmode=require'],
    ] as const) {
      await using database = await open(host, parameters);
      expect(await database.confirmLease()).toEqual({ term: 0, holder: '' });
    }
  });
});
