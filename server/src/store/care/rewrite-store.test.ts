import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from '#log/folder-lock.ts';
import { openSegmentLog } from '#log/segment-log.ts';
import { KEEP_ALL, TestClock } from '#log/testing/log-engine.ts';
import { temporaryFolder, type TemporaryFolder } from '#log/testing/temporary-folder.ts';
import { sampled } from '../../../../test/support/scale.ts';
import { DB } from '../databases.ts';
import { openStoreKeys } from '../master-key.ts';
import { openEnvironments } from '../environment.ts';
import { openState } from '../state-writer.ts';
import { closeEnvironments, writeTransaction } from '../write-transaction.ts';
import { filesIn } from '../testing/storage.ts';
import { readSizes } from './entry-counts.ts';
import { rewriteStore } from './rewrite-store.ts';
import { REWRITING_FOLDER, settleRewrite } from './settle-rewrite.ts';
import { verifyStore, type Verification } from './verify-store.ts';

const OLD = 'the former master key';
const NEW = 'the master key to come';
const MARKER = 'a value that stands nowhere in the clear';
const KILLED = fileURLToPath(new URL('../testing/rewrite-until-killed.ts', import.meta.url));

let folder: TemporaryFolder;
let storage: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  storage = join(folder.path, 'store');
});
afterEach(() => folder[Symbol.asyncDispose]());

const clock = new TestClock();
const quiet = { clock, onProgress: () => {}, onStep: () => {} };

/** With many UIDs a commit makes a group that is large, and they go to a second tree. */
const TIERED = { tierRule: { firstMin: 0, recentMin: 10, recentDivisor: 1_000 } };
const UIDS = 1_000;

/** Commits to both environments; many values are overwritten. */
async function write(
  masterKey: string | undefined,
  from: number,
  to: number,
  uids = 0,
): Promise<void> {
  const { logKey } = openStoreKeys({ storage, masterKey, clock });
  await using log = await openSegmentLog({
    folder: join(storage, 'log'),
    clock,
    archive: KEEP_ALL,
    ...(logKey === undefined ? {} : { encryptionKey: logKey }),
  });
  const rules = uids > 0 ? TIERED : {};
  await using state = await openState({ storage, log, masterKey, clock, ...rules });
  for (let i = from; i < to; i++) {
    await state.commit((batch) => {
      for (let j = 0; j < uids; j++) {
        batch.put(DB.uids, Buffer.from(`${j} of commit ${i}`.padStart(16)), Uint8Array.of(j));
      }
      const key = Buffer.alloc(6);
      key.writeUInt32BE(i % 100, 1);
      const value = Buffer.from(`${MARKER} ${i} ${'x'.repeat(2_000)}`);
      batch.put(DB.nodes, key, value);
      if (i % 3 === 0) batch.put(DB.vault, key, value);
      if (i % 7 === 0) batch.delete(DB.nodes, key);
    });
  }
}

const formatOf = (): unknown =>
  JSON.parse(readFileSync(join(storage, 'store.json'), 'utf8')).format;

const verify = (masterKey: string | undefined): Promise<Verification> =>
  verifyStore({ storage, masterKey, ...quiet });

describe('verifying', () => {
  it('compares all there is with a log that is whole', async () => {
    await write(undefined, 0, 300);
    const found = await verify(undefined);
    expect(found).toMatchObject({ differences: [], log: { commits: 300, isWhole: true } });
    expect(found.entries).toBeGreaterThan(50);
  });

  it.each([
    ['another value', 'another value', (key: Buffer) => key],
    ['an entry too many', 'entries', (key: Buffer) => Buffer.concat([key, key])],
  ])('finds %s that the log did not write', async (_, told, keyFrom) => {
    await write(undefined, 0, 50);
    const { graph, vault } = openEnvironments({ storage, readOnly: false });
    const key = Buffer.alloc(6);
    key.writeUInt32BE(5, 1);
    await writeTransaction(graph, () => {
      graph.stores[DB.nodes]?.put(keyFrom(key), Buffer.from('spoiled'));
    });
    await closeEnvironments({ graph, vault });
    const { differences } = await verify(undefined);
    expect(differences).toEqual([expect.stringContaining(told)]);
  });

  it('names each entry that is damaged', async () => {
    await write(undefined, 0, 50);
    const { graph, vault } = openEnvironments({ storage, readOnly: false });
    const nodes = graph.stores[DB.nodes]!;
    const spoiled: string[] = [];
    graph.root.transactionSync(() => {
      for (const { key, value } of nodes.stored.getRange({ start: Uint8Array.of(0), limit: 2 })) {
        spoiled.push(Buffer.from(key).toString('hex'));
        nodes.stored.putSync(Uint8Array.from(key), value.with(0, value[0]! ^ 4));
      }
    });
    await closeEnvironments({ graph, vault });
    const { differences, digest } = await verify(undefined);
    expect(differences).toEqual(spoiled.map((key) => `nodes is damaged under ${key}`));
    expect(digest).toBeNull();
  });

  it('refuses a log that is damaged', async () => {
    await write(undefined, 0, 50);
    const files = [...filesIn(join(storage, 'log')).keys()];
    const segment = files.find((name) => /\d/.test(name.slice(-12)));
    const bytes = readFileSync(segment!);
    bytes[Math.floor(bytes.length / 3)]! ^= 1;
    writeFileSync(segment!, bytes);
    await expect(verify(undefined)).rejects.toMatchObject({ code: 'log_corrupt' });
  });
});

