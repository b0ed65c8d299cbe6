import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TestClock } from '#log/testing/log-engine.ts';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { openEnvironments } from '../environment.ts';
import { readStoreKeys, STORE_FILE } from '../master-key.ts';
import { openSnapshotReader } from '../snapshot-reader.ts';
import { digestState } from '../snapshot.ts';
import { filesIn } from '../testing/storage.ts';
import { closeEnvironments } from '../write-transaction.ts';
import { rewriteStore } from './rewrite-store.ts';
import { verifyStore } from './verify-store.ts';

const STORES = join(import.meta.dirname, '../../../../test/upgrade/stores');
const KEPT = [
  {
    what: 'that LMDB encrypted',
    archive: '26.11.0-before-history-encrypted.tar.gz',
    masterKey: 'the key of kept stores',
    values: 'sealed',
  },
  {
    what: 'without a key',
    archive: '26.11.0-before-history.tar.gz',
    masterKey: undefined,
    values: 'checked',
  },
] as const;
const NEW_KEY = 'another key, which is long enough for a store';
/** A text in a field of a node. */
const TITLE = 'the matchmaker';
const clock = new TestClock();
const quiet = { clock, onProgress: () => {}, onStep: () => {} };

async function keptStore(archive: string) {
  const folder = await temporaryFolder();
  execFileSync('tar', ['-xzf', join(STORES, archive), '-C', folder.path]);
  return {
    storage: join(folder.path, 'store'),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function digestOf(storage: string, masterKey: string | undefined) {
  using reader = openSnapshotReader({ storage, masterKey, environments: ['graph', 'vault'] });
  return await digestState(reader);
}

const fileOf = (storage: string) => JSON.parse(readFileSync(join(storage, STORE_FILE), 'utf8'));

it.each(KEPT)('writes a store $what in the newest format, with its key', async (kept) => {
  const { archive, masterKey, values } = kept;
  await using store = await keptStore(archive);
  const { storage } = store;
  expect(readStoreKeys({ storage, masterKey }).values).toBe('plain');
  const former = fileOf(storage);
  const before = await verifyStore({ storage, masterKey, ...quiet });
  expect(before.differences).toEqual([]);
  const { digest } = await rewriteStore({ storage, masterKey, ...quiet });
  expect(digest).toBe(before.digest);
  const { format, salt, keyCheck } = fileOf(storage);
  const { salt: formerSalt, keyCheck: formerCheck } = former;
  expect({ format, salt, keyCheck }).toEqual({
    format: 3,
    salt: formerSalt,
    keyCheck: formerCheck,
  });
  expect(readStoreKeys({ storage, masterKey }).values).toBe(values);
  expect(await digestOf(storage, masterKey)).toMatchObject({ digest });
  expect(await verifyStore({ storage, masterKey, ...quiet })).toMatchObject({
    differences: [],
    digest,
  });
  const telling = [...filesIn(join(storage, 'graph')).values()].some((file) =>
    file.includes(TITLE),
  );
  expect(telling).toBe(masterKey === undefined);
});

it.each(KEPT)('writes a store $what in the newest format, with another key', async (kept) => {
  const { archive, masterKey } = kept;
  await using store = await keptStore(archive);
  const { storage } = store;
  const { digest } = await rewriteStore({ storage, masterKey, newMasterKey: NEW_KEY, ...quiet });
  expect(readStoreKeys({ storage, masterKey: NEW_KEY }).values).toBe('sealed');
  expect(await digestOf(storage, NEW_KEY)).toMatchObject({ digest });
  const telling = [...filesIn(storage).values()].some((file) => file.includes(TITLE));
  expect(telling).toBe(false);
});

it.each(KEPT)('reads a store $what beside its writer', async ({ archive, masterKey }) => {
  await using store = await keptStore(archive);
  const { storage } = store;
  const { digest } = await verifyStore({ storage, masterKey, ...quiet });
  const keys = readStoreKeys({ storage, masterKey });
  const { graph, vault } = openEnvironments({ storage, readOnly: false, ...keys });
  try {
    expect(graph.seal.form).toBe('plain');
    expect(await digestOf(storage, masterKey)).toMatchObject({ digest });
  } finally {
    await closeEnvironments({ graph, vault });
  }
});

it('refuses a file that says another form than the environment does', async () => {
  const [, { archive, masterKey }] = KEPT;
  await using store = await keptStore(archive);
  const { storage } = store;
  const former = readFileSync(join(storage, STORE_FILE));
  await rewriteStore({ storage, masterKey, ...quiet });
  writeFileSync(join(storage, STORE_FILE), former);
  const open = () => openEnvironments({ storage, readOnly: false, ...readStoreKeys({ storage }) });
  expect(open).toThrow(expect.objectContaining({ code: 'store_format_unknown' }));
});
