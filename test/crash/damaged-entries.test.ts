import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { openSegmentLog } from '../../server/src/log/segment-log.ts';
import { DB } from '../../server/src/store/databases.ts';
import { readStoreKeys } from '../../server/src/store/master-key.ts';
import { openState } from '../../server/src/store/state-writer.ts';
import { endOf, makeBackup, verified } from '../support/backups.ts';
import { runTrellis } from '../support/command-line.ts';
import { HttpClient } from '../support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

const BOOKS = 300;
const SCHEMA = {
  nodes: [
    {
      type: 'Book',
      key: 'Id',
      fields: { Title: 'String', Isbn: 'String' },
      indexes: [{ field: 'Title' }, { field: 'Isbn', unique: true }],
    },
  ],
  edges: [],
};
const LACKS = 'indexes lacks an entry of the index Book (Title): ';

/** Removes an entry of the first index, as no commit of a server does. */
async function damage(storage: string, masterKey: string | undefined): Promise<void> {
  const { logKey } = readStoreKeys({ storage, masterKey });
  await using log = await openSegmentLog({
    folder: join(storage, 'log'),
    clock: systemClock,
    archive: { ttlMs: Number.MAX_SAFE_INTEGER, bytesMax: Number.MAX_SAFE_INTEGER },
    ...(logKey === undefined ? {} : { encryptionKey: logKey }),
  });
  await using state = await openState({ storage, log, masterKey, clock: systemClock });
  await state.commit((batch) => {
    let first: Uint8Array | undefined;
    const range = { start: new Uint8Array([0, 1]), end: new Uint8Array([0, 2]), keysOnly: true };
    state.view.scan(DB.indexes, range, (key) => {
      first = Uint8Array.from(key);
      return false;
    });
    batch.delete(DB.indexes, first!);
  });
}

test.each([
  ['', undefined],
  ['encrypted ', 'a master key of more than thirty-two bytes'],
])(
  'an index of an %sworkspace that is not what its nodes say is named, and is whole when added again',
  async (_, masterKey) => {
    await using folder = await temporaryFolder();
    const storage = join(folder.path, 'data');
    const keys = masterKey === undefined ? {} : { MSK_GRAPH_MASTER_KEY: masterKey };
    const env = { MSK_GRAPH_BACKUP_FOLDER: join(folder.path, 'backups'), ...keys };
    const verifyStore = async () => {
      const { code, stdout, stderr } = await runTrellis(['storage', 'verify', '--json'], {
        home: folder.path,
        server: '',
        env: { MSK_GRAPH_STORAGE: storage, ...keys },
      });
      return { code, found: JSON.parse(stdout || stderr) as Record<string, unknown> };
    };
    {
      await using server = await TrellisProcess.start({ storage, env });
      const http = new HttpClient(server.url);
      const token = await http.signIn();
      await http.send({ method: 'PUT', path: '/api/schema', token, body: SCHEMA });
      const operations = Array.from({ length: BOOKS }, (__, i) => ({
        op: 'addOrUpdate',
        type: 'Book',
        key: `b${i}`,
        fields: { Title: `title ${i % 9}`, Isbn: `isbn ${i}` },
      }));
      const { status } = await http.send({ path: '/api/ingest', token, body: { operations } });
      expect(status).toBe(200);
      await server.stop();
    }
    expect(await verifyStore()).toMatchObject({
      code: 0,
      found: { differences: [], derived: { differenceCount: 0, skipped: [] } },
    });
    await damage(storage, masterKey);
    expect(await verifyStore()).toMatchObject({
      code: 1,
      // The log says so, too.
      found: {
        differences: [],
        derived: { differenceCount: 1, differences: [expect.stringContaining(LACKS)] },
      },
    });

    await using server = await TrellisProcess.start({ storage, env });
    const http = new HttpClient(server.url);
    const token = await http.signIn();
    const client = new TrellisClient({ baseUrl: server.url, token });
    await client.tasks.create({ name: 'scrub', cron: '@weekly', builtIn: 'storage-scrub' });
    const scrub = async () => {
      const { log } = await endOf(client, await client.tasks.run('scrub'));
      const [run] = (await client.tasks.listRuns('scrub')).items;
      return { ...run, lines: log.map(({ text }) => text) };
    };
    const failed = await scrub();
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'storage_damaged' } });
    const named = failed.lines.filter((line) => line.startsWith('Damaged in '));
    expect(named).toHaveLength(1);
    expect(named[0]).toContain(`Damaged in derived: ${LACKS}`);
    expect(named[0]).toContain('Remove the index and add it again.');
    const { json } = await http.send({ path: '/health', token });
    expect(JSON.stringify(json)).toContain('storage_damaged');

    const backup = await verified(client, (await makeBackup(client)).id);
    expect(backup).toMatchObject({ state: 'failed', error: { code: 'storage_damaged' } });
    expect(backup.log.map(({ text }) => text).join()).toContain(LACKS);

    const removed = { type: 'Book', fields: ['Title'] };
    await http.send({ method: 'DELETE', path: '/api/schema/indexes', token, body: removed });
    await http.send({ method: 'PUT', path: '/api/schema', token, body: SCHEMA });
    const building = async () => JSON.stringify((await client.schema.get()).nodes);
    await expect.poll(building).not.toContain('building');
    expect(await scrub()).toMatchObject({ state: 'succeeded', error: null });
    expect(await verified(client, (await makeBackup(client)).id)).toMatchObject({
      state: 'succeeded',
    });
    await server.stop();
    expect(await verifyStore()).toMatchObject({ code: 0 });
  },
);