describe.each([
  ['without a key', undefined],
  ['encrypted', OLD],
])('compacting a store %s', (_, masterKey) => {
  it('makes one tree of two', async () => {
    await write(masterKey, 0, 4, UIDS);
    expect(formatOf()).toBe(4);
    const before = await verify(masterKey);
    await rewriteStore({ storage, masterKey, ...quiet });
    expect(formatOf()).toBe(3);
    expect(await verify(masterKey)).toEqual(before);
    await write(masterKey, 4, 6, UIDS);
    expect(formatOf()).toBe(4);
    expect((await verify(masterKey)).differences).toEqual([]);
  });

  it('keeps all there is, in less room, and goes on', async () => {
    await write(masterKey, 0, 600);
    const before = await verify(masterKey);
    const { environments } = readSizes({ storage, masterKey });
    const progress: number[] = [];
    const onProgress = (done: number, total: number): void => void progress.push(done / total);
    const manifest = await rewriteStore({ storage, masterKey, ...quiet, onProgress });
    expect(progress.at(-1)).toBe(1);
    expect(manifest.digest).toBe(before.digest);
    expect(await verify(masterKey)).toEqual(before);
    const after = readSizes({ storage, masterKey }).environments;
    expect(after[0]!.fileBytes).toBeLessThan(environments[0]!.fileBytes);
    await write(masterKey, 600, 650);
    expect((await verify(masterKey)).log.commits).toBe(650);
    expect(existsSync(join(storage, REWRITING_FOLDER))).toBe(false);
  });
});

describe.each([
  ['from one key to another', OLD],
  ['from none', undefined],
])('a new master key, %s', (_, masterKey) => {
  it('opens all there is, which the former one does not, and nothing is in the clear', async () => {
    await write(masterKey, 0, 200);
    mkdirSync(join(storage, 'search'));
    writeFileSync(join(storage, 'search', 'segment'), MARKER);
    const before = await verify(masterKey);
    await rewriteStore({ storage, masterKey, newMasterKey: NEW, ...quiet });
    for (const [name, bytes] of filesIn(storage)) expect(bytes.includes(MARKER), name).toBe(false);
    await expect(verify(masterKey)).rejects.toMatchObject({
      code: masterKey === undefined ? 'missing_master_key' : 'wrong_master_key',
    });
    const { digest, epoch, sequence } = before;
    expect(await verify(NEW)).toMatchObject({ digest, epoch, sequence, differences: [] });
    await write(NEW, 200, 250);
    const after = await verify(NEW);
    expect(after.log).toMatchObject({ firstSequence: sequence + 1, commits: 50 });
    expect(after.differences).toEqual([]);
  });
});

describe('a rewrite that is killed', () => {
  const run = (newKey: string, killAt: number) =>
    spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', KILLED, storage, OLD, newKey, String(killAt)],
      { encoding: 'utf8' },
    );

  it.each([
    ['with the same key', ''],
    ['with a new one', NEW],
  ])(
    'before any step, %s, leaves the one store or the other, whole',
    async (_, newKey) => {
      await write(OLD, 0, 120);
      const before = await verify(OLD);
      const original = join(folder.path, 'original');
      cpSync(storage, original, { recursive: true });
      const steps = Number(run(newKey, 0).stdout);
      expect(steps).toBeGreaterThan(6);
      const ends = new Set<string>();
      const all = Array.from({ length: steps }, (_step, i) => i + 1);
      const kills = sampled(all, 3);
      for (const killAt of kills) {
        rmSync(storage, { recursive: true });
        cpSync(original, storage, { recursive: true });
        expect(run(newKey, killAt).signal).toBe('SIGKILL');
        // This is what the next start or the next command does.
        const settled = settleRewrite(storage);
        ends.add(settled);
        const key = settled === 'completed' && newKey !== '' ? newKey : undefined;
        // When it was killed while clearing up, everything else was done.
        const isNew = key !== undefined || (await isOpened(newKey));
        const found = await verify(isNew ? newKey : OLD);
        expect(found).toMatchObject({ digest: before.digest, differences: [] });
        // A second run completes the rewrite.
        if (!isNew) expect(run(newKey, 0).status).toBe(0);
        const last = await verify(newKey === '' ? OLD : newKey);
        expect(last).toMatchObject({ digest: before.digest, sequence: before.sequence });
        expect(existsSync(join(storage, REWRITING_FOLDER))).toBe(false);
      }
      if (kills.length < steps) return;
      expect([...ends]).toEqual(expect.arrayContaining(['nothing', 'discarded', 'completed']));
    },
    300_000,
  );

  async function isOpened(key: string): Promise<boolean> {
    return (
      key !== '' &&
      verify(key).then(
        () => true,
        () => false,
      )
    );
  }
});

it('a store that somebody works on is left alone', async () => {
  await write(OLD, 0, 5);
  const busy = { code: 'storage_in_use' };
  for (const path of [storage, join(storage, 'log')]) {
    using _claim = lockFolder(path);
    await expect(rewriteStore({ storage, masterKey: OLD, ...quiet })).rejects.toMatchObject(busy);
    await expect(verify(OLD)).rejects.toMatchObject(busy);
  }
  mkdirSync(join(storage, REWRITING_FOLDER));
  using _claim = lockFolder(storage);
  expect(() => settleRewrite(storage)).toThrow(/in use/);
});
