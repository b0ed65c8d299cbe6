import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SNAPSHOT_ROOM_BYTES_MIN, SNAPSHOT_SPOOL_IDLE_MS } from '#base/replication-limits.ts';
import { TestClock } from '#log/testing/log-engine.ts';
import { smallVolume, temporaryFolder, whyNoSmallVolume } from '#log/testing/temporary-folder.ts';
import { DB } from './databases.ts';
import type { Manifest } from './manifest.ts';
import { restoreSnapshot } from './restore.ts';
import { digestState } from './snapshot.ts';
import { openSnapshotReader, type SnapshotLease, type HoldingReader } from './snapshot-reader.ts';
import { SnapshotSpool } from './snapshot-spool.ts';
import { createStorage, type TestStorage } from './testing/storage.ts';
import type { State } from './commit-pipeline.ts';

const BOTH = ['graph', 'vault'] as const;
const PLAIN_TEXT = 'what nobody may read on the disk';
const LARGE_BYTES = 5_000_000;

let storage: TestStorage;
let state: State;
let reader: HoldingReader;

beforeAll(async () => {
  storage = await createStorage();
  state = await storage.openState();
  reader = storage.openReader(BOTH);
  await put('a', `${PLAIN_TEXT}${'.'.repeat(LARGE_BYTES)}`);
  await put('b', new Uint8Array(LARGE_BYTES));
});

afterAll(async () => {
  reader[Symbol.dispose]();
  await state[Symbol.asyncDispose]();
  await storage[Symbol.asyncDispose]();
});

async function put(key: string, value: string | Uint8Array): Promise<void> {
  await state.commit((batch) => batch.put(DB.nodes, Buffer.from(key), Buffer.from(value)));
}

interface TestSpool extends AsyncDisposable {
  readonly spool: SnapshotSpool;
  readonly clock: TestClock;
  readonly folder: string;
  names(): readonly string[];
}

async function openSpool(parent?: string, isEncrypted = false): Promise<TestSpool> {
  const temporary = await temporaryFolder();
  const folder = join(parent ?? temporary.path, 'snapshot');
  const clock = new TestClock();
  const spool = await SnapshotSpool.open({ folder, reader, clock, isEncrypted });
  return {
    spool,
    clock,
    folder,
    names: () => (existsSync(folder) ? readdirSync(folder).toSorted() : []),
    [Symbol.asyncDispose]: async () => {
      await spool[Symbol.asyncDispose]();
      expect(existsSync(folder)).toBe(false);
      await temporary[Symbol.asyncDispose]();
    },
  };
}

function digestsOf({ manifest }: SnapshotLease): string[] {
  return manifest.databases.flatMap(({ pieces }) => pieces.map(({ digest }) => digest));
}

async function manifestOfRestored(lease: SnapshotLease): Promise<Manifest> {
  await using folder = await temporaryFolder();
  await restoreSnapshot(lease.manifest, lease, { storage: folder.path, clock: new TestClock() });
  using restored = openSnapshotReader({ storage: folder.path, environments: BOTH });
  return await digestState(restored);
}

it('has every piece of its commit, whatever is written after it, and no other', async () => {
  await using test = await openSpool();
  using lease = await test.spool.openSnapshot();
  const manifest = await digestState(reader);
  await put('a', 'written later');
  await put('a', `${PLAIN_TEXT}${'.'.repeat(LARGE_BYTES)}`);
  expect(lease.manifest).toEqual(manifest);
  expect(await manifestOfRestored(lease)).toEqual(manifest);
  await expect(lease.read('0'.repeat(64))).rejects.toMatchObject({ code: 'piece_not_found' });
});

it('writes what two snapshots have in common once, and keeps what a lease of the older needs', async () => {
  await using test = await openSpool();
  const { spool } = test;
  const first = await spool.openSnapshot();
  const firstPaths = digestsOf(first).map((digest) => join(test.folder, digest));
  const inodes = new Map(firstPaths.map((path) => [path, statSync(path).ino]));
  await put('c', 'new');
  using second = await spool.openSnapshot();
  const common = digestsOf(second).filter((digest) => digestsOf(first).includes(digest));
  expect(common.length).toBeGreaterThan(0);
  for (const digest of common) {
    const path = join(test.folder, digest);
    expect(statSync(path).ino).toBe(inodes.get(path));
  }
  const all = new Set([...digestsOf(first), ...digestsOf(second)]);
  expect(all.size).toBeGreaterThan(digestsOf(first).length);
  await spool.sweep();
  expect(test.names()).toEqual([...all].toSorted());
  expect(await manifestOfRestored(first)).toEqual(first.manifest);
  first[Symbol.dispose]();
  await spool.sweep();
  expect(test.names()).toEqual(digestsOf(second).toSorted());
  expect(await manifestOfRestored(second)).toEqual(second.manifest);
});

