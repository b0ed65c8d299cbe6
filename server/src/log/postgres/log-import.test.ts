import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres-server.ts';
import { requirePostgres } from '../../../../test/support/requires.ts';
import type { CommitLog } from '../commit-log.ts';
import { openSegmentLog } from '../segment-log.ts';
import { filled, KEEP_NONE, readAll, settings } from '../testing/log-engine.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { importLog, type LogImport } from './log-import.ts';
import { readDatabaseLog } from './log-reader.ts';
import { PostgresDatabase } from './postgres-database.ts';
import { addressOf, openLog, Workspaces } from './testing/postgres-workspaces.ts';

describe.skipIf(requirePostgres())('a log that is copied into PostgreSQL', () => {
  let server: PostgresServer;
  const workspaces = new Workspaces(() => server);
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const importing = (workspace: string, log: CommitLog): LogImport => ({
    address: addressOf(server.url),
    workspace,
    log,
    archive: KEEP_NONE,
    isDryRun: false,
    signal: new AbortController().signal,
    onProgress: () => {},
    beforeCommit: async () => {},
  });
  const openedToRead = (workspace: string): Promise<PostgresDatabase> =>
    PostgresDatabase.open({ address: addressOf(server.url), workspace, begin: undefined });

  it('has the same records, in segments, and goes on in the same epoch', async () => {
    await using folder = await temporaryFolder();
    const encryptionKey = randomBytes(32);
    await using log = await openSegmentLog({ ...settings(), folder: folder.path });
    for (const bytes of [3_000_000, 1, 0, 40_000, 70_000, 2]) await log.append(2, filled(bytes));
    const workspace = workspaces.next();
    const imported = await importLog({ ...importing(workspace, log), encryptionKey });
    expect(imported).toMatchObject({ records: 6, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    {
      await using database = await openedToRead(workspace);
      const copy = await readDatabaseLog(database, encryptionKey);
      expect(copy).toMatchObject({ epoch: log.epoch, firstSequence: 1, lastSequence: 12 });
      expect(await Array.fromAsync(copy.read(1))).toEqual(await readAll(log));
      expect(await Array.fromAsync(copy.read(8))).toEqual((await readAll(log)).slice(3));
      expect(() => copy.read(14)).toThrow(expect.objectContaining({ code: 'log_ahead' }));
    }
    const opening = { ...settings(), archive: KEEP_NONE, encryptionKey };
    await using after = await openLog(server.url, workspace, opening);
    expect(await after.append(1, filled(5))).toBe(13);
    await after.trim(12);
    expect(after.firstSequence).toBeGreaterThan(1);
    expect((await readAll(after)).at(-1)?.last).toBe(13);
  });

  it('begins where the log in the folder begins, also when it holds nothing', async () => {
    await using folder = await temporaryFolder();
    const beginning = { after: 41 };
    await using log = await openSegmentLog({ ...settings(), folder: folder.path, beginning });
    const workspace = workspaces.next();
    await importLog(importing(workspace, log));
    await using database = await openedToRead(workspace);
    const bounds = { firstSequence: 42, lastSequence: 41, epoch: log.epoch };
    expect(await readDatabaseLog(database, undefined)).toMatchObject(bounds);
  });

  it('leaves nothing when it ends early, fails, or only tries; and no other one there is', async () => {
    await using folder = await temporaryFolder();
    await using log = await openSegmentLog({ ...settings(), folder: folder.path });
    for (let commit = 0; commit < 9; commit++) await log.append(1, filled(500_000));
    const workspace = workspaces.next();
    const stop = new AbortController();
    const failure = new Error('the folder takes no mark');
    const attempts: readonly Partial<LogImport>[] = [
      { isDryRun: true },
      { signal: stop.signal, onProgress: () => stop.abort(new Error('stopped')) },
      { beforeCommit: () => Promise.reject(failure) },
    ];
    for (const attempt of attempts) {
      const done = importLog({ ...importing(workspace, log), ...attempt });
      if (attempt.isDryRun === true) expect((await done).records).toBe(9);
      else await expect(done).rejects.toThrow(/stopped|takes no mark/);
      await expect(openedToRead(workspace)).rejects.toMatchObject({
        code: 'log_database_unsuitable',
      });
    }
    const first = await importLog(importing(workspace, log));
    await expect(importLog(importing(workspace, log))).rejects.toMatchObject({
      code: 'log_database_unsuitable',
    });
    expect(first.records).toBe(9);
    await using database = await openedToRead(workspace);
    expect((await readDatabaseLog(database, undefined)).lastSequence).toBe(9);
  });

  it('is done once it is committed, also when PostgreSQL has no room for more', async () => {
    await using folder = await temporaryFolder();
    await using log = await openSegmentLog({ ...settings(), folder: folder.path });
    await log.append(1, filled(5));
    const workspace = workspaces.next();
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      await client.query(NO_ROOM);
      const imported = await importLog(importing(workspace, log));
      expect(imported.records).toBe(1);
      const { rows } = await client.query(`select tgname from pg_trigger where tgname = 'no_room'`);
      expect(rows).toHaveLength(1);
    } finally {
      await client.query('drop event trigger if exists watching');
      await client.end();
    }
    await using database = await openedToRead(workspace);
    expect((await readDatabaseLog(database, undefined)).lastSequence).toBe(1);
  });
});

/** Refuses the row that makes room for a vacuum. */
const NO_ROOM = `
  create function no_room() returns trigger language plpgsql as $$ begin
    if new.first = 0 then raise exception using errcode = 'disk_full'; end if;
    return new;
  end $$;
  create function watch() returns event_trigger language plpgsql as $$
    declare made record;
  begin
    for made in select object_identity from pg_event_trigger_ddl_commands()
      where object_identity like '%.record' and command_tag = 'CREATE TABLE'
    loop
      execute format('create trigger no_room before insert on %s
        for each row execute function public.no_room()', made.object_identity);
    end loop;
  end $$;
  create event trigger watching on ddl_command_end
    when tag in ('CREATE TABLE') execute function watch()`;
