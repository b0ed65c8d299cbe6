import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { must } from '#base/assert.ts';
import { DB, type DatabaseNumber } from '#store/databases.ts';
import type { Manifest } from '#store/manifest.ts';
import type { SecondReader } from '#store/second-reader.ts';
import { pieceDigest } from '#store/piece.ts';
import { writeSnapshot } from '#store/snapshot.ts';
import { writePieces, type SnapshotSink } from '#store/snapshot-pieces.ts';
import type { HoldingReader } from '#store/snapshot-reader.ts';
import { createStorage, MASTER_KEY, type TestStorage } from '#store/testing/storage.ts';
import type { State } from '#store/commit-pipeline.ts';
import { startThread } from '../threads/thread.ts';
import { PieceThread } from './piece-thread.ts';

const EDGES = 12_000;
const EDGE_BYTES = 1_500;
const NODES = 6_000;
const NODE_BYTES = 3_000;
/** Values of random bytes that entries have parts of. */
const CONTENT = Buffer.from(Array.from({ length: 8_192 }, (_, i) => Math.imul(i, i + 13) >>> 5));

let storage: TestStorage;
let state: State;
let reader: HoldingReader;

function keyOf(id: number): Buffer {
  const key = Buffer.alloc(9);
  key.writeUInt32BE(id, 1);
  return key;
}

function valueOf(id: number, bytes: number): Buffer {
  const start = (id * 31) % (CONTENT.length - bytes);
  return CONTENT.subarray(start, start + bytes);
}

/**
 * So that several pieces of two databases are read by each of two threads: more edges than nodes,
 * of about as many bytes.
 */
async function fill(into: State): Promise<void> {
  await into.commit((batch) => {
    for (let id = 0; id < NODES; id++) batch.put(DB.nodes, keyOf(id), valueOf(id, NODE_BYTES));
  });
  for (const db of [DB.out, DB.in]) {
    await into.commit((batch) => {
      for (let id = 0; id < EDGES; id++) batch.put(db, keyOf(id), valueOf(id, EDGE_BYTES));
    });
  }
}

beforeAll(async () => {
  storage = await createStorage();
  state = await storage.openState();
  await fill(state);
  reader = storage.openReader(['graph', 'vault']);
});

afterAll(async () => {
  reader[Symbol.dispose]();
  await state[Symbol.asyncDispose]();
  await storage[Symbol.asyncDispose]();
});

/**
 * Takes pieces as a pool does: their memory comes back later. Holds the name that the content of
 * each asks for.
 */
class Pieces extends Map<string, string> implements SnapshotSink {
  readonly #spare: ArrayBuffer[] = [];

  async write(digest: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.set(digest, pieceDigest(bytes));
    setImmediate(() => this.#spare.push(bytes.buffer));
  }

  spare(): ArrayBuffer | undefined {
    return this.#spare.pop();
  }
}

interface Taken {
  readonly manifest: Manifest;
  readonly pieces: Pieces;
}

async function takeBy(second?: SecondReader): Promise<Taken> {
  using held = reader.hold();
  const pieces = new Pieces();
  return { manifest: await writeSnapshot(held, pieces, second), pieces };
}

/** A thread, and which databases it has read. */
function watched(thread: PieceThread): { second: SecondReader; read: DatabaseNumber[] } {
  const read: DatabaseNumber[] = [];
  const second: SecondReader = {
    writePieces: (db, place, sink) => {
      read.push(db);
      return thread.writePieces(db, place, sink);
    },
  };
  return { second, read };
}

it('takes part in the same snapshot, again and again, while others write', async () => {
  using thread = new PieceThread();
  for (let round = 0; round < 3; round++) {
    const { second, read } = watched(thread);
    using held = reader.hold();
    const alone = new Pieces();
    const expected = await writeSnapshot(held, alone);
    const pieces = new Pieces();
    const writing = state.commit((batch) => {
      for (let id = round; id < EDGES; id += 7) batch.put(DB.out, keyOf(id), valueOf(round, 100));
      batch.delete(DB.nodes, keyOf(round));
    });
    expect(await writeSnapshot(held, pieces, second)).toEqual(expected);
    expect(pieces).toEqual(alone);
    expect(read).not.toEqual([]);
    expect(pieces.size).toBeGreaterThan(9);
    expect([...pieces.keys()]).toEqual([...pieces.values()]);
    await writing;
    reader.refresh();
  }
});

it.each([1, 2, 5])(
  'ends with what the sink fails with at piece %i, and reads again',
  async (failing) => {
    using thread = new PieceThread();
    const before = await takeBy();
    let written = 0;
    let failed = 0;
    const sink: SnapshotSink = {
      write: async () => {
        written++;
        if (written >= failing) {
          failed++;
          throw new Error('no space is left');
        }
      },
    };
    {
      using held = reader.hold();
      await expect(writeSnapshot(held, sink, thread)).rejects.toThrow('no space is left');
    }
    const sunk = written;
    expect(await takeBy(thread)).toEqual(before);
    // The second may have been handing one over.
    expect(failed).toBeLessThanOrEqual(2);
    expect(written).toBe(sunk);
  },
);

it('ends with what the thread fails with, which reads again', async () => {
  using thread = new PieceThread();
  const second: SecondReader = {
    writePieces: (db, place, sink) =>
      thread.writePieces(db, { ...place, tree: { ...place.tree, root: 0 } }, sink),
  };
  using held = reader.hold();
  const torn = writeSnapshot(held, new Pieces(), second);
  await expect(torn).rejects.toMatchObject({
    stack: expect.stringContaining('page 0 of the store is not what the tree says'),
  });
  expect(await takeBy(thread)).toEqual(await takeBy());
});

it('ends with an error when the thread dies, and another is started', async () => {
  const workers: ReturnType<typeof startThread>[] = [];
  using thread = new PieceThread((file) => {
    const worker = startThread(file);
    workers.push(worker);
    return worker;
  });
  using held = reader.hold();
  const place = must(held.placeOf(DB.out), 'the place of the edges');
  const sink: SnapshotSink = {
    write: async () => {
      const [worker] = workers;
      if (worker === undefined) throw new Error('no thread has been started');
      const exited = once(worker, 'exit');
      await worker.terminate();
      await exited;
    },
  };
  await expect(thread.writePieces(DB.out, place, sink)).rejects.toThrow('has ended');
  const [alone, beside] = [new Pieces(), new Pieces()];
  const expected = await writePieces(held, DB.out, alone);
  expect(await thread.writePieces(DB.out, place, beside)).toEqual(expected);
  expect(beside).toEqual(alone);
  expect(workers).toHaveLength(2);
});

it('is not asked where only LMDB can read', async () => {
  await using encrypted = await createStorage(MASTER_KEY);
  await using own = await encrypted.openState();
  await own.commit((batch) => batch.put(DB.nodes, keyOf(1), valueOf(1, 100)));
  using encryptedReader = encrypted.openReader(['graph']);
  using held = encryptedReader.hold();
  const { second, read } = watched(new PieceThread());
  const manifest = await writeSnapshot(held, new Pieces(), second);
  expect(manifest).toEqual(await writeSnapshot(held, new Pieces()));
  expect(read).toEqual([]);
});
