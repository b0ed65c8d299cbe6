import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { Cluster } from '../cluster/cluster.ts';
import { makeBackup, restore } from '../support/backups.ts';

const STORES = join(import.meta.dirname, 'stores');

function formOf(storage: string): unknown {
  const { format, values } = JSON.parse(readFileSync(join(storage, 'store.json'), 'utf8'));
  return { format, values };
}

/**
 * What an older version wrote stays as it is only where it lies: see also `older-format.test.ts` of
 * the store.
 */
test.each([
  {
    what: 'that LMDB encrypted',
    archive: '26.11.0-before-history-encrypted.tar.gz',
    env: { MSK_GRAPH_MASTER_KEY: 'the key of kept stores' },
    values: 'sealed',
  },
  {
    what: 'without a key',
    archive: '26.11.0-before-history.tar.gz',
    env: {},
    values: 'checked',
  },
])('what is copied of a store $what is of the newest format', async ({ archive, env, values }) => {
  await using cluster = await Cluster.create();
  const primary = await cluster.node('primary');
  execFileSync('tar', ['-xzf', join(STORES, archive), '-C', cluster.folder]);
  await rename(join(cluster.folder, 'store'), primary.storage);
  const former = formOf(primary.storage);
  expect(former).toEqual({ format: 1, values: undefined });
  const backups = join(cluster.folder, 'backups');
  await primary.startPrimary({ ...env, MSK_GRAPH_BACKUP_FOLDER: backups });
  const token = await primary.http.signIn();

  await makeBackup(new TrellisClient({ baseUrl: primary.address, token }));
  const restored = join(cluster.folder, 'restored');
  const { code, stderr } = await restore([backups, '--to', restored], env);
  expect(code, stderr).toBe(0);
  expect(formOf(restored)).toEqual({ format: 3, values });

  // The key of the kept store is shorter than what a new replica takes, and replicas have that of
  // their primary.
  if (values === 'checked') {
    const replica = await cluster.node('replica');
    await replica.startReplica(await cluster.link(primary));
    expect(formOf(replica.storage)).toEqual({ format: 3, values });
    const asked = { path: '/api/node/query', token, body: { type: 'Book' } };
    const books = await primary.http.send(asked);
    expect(books.text).toContain('Sanditon');
    expect((await replica.http.send(asked)).json).toEqual(books.json);
  }
  // Nobody has rewritten the store itself.
  expect(formOf(primary.storage)).toEqual(former);
});
