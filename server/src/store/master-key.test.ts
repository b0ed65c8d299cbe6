import { hkdfSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KEY_BYTES_MIN } from '#base/sign-in-limits.ts';
import { openSegmentLog } from '#log/segment-log.ts';
import { KEEP_ALL, TestClock } from '#log/testing/log-engine.ts';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { expect, it } from 'vitest';
import { DB } from './databases.ts';
import {
  KEY_STRETCHING,
  MASTER_KEY_CHARACTERS_MIN,
  olderStore,
  openStoreKeys,
  readStoreKeys,
  STRETCHING_MEMORY_KIB_MAX,
  STRETCHING_PASSES_MAX,
} from './master-key.ts';
import { openSnapshotReader } from './snapshot-reader.ts';
import { openState } from './state-writer.ts';
import { createStorage, filesIn, MASTER_KEY } from './testing/storage.ts';

const clock = new TestClock();
const SALT = '000102030405060708090a0b0c0d0e0f';
const SECRET = 'the quick brown fox jumps over the lazy dog';

it('derives the same keys at every start, and others in every store', async () => {
  await using one = await temporaryFolder();
  await using other = await temporaryFolder();
  const options = { storage: one.path, masterKey: MASTER_KEY, clock };
  const keys = openStoreKeys(options);
  expect(keys.environmentKey).toMatch(/^values:[\w-]{43}$/);
  expect(keys.vaultKey).toMatch(/^values:[\w-]{43}$/);
  expect(keys.vaultKey).not.toBe(keys.environmentKey);
  expect(keys.logKey).toHaveLength(32);
  expect(openStoreKeys(options)).toEqual(keys);
  expect(readStoreKeys(options)).toEqual(keys);
  const others = openStoreKeys({ ...options, storage: other.path });
  expect(others.environmentKey).not.toBe(keys.environmentKey);
  expect(others.logKey).not.toEqual(keys.logKey);
});

it('stretches the master key of a new store, and not that of one which an older version made', async () => {
  await using made = await temporaryFolder();
  await using older = await temporaryFolder();
  openStoreKeys({ storage: made.path, masterKey: MASTER_KEY, clock });
  const file = JSON.parse(await readFile(join(made.path, 'store.json'), 'utf8'));
  expect(file).toMatchObject({
    format: 3,
    values: 'sealed',
    keyStretching: { algorithm: 'argon2id', memoryKib: 65_536, passes: 3 },
  });
  const derived = (purpose: string, bytes: number) =>
    Buffer.from(
      hkdfSync('sha256', MASTER_KEY, Buffer.from(SALT, 'hex'), `trellis store ${purpose}`, bytes),
    );
  const keyCheck = derived('check', 16).toString('hex');
  await writeFile(
    join(older.path, 'store.json'),
    JSON.stringify({ format: 1, encrypted: true, salt: SALT, keyCheck, createdAt: '' }),
  );
  const keys = readStoreKeys({ storage: older.path, masterKey: MASTER_KEY });
  expect(keys.logKey).toEqual(derived('log', 32));
  expect(keys.values).toBe('plain');
  expect(keys.environmentKey).toBe(derived('environment', 24).toString('base64url'));
  expect(keys.vaultKey).toBe(keys.environmentKey);
  expect([made, older].map(({ path }) => olderStore(path))).toEqual([
    { isOfOlderFormat: false, isEncrypted: true, isOfOlderKey: false },
    { isOfOlderFormat: true, isEncrypted: true, isOfOlderKey: true },
  ]);
});

it.each([
  ['none, though its format has it', null],
  [
    'one that would take all memory',
    { ...KEY_STRETCHING, memoryKib: STRETCHING_MEMORY_KIB_MAX + 1 },
  ],
  ['one that would take for ever', { ...KEY_STRETCHING, passes: STRETCHING_PASSES_MAX + 1 }],
  ['another one', { ...KEY_STRETCHING, algorithm: 'argon2d' }],
])('refuses a store.json whose stretching is %s', async (_what, keyStretching) => {
  await using folder = await temporaryFolder();
  const options = { storage: folder.path, masterKey: MASTER_KEY };
  openStoreKeys({ ...options, clock });
  const path = join(folder.path, 'store.json');
  const file = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...file, keyStretching }));
  const refusal = expect.objectContaining({ code: 'store_format_unknown' });
  expect(() => readStoreKeys(options)).toThrow(refusal);
});

