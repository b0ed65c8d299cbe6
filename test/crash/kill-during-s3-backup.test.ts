import { expect, test } from 'vitest';
import { endOf, makeBackup, startLibrary, verified } from '../support/backups.ts';
import { startS3Server, type S3Todo } from '../support/s3-server.ts';

/** After which a claim that is not renewed may be taken, as docs/backups.md has it. */
const TERM_MS = 300_000;
const LEASE = 'one/lock/lease.json';

test('two servers on one bucket: the second waits for the first, and for its claim when it is killed', async () => {
  await using store = await startS3Server('one');
  await using first = await startLibrary(store.env);
  await using second = await startLibrary(store.env);
  await first.addBooks(['Emma']);
  await second.addBooks(['Persuasion']);

  // The first one is stopped in the middle: it has claimed the place, and writes its first piece.
  const isWriting = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  store.onRequest = async ({ method, key }): Promise<S3Todo> => {
    if (method === 'PUT' && key.startsWith('one/pieces/')) {
      isWriting.resolve();
      await goOn.promise;
    }
    return 'answer';
  };
  const begun = await first.client.backups.run();
  await isWriting.promise;
  const inUse = { state: 'failed', error: { code: 'backup_target_in_use' } };
  expect(await endOf(second.client, await second.client.backups.run())).toMatchObject(inUse);
  goOn.resolve();
  expect(await endOf(first.client, begun)).toMatchObject({ state: 'succeeded' });
  const ofFirst = (await first.client.backups.list()).items[0]!;

  // Its claim is given back. The next time it is killed instead.
  store.onRequest = () => 'answer';
  await first.addBooks(['Sanditon']);
  const killed = Promise.withResolvers<void>();
  store.onRequest = async ({ method, key }): Promise<S3Todo> => {
    if (method !== 'PUT' || !key.startsWith('one/log/')) return 'answer';
    await first.server.kill();
    killed.resolve();
    return 'answer';
  };
  await first.client.backups.run();
  await killed.promise;
  store.onRequest = () => 'answer';
  expect(await endOf(second.client, await second.client.backups.run())).toMatchObject(inUse);
  store.aheadMs += TERM_MS;
  let isGivenBack = false;
  store.onRequest = ({ method, key }) => {
    if (method === 'DELETE' && key === LEASE) isGivenBack = true;
    return 'answer';
  };
  const ofSecond = await makeBackup(second.client);
  expect(isGivenBack).toBe(true);
  for (const { id } of [ofFirst, ofSecond]) {
    expect(await verified(second.client, id)).toMatchObject({ state: 'succeeded' });
  }
});
