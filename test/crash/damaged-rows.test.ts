import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { ROW_KIND, rowKey } from '../../server/src/graph/rows/row-keys.ts';
import { DB } from '../../server/src/store/databases.ts';
import { openEnvironment } from '../../server/src/store/environment.ts';
import { readStoreKeys } from '../../server/src/store/master-key.ts';
import { endOf } from '../support/backups.ts';
import { runTrellis } from '../support/command-line.ts';
import { HttpClient } from '../support/http-client.ts';
import { allPages, ingest, preparePages, RowWatch } from '../support/packed-walks.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

const PAGES = 1_000;
const MASTER_KEY = 'a master key of more than thirty-two bytes';

/** Overwrites the first chunk of columns of a stopped store. */
async function damage(storage: string): Promise<void> {
  const { environmentKey } = readStoreKeys({ storage, masterKey: MASTER_KEY });
  const opening = { storage, readOnly: false, encryptionKey: environmentKey };
  const { root, stores, steady } = openEnvironment('graph', opening);
  await stores[DB.rows]!.stored.put(rowKey(ROW_KIND.columns, 0).slice(), Buffer.alloc(99, 7));
  steady?.releaseAll();
  await root.close();
  await steady?.close();
}

const DAMAGE = 'rows is damaged under 0300000000';

test('packed rows that are damaged are named, and packed again', async () => {
  await using folder = await temporaryFolder();
  const storage = join(folder.path, 'data');
  const env = { MSK_GRAPH_MASTER_KEY: MASTER_KEY };
  const verifyStore = async () => {
    const { code, stdout, stderr } = await runTrellis(['storage', 'verify', '--json'], {
      home: folder.path,
      server: '',
      env: { MSK_GRAPH_STORAGE: storage, ...env },
    });
    const { derived } = JSON.parse(stdout || stderr);
    return { code, rows: derived.rows as { nodes: number; differences: string[] } };
  };
  const untilPacked = async (): Promise<void> => {
    using watch = new RowWatch(storage, MASTER_KEY);
    await expect.poll(() => watch.isPacked).toBe(true);
  };
  {
    await using server = await TrellisProcess.start({ storage, env });
    const http = new HttpClient(server.url);
    const token = await http.signIn();
    await preparePages(http, token);
    await ingest(http, token, allPages().slice(0, PAGES));
    await untilPacked();
    await server.stop();
  }
  const whole = await verifyStore();
  expect(whole).toMatchObject({ code: 0, rows: { differences: [] } });
  expect(whole.rows.nodes).toBeGreaterThan(PAGES / 2);
  await damage(storage);
  expect(await verifyStore()).toMatchObject({ code: 1, rows: { differences: [DAMAGE] } });
  expect(await verifyStore()).toMatchObject({ code: 0, rows: { nodes: 0, differences: [] } });
  {
    await using server = await TrellisProcess.start({ storage, env });
    await untilPacked();
    await server.stop();
  }
  expect(await verifyStore()).toMatchObject({ code: 0, rows: { nodes: whole.rows.nodes } });

  await damage(storage);
  await using server = await TrellisProcess.start({ storage, env });
  const token = await new HttpClient(server.url).signIn();
  const client = new TrellisClient({ baseUrl: server.url, token });
  await client.tasks.create({ name: 'scrub', cron: '@weekly', builtIn: 'storage-scrub' });
  const { log } = await endOf(client, await client.tasks.run('scrub'));
  const [run] = (await client.tasks.listRuns('scrub')).items;
  expect(run).toMatchObject({ state: 'failed', error: { code: 'storage_damaged' } });
  const lines = log.map(({ text }) => text).filter((line) => line.startsWith('Damaged in '));
  expect(lines).toEqual([
    expect.stringContaining(`Damaged in rows: ${DAMAGE}. Nothing: they are packed again`),
  ]);
  await untilPacked();
  await server.stop();
  expect(await verifyStore()).toMatchObject({ code: 0, rows: { nodes: whole.rows.nodes } });
});