it('derives none without a master key', async () => {
  await using folder = await temporaryFolder();
  const none = undefined;
  const keys = { values: 'checked', environmentKey: none, vaultKey: none, logKey: none };
  expect(openStoreKeys({ storage: folder.path, clock })).toEqual(keys);
});

it('takes a master key from the shortest length on', async () => {
  await using folder = await temporaryFolder();
  const short = 'x'.repeat(MASTER_KEY_CHARACTERS_MIN - 1);
  const open = (masterKey: string) => openStoreKeys({ storage: folder.path, masterKey, clock });
  const hint = expect.stringMatching(`${KEY_BYTES_MIN} bytes or more: openssl rand -base64 32`);
  expect(() => open(short)).toThrow(expect.objectContaining({ code: 'wrong_master_key', hint }));
  expect(filesIn(folder.path).size).toBe(0);
  expect(open(`${short}x`).logKey).toHaveLength(32);
});

it.each([
  { made: MASTER_KEY, opened: `${MASTER_KEY}!`, code: 'wrong_master_key' },
  { made: MASTER_KEY, opened: undefined, code: 'missing_master_key' },
  { made: undefined, opened: MASTER_KEY, code: 'store_not_encrypted' },
])('refuses with $code, says what to do, and touches nothing', async ({ made, opened, code }) => {
  await using storage = await createStorage(made);
  {
    await using state = await storage.openState();
    await state.commit((batch) => batch.put(DB.nodes, Uint8Array.of(1), Uint8Array.of(1)));
  }
  const before = filesIn(storage.path);
  expect(before.size).toBe(7);
  await using folder = await temporaryFolder();
  await using log = await openSegmentLog({ folder: folder.path, clock, archive: KEEP_ALL });
  const options = { storage: storage.path, masterKey: opened };
  const refusal = { code, hint: expect.stringContaining('MSK_GRAPH_MASTER_KEY') };
  await expect(openState({ ...options, log, clock })).rejects.toMatchObject(refusal);
  const open = () => openSnapshotReader({ ...options, environments: ['graph'] });
  expect(open).toThrow(expect.objectContaining({ code }));
  expect(filesIn(storage.path)).toEqual(before);
});

it.each([
  ['a later format', '{"format":4}'],
  ['no JSON', '{'],
  ['a salt cut short', '{"format":1,"encrypted":false,"salt":"00","keyCheck":null,"createdAt":""}'],
])('refuses a store.json with %s', async (_what, text) => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'store.json'), text);
  const open = () => openStoreKeys({ storage: folder.path, clock });
  expect(open).toThrow(expect.objectContaining({ code: 'store_format_unknown' }));
});

it('refuses environments whose store.json is gone, for their keys cannot be derived', async () => {
  await using storage = await createStorage(MASTER_KEY);
  await using other = await createStorage(MASTER_KEY);
  await using state = await storage.openState();
  await state.commit((batch) => batch.put(DB.nodes, Uint8Array.of(1), Uint8Array.of(1)));
  for (const [name, content] of filesIn(join(storage.path, 'graph'))) {
    await writeFile(name.replace(`${storage.path}/graph`, other.path), content);
  }
  await writeFile(join(other.path, 'graph'), '');
  await expect(other.openState()).rejects.toMatchObject({ code: 'store_format_unknown' });
});

it('leaves no plain text of a value of an encrypted store in any file', async () => {
  for (const masterKey of [MASTER_KEY, undefined]) {
    await using folder = await temporaryFolder();
    const { logKey } = openStoreKeys({ storage: folder.path, masterKey, clock });
    {
      await using log = await openSegmentLog({
        folder: join(folder.path, 'log'),
        clock,
        archive: KEEP_ALL,
        ...(logKey === undefined ? {} : { encryptionKey: logKey }),
      });
      await using state = await openState({ storage: folder.path, log, masterKey, clock });
      for (let i = 0; i < 20; i++) {
        await state.commit((batch) => {
          batch.put(DB.nodes, Buffer.from(`key ${i}`), Buffer.from(SECRET));
          batch.put(DB.vault, Buffer.from(`key ${i}`), Buffer.from(SECRET.repeat(500)));
        });
      }
    }
    const files = [...filesIn(folder.path)];
    const telling = files.filter(([, content]) => content.includes(SECRET));
    // Without encryption, the same search finds the text in the log and both environments.
    expect(telling).toHaveLength(masterKey === undefined ? 3 : 0);
    expect(files.some(([, content]) => content.includes(MASTER_KEY))).toBe(false);
  }
});
