import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMemoryLog, createMemoryMedium } from '#log/memory-log.ts';
import { KEEP_ALL, TestClock } from '#log/testing/log-engine.ts';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { DATABASES, DB } from './databases.ts';
import { encodeManifest, parseManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { beginsPiece } from './piece.ts';
import { restoreSnapshot } from './restore.ts';
import { digestState, takeSnapshot } from './snapshot.ts';
import { openSnapshotReader } from './snapshot-reader.ts';
import { MASTER_KEY, createStorage, filesIn } from './testing/storage.ts';
import type { TestStorage } from './testing/storage.ts';
import type { State } from './commit-pipeline.ts';

const clock = new TestClock();
const BOTH = ['graph', 'vault'] as const;
const NODES = 10_000;

/** Pieces in memory, as a sink and a source. */
class PieceMap extends Map<string, Uint8Array> {
  async write(digest: string, bytes: Uint8Array): Promise<void> {
    this.set(digest, bytes);
  }

  async read(digest: string): Promise<Uint8Array> {
    return this.get(digest)!;
  }
}

function nodeKey(id: number): Uint8Array {
  const key = Buffer.alloc(5);
  key.writeUInt32BE(id, 1);
  return key;
}

/** Writes nodes of 30 MB in all, edges, and a little into the other databases. */
async function fill(state: State): Promise<void> {
  const record = Buffer.alloc(3_000);
  for (let from = 0; from < NODES; from += 1_000) {
    await state.commit((batch) => {
      for (let id = from; id < from + 1_000; id++) {
        record.writeUInt32BE(id);
        batch.put(DB.nodes, nodeKey(id), record);
        batch.put(
          DB.out,
          Buffer.concat([nodeKey(id), Buffer.of(0, 1), nodeKey(7)]),
          record.subarray(0, 9),
        );
      }
      batch.put(DB.vault, nodeKey(from), record.subarray(0, 4));
    });
  }
  await state.commit((batch) => batch.put(DB.meta, Buffer.from('schema'), Buffer.from('{}')));
}

async function snapshotOf(from: TestStorage): Promise<{ manifest: Manifest; pieces: PieceMap }> {
  using reader = from.openReader(BOTH);
  const pieces = new PieceMap();
  return { manifest: await takeSnapshot(reader, pieces), pieces };
}

/** One store for all tests. */
let storage: TestStorage;
let state: State;
let taken: { manifest: Manifest; pieces: PieceMap };

beforeAll(async () => {
  storage = await createStorage();
  state = await storage.openState();
  await fill(state);
  taken = await snapshotOf(storage);
});

afterAll(async () => {
  await state[Symbol.asyncDispose]();
  await storage[Symbol.asyncDispose]();
});

function digests(manifest: Manifest): string[] {
  return manifest.databases.flatMap(({ pieces }) => pieces.map(({ digest }) => digest));
}

it('makes an equal store in another folder, plain or encrypted, that goes on after the snapshot', async () => {
  const { manifest, pieces } = taken;
  expect(manifest.sequence).toBe(state.sequence);
  expect(manifest.databases.map(({ number }) => number)).toEqual(DATABASES.map((db) => db.number));
  expect(parseManifest(encodeManifest(manifest))).toEqual(manifest);
  for (const masterKey of [undefined, MASTER_KEY]) {
    await using folder = await temporaryFolder();
    const options = { storage: folder.path, masterKey };
    await restoreSnapshot(manifest, pieces, { ...options, clock });
    {
      using reader = openSnapshotReader({ ...options, environments: BOTH });
      expect(await digestState(reader)).toEqual(manifest);
    }
    await expect(restoreSnapshot(manifest, pieces, { ...options, clock })).rejects.toMatchObject({
      code: 'storage_not_empty',
    });
    expect([...filesIn(folder.path).keys()].some((name) => name.includes('restoring'))).toBe(false);
  }
});

it('is the state of one commit, while others are written', async () => {
  using reader = storage.openReader(BOTH);
  const expected = await digestState(reader);
  const written: Promise<unknown>[] = [];
  const manifest = await takeSnapshot(reader, {
    write: async () => {
      written.push(state.commit((batch) => batch.delete(DB.nodes, nodeKey(written.length * 500))));
      await written.at(-1);
    },
  });
  expect(written.length).toBeGreaterThan(6);
  expect(manifest).toEqual(expected);
  reader.refresh();
  expect(await digestState(reader)).not.toEqual(expected);
});

it('keeps the names of the pieces that a small change does not touch', async () => {
  const before = await snapshotOf(storage);
  await state.commit((batch) => {
    batch.put(DB.nodes, nodeKey(100), Buffer.alloc(1_200, 1));
    batch.delete(DB.nodes, nodeKey(7_000));
    batch.put(DB.nodes, nodeKey(NODES), Buffer.alloc(10));
  });
  const after = await snapshotOf(storage);
  const kept = digests(after.manifest).filter((digest) => before.pieces.has(digest));
  const all = digests(after.manifest).length;
  expect(all).toBeGreaterThan(8);
  expect(kept.length).toBeLessThan(all);
  expect(all - kept.length).toBeLessThanOrEqual(4);
  expect(after.manifest.digest).not.toBe(before.manifest.digest);
});

it('cuts pieces of about 4 MiB, whatever the size of the entries', () => {
  for (const entryBytes of [200, 5_000, 60_000]) {
    const sizes: number[] = [];
    let bytes = 0;
    for (let id = 0; sizes.length < 60; id++) {
      if (beginsPiece(bytes, entryBytes, nodeKey(id), 0, nodeKey(id).length)) {
        sizes.push(bytes);
        bytes = 0;
      }
      bytes += entryBytes;
    }
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    expect(mean / 2 ** 20).toBeGreaterThan(3);
    expect(mean / 2 ** 20).toBeLessThan(5);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(2 ** 20);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2 ** 24);
  }
});