it('gives those who ask at once the same snapshot, and each has it until it is done', async () => {
  await using test = await openSpool();
  const [first, second] = await Promise.all([test.spool.openSnapshot(), test.spool.openSnapshot()]);
  expect(first.manifest).toBe(second.manifest);
  first[Symbol.dispose]();
  await put('d', 'new');
  (await test.spool.openSnapshot())[Symbol.dispose]();
  await test.spool.sweep();
  expect(await manifestOfRestored(second)).toEqual(second.manifest);
  second[Symbol.dispose]();
});

it('keeps the newest snapshot for a while after its last lease, and then nothing', async () => {
  await using test = await openSpool();
  const lease = await test.spool.openSnapshot();
  test.clock.time += SNAPSHOT_SPOOL_IDLE_MS;
  await test.spool.sweep();
  expect(test.names()).toEqual(digestsOf(lease).toSorted());
  lease[Symbol.dispose]();
  test.clock.time += SNAPSHOT_SPOOL_IDLE_MS - 1;
  await test.spool.sweep();
  expect(test.names()).toEqual(digestsOf(lease).toSorted());
  test.clock.time += 1;
  await test.spool.sweep();
  expect(existsSync(test.folder)).toBe(false);
  using again = await test.spool.openSnapshot();
  expect(await manifestOfRestored(again)).toEqual(again.manifest);
});

it('clears away what a crash has left', async () => {
  await using parent = await temporaryFolder();
  const folder = join(parent.path, 'snapshot');
  mkdirSync(folder);
  for (const name of ['0'.repeat(64), `${'1'.repeat(64)}.new`]) {
    writeFileSync(join(folder, name), 'left');
  }
  await using test = await openSpool(parent.path);
  expect(test.names()).toEqual([]);
  using lease = await test.spool.openSnapshot();
  expect(test.names()).toEqual(digestsOf(lease).toSorted());
});

it('has no plain text of an encrypted store on the disk', async () => {
  await using test = await openSpool(undefined, true);
  using lease = await test.spool.openSnapshot();
  const pieces = await Promise.all(digestsOf(lease).map((digest) => lease.read(digest)));
  expect(pieces.some((bytes) => Buffer.from(bytes).includes(PLAIN_TEXT))).toBe(true);
  for (const name of test.names()) {
    expect(readFileSync(join(test.folder, name)).includes(PLAIN_TEXT)).toBe(false);
  }
});

it.each([false, true])(
  'writes a piece that was damaged on the disk anew for the next snapshot, encrypted: %s',
  async (isEncrypted) => {
    await using test = await openSpool(undefined, isEncrypted);
    using damaged = await test.spool.openSnapshot();
    const [digest = ''] = digestsOf(damaged);
    const path = join(test.folder, digest);
    const bytes = readFileSync(path);
    bytes[1_000]! ^= 1;
    writeFileSync(path, bytes);
    await expect(manifestOfRestored(damaged)).rejects.toMatchObject({ code: 'snapshot_corrupt' });
    using lease = await test.spool.openSnapshot();
    expect(digestsOf(lease)).toContain(digest);
    expect(await manifestOfRestored(lease)).toEqual(lease.manifest);
  },
);

it.skipIf(whyNoSmallVolume())('leaves room on the volume, and gives it back', async () => {
  await using volume = await smallVolume(SNAPSHOT_ROOM_BYTES_MIN + LARGE_BYTES);
  await using test = await openSpool(volume.path);
  await expect(test.spool.openSnapshot()).rejects.toMatchObject({ code: 'storage_full' });
  expect(test.names()).toEqual([]);
  const resize = (bytes: number): void => {
    execFileSync('mount', ['-o', `remount,size=${bytes}`, volume.path]);
  };
  resize(SNAPSHOT_ROOM_BYTES_MIN + 4 * LARGE_BYTES);
  using lease = await test.spool.openSnapshot();
  const [digest = ''] = digestsOf(lease);
  await test.spool.sweep();
  await lease.read(digest);
  // Something else uses up the room.
  resize(SNAPSHOT_ROOM_BYTES_MIN / 2);
  await test.spool.sweep();
  expect(existsSync(test.folder)).toBe(false);
  await expect(lease.read(digest)).rejects.toMatchObject({ code: 'storage_full' });
});
