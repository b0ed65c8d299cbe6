import { expect, test } from 'vitest';
import { makeBackup, restore, startLibrary, titlesIn, verified } from '../support/backups.ts';
import { S3_BUCKET, startS3Server } from '../support/s3-server.ts';

test('backups go to a store of objects, encrypted, and come back to a point between two', async () => {
  await using store = await startS3Server('one');
  const env = {
    ...store.env,
    MSK_GRAPH_MASTER_KEY: 'a master key of more than sixteen characters',
  };
  await using library = await startLibrary(env);
  const { client, scratch } = library;
  await library.addBooks(['Emma']);
  await makeBackup(client);
  await library.addBooks(['Persuasion']);
  const { headers } = await library.http.send({ path: '/api/schema', token: library.token });
  const point = headers.get('x-msk-sequence')!;
  await library.addBooks(['Sanditon']);
  const backup = await makeBackup(client);
  const list = await client.backups.list();
  expect(list).toMatchObject({ total: 2, target: `s3://${S3_BUCKET}/one` });
  expect(await verified(client, backup.id)).toMatchObject({ state: 'succeeded' });
  await library.server.stop();
  const place = `s3://${S3_BUCKET}/one`;
  const restored = await restore([place, '--to', scratch, '--at', point], env);
  expect([restored.code, restored.stderr]).toEqual([0, expect.any(String)]);
  expect(await titlesIn(scratch, { ...env, MSK_GRAPH_BACKUP_FOLDER: '' })).toEqual([
    'Emma',
    'Persuasion',
  ]);
  const without = await restore([place, '--to', `${scratch}2`]);
  expect(without.stderr).toContain('MSK_GRAPH_BACKUP_S3_SECRET_KEY');
});