it('puts nothing in place of a snapshot with a piece that was tampered with, swapped or cut', async () => {
  const { manifest, pieces } = taken;
  const names = digests(manifest);
  const [first, second] = [names[1]!, names[2]!];
  const flipped = Uint8Array.from(pieces.get(first)!);
  flipped[flipped.length >> 1]! ^= 1;
  const damages: (readonly [string, Uint8Array])[] = [
    [first, flipped],
    [first, pieces.get(second)!],
    [first, pieces.get(first)!.subarray(0, -1)],
    [names.at(-1)!, new Uint8Array(0)],
  ];
  for (const [digest, bytes] of damages) {
    await using folder = await temporaryFolder();
    const damaged = new PieceMap([...pieces, [digest, bytes]]);
    const restored = restoreSnapshot(manifest, damaged, { storage: folder.path, clock });
    await expect(restored).rejects.toMatchObject({ code: 'snapshot_corrupt' });
    expect(filesIn(folder.path).size).toBe(0);
  }
});

it('refuses a manifest whose pieces do not belong where it lists them', async () => {
  const { manifest, pieces } = taken;
  const swapped = manifest.databases.map((database) => ({
    ...database,
    pieces: database.pieces.toReversed(),
  }));
  const moved = manifest.databases.map(({ number, pieces: own }) => ({
    number,
    pieces: number === DB.in ? manifest.databases[1]!.pieces.slice(0, 1) : own,
  }));
  for (const databases of [swapped, moved]) {
    await using folder = await temporaryFolder();
    const restored = restoreSnapshot({ ...manifest, databases }, pieces, {
      storage: folder.path,
      clock,
    });
    await expect(restored).rejects.toMatchObject({ code: 'snapshot_corrupt' });
  }
});

it('is one of a store in which nothing was written yet, too', async () => {
  await using empty = await createStorage();
  await using _state = await empty.openState();
  const { manifest, pieces } = await snapshotOf(empty);
  expect(parseManifest(encodeManifest(manifest))).toEqual(manifest);
  expect([manifest.sequence, pieces.size]).toEqual([0, 0]);
});

it('refuses a damaged manifest', async () => {
  const { manifest } = taken;
  const texts = [
    '{',
    '[]',
    JSON.stringify({ ...manifest, format: 2 }),
    JSON.stringify({ ...manifest, sequence: 2 }),
    JSON.stringify({ ...manifest, databases: [{ number: 99, pieces: [] }] }),
  ];
  for (const text of texts) {
    const parse = () => parseManifest(Buffer.from(text));
    expect(parse).toThrow(expect.objectContaining({ code: 'snapshot_corrupt' }));
  }
});

it('is the same for a state that was rebuilt from the log', async () => {
  await using live = await createStorage();
  const medium = createMemoryMedium();
  await using own = await live.openState({ medium });
  for (let i = 0; i < 200; i++) {
    await own.commit((batch) => {
      batch.put(i % 2 === 0 ? DB.vault : DB.nodes, nodeKey(i % 50), nodeKey(i));
      batch.delete(DB.nodes, nodeKey((i * 7) % 50));
    });
  }
  await using rebuilt = await createStorage();
  await using _again = await rebuilt.openState({ medium });
  const { manifest } = await snapshotOf(live);
  expect((await snapshotOf(rebuilt)).manifest).toEqual(manifest);
  const log = createMemoryLog({ clock, archive: KEEP_ALL, medium });
  expect([manifest.epoch, manifest.sequence]).toEqual([log.epoch, log.lastSequence]);
});
