import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { ReplicaStore } from '../../server/src/app/replication/replica-store.ts';
import { makeBackup, restore } from '../support/backups.ts';
import { type Outcome, runTrellis } from '../support/command-line.ts';
import { HttpClient } from '../support/http-client.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { requirePostgres } from '../support/requires.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { JWT_KEY } from './cluster.ts';
import { Members } from './members.ts';
import { prepareWorkload, readItems, writeBallast } from './workload.ts';

const KEYS = {
  MSK_JWT_KEY: JWT_KEY,
  MSK_GRAPH_MASTER_KEY: 'a master key of more than thirty-two bytes',
};

describe.skipIf(requirePostgres())('trellis cluster', () => {
  it('moves a workspace from a folder into PostgreSQL, and out of it again', async () => {
    await using postgres = await startPostgres();
    await using folder = await temporaryFolder();
    const at = (name: string): string => `${folder.path}/${name}`;
    const env = { ...KEYS, MSK_LOG: postgres.url };
    const cluster = (command: string, ...args: string[]): Promise<Outcome> =>
      runTrellis(['cluster', command, ...args, '--json'], { home: folder.path, server: '', env });
    const imports = (...args: string[]) => cluster('import', at('data'), ...args);

    const { items, token } = await (async () => {
      await using server = await TrellisProcess.start({ storage: at('data'), env: KEYS });
      const http = new HttpClient(server.url);
      const session = await prepareWorkload(http);
      await writeBallast(http, session, 3_000_000);
      expect(await imports()).toMatchObject(refused('storage_in_use'));
      const written = await readItems(http, session);
      expect(await server.stop()).toBe(0);
      return { items: written, token: session };
    })();

    expect(await cluster('import', at('nothing'))).toMatchObject(refused('store_format_unknown'));
    expect(await cluster('export', at('alone'))).toMatchObject(refused('log_database_unsuitable'));
    const tried = await imports('--dry-run');
    expect(done(tried)).toMatchObject({ isDryRun: true, firstSequence: 1 });
    const imported = done(await imports());
    expect(imported).toMatchObject({
      ...done(tried),
      isDryRun: false,
      workspace: 'main',
      logDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await imports()).toMatchObject(refused('read_only_replica'));
    // An import that was killed before its last step finds that all is there.
    await ReplicaStore.markMoving(at('data'));
    expect(done(await imports())).toEqual({ ...imported, logDigest: null });

    // The log alone makes the same state.
    expect(done(await cluster('export', at('alone'), '--dry-run'))).toMatchObject({
      source: 'log',
      stateDigest: null,
    });
    const exported = done(await cluster('export', at('alone')));
    const { lastSequence: sequence, stateDigest } = imported;
    expect(exported).toMatchObject({ source: 'log', sequence, stateDigest });
    await ReplicaStore.markMoving(at('alone'));
    const other = await cluster('import', at('alone'));
    expect(other).toMatchObject(refused('log_database_unsuitable'));
    await rm(at('alone'), { recursive: true });

    const members = await Members.create(postgres.url, KEYS);
    await using _members = members;
    const one = await members.start('one', { MSK_GRAPH_STORAGE: at('data') });
    expect(await one.process.ready).toMatchObject({ role: 'primary' });
    const two = await members.start('two');
    await two.process.ready;
    expect(await readItems(two.http, token)).toEqual(items);
    await writeBallast(one.http, token, 10_000, 'later');
    const all = await readItems(one.http, token);
    expect(all.size).toBeGreaterThan(items.size);

    // Of a member that is stopped, which lacks what the other one has written since.
    await two.process.kill();
    await writeBallast(one.http, token, 10_000, 'last');
    const left = await cluster('export', two.storage);
    expect(done(left)).toMatchObject({ source: 'member' });
    expect(await cluster('export', at('data'))).toMatchObject(refused('storage_in_use'));
    const last = await readItems(one.http, token);
    await using server = await TrellisProcess.start({ storage: two.storage, env: KEYS });
    expect(await readItems(new HttpClient(server.url), token)).toEqual(last);
    expect(last.size).toBeGreaterThan(all.size);
  });

  it('goes on from the newest backup when no member has what PostgreSQL lacks', async () => {
    await using postgres = await startPostgres();
    await using folder = await temporaryFolder();
    const at = (name: string): string => `${folder.path}/${name}`;
    const backups = { MSK_GRAPH_BACKUP_FOLDER: at('backups') };
    const env = { MSK_JWT_KEY: JWT_KEY, MSK_LOG: postgres.url, ...backups };
    const cluster = (...args: string[]): Promise<Outcome> =>
      runTrellis(['cluster', ...args, '--json'], { home: folder.path, server: '', env });
    {
      await using server = await TrellisProcess.start({ storage: at('first'), env: backups });
      const session = await prepareWorkload(new HttpClient(server.url));
      await makeBackup(new TrellisClient({ baseUrl: server.url, token: session }));
      expect(await server.stop()).toBe(0);
    }
    // Its log begins after the backup.
    expect(await restore([at('backups'), '--to', at('data')])).toMatchObject({ code: 0 });
    const { firstSequence } = done(await cluster('import', at('data')));
    expect(firstSequence).toBeGreaterThan(1);

    await using members = await Members.create(postgres.url, backups);
    const one = await members.start('one', { MSK_GRAPH_STORAGE: at('data') });
    await one.process.ready;
    const token = await one.http.signIn();
    await makeBackup(new TrellisClient({ baseUrl: one.address, token }));
    await writeBallast(one.http, token, 10_000);
    const items = await readItems(one.http, token);
    await one.process.kill();
    await one.empty();

    const none = { MSK_GRAPH_BACKUP_FOLDER: '' };
    const two = await members.start('two', none);
    await two.process.waitForLine(/start a member that has more, or set MSK_GRAPH_BACKUP_FOLDER/);
    await two.process.kill();
    const three = await members.start('three');
    await three.process.waitForLine(/goes on from the backup/);
    expect(await members.primaryBut(one, two)).toBe(three);
    expect(await readItems(three.http, token)).toEqual(items);
    const { source } = done(await cluster('export', at('alone')));
    expect(source).toBe('backup');
    await using server = await TrellisProcess.start({ storage: at('alone') });
    const alone = new HttpClient(server.url);
    expect(await readItems(alone, await alone.signIn())).toEqual(items);
  });
});

function refused(code: string) {
  return { code: 1, stderr: expect.stringContaining(`"${code}"`) };
}

function done({ code, stdout, stderr }: Outcome): Record<string, unknown> {
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}
