import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { restoreInto } from '../../server/src/app/restore.ts';
import { readConfig } from '../../server/src/config/read-config.ts';
import { ReplicaStore } from '../../server/src/app/replication/replica-store.ts';
import { makeBackup, restore } from '../support/backups.ts';
import { type Outcome, runTrellis } from '../support/command-line.ts';
import { HttpClient } from '../support/http-client.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { requirePostgres } from '../support/requires.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { JWT_KEY } from './cluster.ts';
import { Members } from './members.ts';
import { prepareWorkload, readItems, writeBallast } from './workload.ts';

const KEYS = {
  MSK_JWT_KEY: JWT_KEY,
  MSK_GRAPH_MASTER_KEY: 'a master key of more than thirty-two bytes',
};
/** In several groups of the log in PostgreSQL. */
const BALLAST_BYTES = 1_500_000;

describe.skipIf(requirePostgres())('trellis cluster', () => {
  const resources = new AsyncDisposableStack();
  let postgres: PostgresServer;
  let folder: string;
  /** Of the server that both workspaces come from. */
  let token: string;
  let items: ReadonlySet<string>;
  const at = (name: string): string => `${folder}/${name}`;
  const backups = () => ({ MSK_GRAPH_BACKUP_FOLDER: at('backups') });
  const clusterOf =
    (env: Readonly<Record<string, string>>) =>
    (command: string, ...args: string[]): Promise<Outcome> =>
      runTrellis(['cluster', command, ...args, '--json'], {
        home: folder,
        server: '',
        env: { ...KEYS, MSK_LOG: postgres.url, ...env },
      });

  beforeAll(async () => {
    postgres = resources.use(await startPostgres());
    folder = resources.use(await temporaryFolder()).path;
    const env = { ...KEYS, ...backups() };
    await using server = await TrellisProcess.start({ storage: at('data'), env });
    const http = new HttpClient(server.url);
    token = await prepareWorkload(http);
    await writeBallast(http, token, BALLAST_BYTES);
    const backup = makeBackup(new TrellisClient({ baseUrl: server.url, token }));
    expect(await clusterOf({})('import', at('data'))).toMatchObject(refused('storage_in_use'));
    await backup;
    items = await readItems(http, token);
    expect(await server.stop()).toBe(0);
  });
  afterAll(() => resources.disposeAsync());

  it('moves a workspace from a folder into PostgreSQL, and out of it again', async () => {
    const cluster = clusterOf({});
    const imports = (...args: string[]) => cluster('import', at('data'), ...args);
    const [nothing, missing, tried] = await Promise.all([
      cluster('import', at('nothing')),
      cluster('export', at('alone')),
      imports('--dry-run'),
    ]);
    expect(nothing).toMatchObject(refused('store_format_unknown'));
    expect(missing).toMatchObject(refused('log_database_unsuitable'));
    expect(done(tried)).toMatchObject({ isDryRun: true, firstSequence: 1 });
    const imported = done(await imports());
    expect(imported).toMatchObject({
      ...done(tried),
      isDryRun: false,
      workspace: 'main',
      logDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const [again, dry] = await Promise.all([
      imports(),
      cluster('export', at('alone'), '--dry-run'),
    ]);
    expect(again).toMatchObject(refused('read_only_replica'));
    expect(done(dry)).toMatchObject({ source: 'log', stateDigest: null });
    await ReplicaStore.markMoving(at('data'));
    const [finished, alone] = await Promise.all([imports(), cluster('export', at('alone'))]);
    // An import that was killed before its last step finds that all is there.
    expect(done(finished)).toEqual({ ...imported, logDigest: null });
    // The log alone makes the same state.
    const { lastSequence: sequence, stateDigest } = imported;
    expect(done(alone)).toMatchObject({ source: 'log', sequence, stateDigest });
    await ReplicaStore.markMoving(at('alone'));
    const other = await cluster('import', at('alone'));
    expect(other).toMatchObject(refused('log_database_unsuitable'));
    const members = await Members.create(postgres.url, KEYS);
    await using _members = members;
    // What an import has not moved is nobody's to overwrite.
    const unmoved = await members.start('unmoved', { MSK_GRAPH_STORAGE: at('alone') });
    await unmoved.process.waitForLine(/holds a workspace that is not in MSK_LOG/);
    await unmoved.process.waitForExit();
    await rm(at('alone'), { recursive: true });

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
    const [left, used] = await Promise.all([
      cluster('export', two.storage),
      cluster('export', at('data')),
    ]);
    expect(done(left)).toMatchObject({ source: 'member' });
    expect(used).toMatchObject(refused('storage_in_use'));
    const last = await readItems(one.http, token);
    await using server = await TrellisProcess.start({ storage: two.storage, env: KEYS });
    expect(await readItems(new HttpClient(server.url), token)).toEqual(last);
    expect(last.size).toBeGreaterThan(all.size);
  });

  it('goes on from the newest backup when no member has what PostgreSQL lacks', async () => {
    const env = { MSK_WORKSPACE: 'other', ...backups() };
    const cluster = clusterOf(env);
    // Its log begins after the backup.
    expect(await restore([at('backups'), '--to', at('other')], KEYS)).toMatchObject({ code: 0 });
    const { firstSequence } = done(await cluster('import', at('other')));
    expect(firstSequence).toBeGreaterThan(1);

    await using members = await Members.create(postgres.url, { ...KEYS, ...env });
    const one = await members.start('one', { MSK_GRAPH_STORAGE: at('other') });
    await one.process.ready;
    const session = await one.http.signIn();
    await makeBackup(new TrellisClient({ baseUrl: one.address, token: session }));
    await writeBallast(one.http, session, 10_000, 'later');
    const all = await readItems(one.http, session);
    expect(all.size).toBeGreaterThan(items.size);
    await one.process.kill();
    await one.empty();

    const none = { MSK_GRAPH_BACKUP_FOLDER: '' };
    const two = await members.start('two', none);
    await two.process.waitForLine(/start a member that has more, or set MSK_GRAPH_BACKUP_FOLDER/);
    await two.process.kill();
    const three = await members.start('three');
    await three.process.waitForLine(/goes on from the backup/);
    expect(await members.primaryBut(one, two)).toBe(three);
    expect(await readItems(three.http, session)).toEqual(all);
    const { source } = done(await cluster('export', at('last')));
    expect(source).toBe('backup');
    // A backup that ends before the log in PostgreSQL begins takes the place of nothing.
    const settings = { ...KEYS, MSK_LOG: postgres.url, ...env };
    const restoring = { ...readConfig(settings, { opensOlder: true }), storage: at('last') };
    const wish = { kind: 'newest' } as const;
    const signal = new AbortController().signal;
    const short = restoreInto(
      { ...restoring, wish, keepsHistory: true, reaches: Number.MAX_SAFE_INTEGER },
      { signal, report: () => {}, log: () => {} },
    );
    await expect(short).rejects.toMatchObject({ code: 'backup_point_unreachable' });
    await using server = await TrellisProcess.start({ storage: at('last'), env: KEYS });
    const alone = new HttpClient(server.url);
    expect(await readItems(alone, await alone.signIn())).toEqual(all);
  });
});

function refused(code: string) {
  return { code: 1, stderr: expect.stringContaining(`"${code}"`) };
}

function done({ code, stdout, stderr }: Outcome): Record<string, unknown> {
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}
