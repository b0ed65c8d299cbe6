import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { DB } from './databases.ts';
import type { HoldingReader } from './snapshot-reader.ts';
import { COUNTER_OPERATIONS, putCounter, readCounter } from './testing/counter-commits.ts';
import { readStoreKeys } from './master-key.ts';
import type { PermissionResult, ReadUnderPermission } from './testing/read-under-permission.ts';
import type { ReadResult, ReadWhileWritten } from './testing/read-while-written.ts';
import { hex, scanned, utf8 } from './testing/operations.ts';
import { MASTER_KEY, createStorage } from './testing/storage.ts';

/** So many different commits each reader has to see. */
const SEEN_MIN = 75;
const BOTH = ['graph', 'vault'] as const;

function testThread(name: string): URL {
  return new URL(`testing/${name}.ts`, import.meta.url);
}

it('never shows two commits in one turn, nor an old one after refresh, to a thread beside the writer', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState();
  await state.commit((batch) => putCounter(batch, 1));
  const shared = new SharedArrayBuffer(12);
  const words = new Int32Array(shared);
  const workerData: ReadWhileWritten = { storage: storage.path, shared };
  const worker = new Worker(testThread('read-while-written'), { workerData });
  const result = once(worker, 'message');
  let inFlight: Promise<{ sequence: number }>[] = [];
  const failing = new AbortController();
  result.catch(() => failing.abort());
  for (let count = 2; Atomics.load(words, 2) < SEEN_MIN && !failing.signal.aborted; count++) {
    inFlight.push(state.commit((batch) => putCounter(batch, count)));
    if (count % 5 > 1) continue;
    for (const commit of inFlight) Atomics.store(words, 0, (await commit).sequence);
    inFlight = [];
  }
  Atomics.store(words, 1, 1);
  const [{ turns, seen }] = (await result) as [ReadResult];
  await worker.terminate();
  expect(turns).toBeGreaterThanOrEqual(SEEN_MIN);
  for (const commits of seen) expect(commits).toBeGreaterThanOrEqual(SEEN_MIN);
});

it('shows what one turn began with, and the newest after refresh', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState();
  using graph = storage.openReader(['graph']);
  using both = storage.openReader(BOTH);
  for (let count = 1; count <= 5; count++) {
    await state.commit((batch) => putCounter(batch, count));
    expect(graph.refresh()).toBe(count * COUNTER_OPERATIONS);
    expect(both.refresh()).toBe(count * COUNTER_OPERATIONS);
    expect(readCounter(graph, false)).toBe(count);
    expect(readCounter(both, true)).toBe(count);
  }
});

it('holds one commit over many turns, and is not disturbed by what is read beside it', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState();
  const put = (count: number) => state.commit((batch) => putCounter(batch, count));
  await put(1);
  using reader: HoldingReader = storage.openReader(BOTH);
  using first = reader.hold();
  await put(2);
  using second = reader.hold();
  await put(3);
  await put(4);
  expect(readCounter(first, true)).toBe(1);
  expect(readCounter(second, true)).toBe(2);
  reader.refresh();
  expect(readCounter(reader, true)).toBe(4);
  expect([first.sequence, second.sequence, reader.sequence]).toEqual([3, 6, 12]);
  expect(first.epoch).toMatch(/^[0-9a-f]{32}$/);
});

it('scans bounds exactly, in both directions', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState();
  const keys = [[0], [0, 0], [0, 1], [1], [1, 255], [2], [255], [255, 255]];
  await state.commit((batch) => {
    for (const key of keys) batch.put(DB.in, Uint8Array.from(key), new Uint8Array(0));
  });
  using reader = storage.openReader(['graph']);
  reader.refresh();
  const bounds = [[], ...keys, [3], [0, 0, 0], [255, 255, 255]].map((key) => Uint8Array.from(key));
  for (const start of bounds) {
    for (const end of bounds) {
      const expected = keys
        .map((key) => Buffer.from(key))
        .filter((key) => Buffer.compare(start, key) <= 0 && Buffer.compare(key, end) < 0)
        .map((key) => `${DB.in} ${hex(key)} `);
      expect(scanned(reader, DB.in, { start, end })).toEqual(expected);
      expect(scanned(reader, DB.in, { start, end, reverse: true })).toEqual(expected.toReversed());
    }
  }
});

it('gives the transaction back when a scan ends early or its visitor throws', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState();
  using reader = storage.openReader(['graph']);
  const range = { start: Uint8Array.of(0), end: Uint8Array.of(9) };
  const failing = () =>
    reader.scan(DB.in, range, () => {
      throw new Error('enough');
    });
  // More than the 126 readers for which LMDB has room.
  for (let i = 0; i < 200; i++) {
    await state.commit((batch) => {
      batch.put(DB.in, Uint8Array.of(1), Uint8Array.of(i));
      batch.put(DB.in, Uint8Array.of(2), Uint8Array.of(i));
    });
    reader.refresh();
    if (i % 2 === 0) expect(failing).toThrow('enough');
    else reader.scan(DB.in, range, () => false);
    expect(scanned(reader, DB.in, range)).toHaveLength(2);
  }
});

it('hands out values of every size, plain and encrypted', async () => {
  for (const masterKey of [undefined, MASTER_KEY]) {
    await using storage = await createStorage(masterKey);
    await using state = await storage.openState();
    const sizes = [0, 1, 4_095, 4_096, 4_097, 100_000, 16 * 1024 * 1024, 20_000_000];
    await state.commit((batch) => {
      for (const [i, size] of sizes.entries()) {
        batch.put(DB.nodes, Uint8Array.of(i), new Uint8Array(size).fill(i + 1));
      }
    });
    using reader = storage.openReader(BOTH);
    reader.refresh();
    for (const view of [reader, state.view]) {
      for (const [i, size] of sizes.entries()) {
        const value = view.get(DB.nodes, Uint8Array.of(i))!;
        expect([value.length, value.byteLength]).toEqual([size, size]);
        if (size > 0) expect([value[0], value[size - 1]]).toEqual([i + 1, i + 1]);
      }
      const scannedSizes: number[] = [];
      const range = { start: Uint8Array.of(0), end: Uint8Array.of(99) };
      view.scan(DB.nodes, range, (_key, value) => void scannedSizes.push(value.length));
      expect(scannedSizes).toEqual(sizes);
    }
  }
});

it('reads in a thread that may read no other file, with no key but that of the graph', async () => {
  for (const masterKey of [undefined, MASTER_KEY]) {
    await using storage = await createStorage(masterKey);
    await using state = await storage.openState();
    const key = utf8('key');
    await state.commit((batch) => batch.put(DB.nodes, key, utf8('value')));
    const program = fileURLToPath(new URL('../../../', import.meta.url));
    const workerData: ReadUnderPermission = {
      storage: storage.path,
      environmentKey: readStoreKeys({ storage: storage.path, masterKey }).environmentKey,
      key,
      forbiddenFile: join(storage.path, 'store.json'),
    };
    const worker = new Worker(testThread('read-under-permission'), {
      workerData,
      execArgv: [
        '--permission',
        '--allow-addons',
        `--allow-fs-read=${program}*`,
        `--allow-fs-read=${join(storage.path, 'graph')}/*`,
      ],
    });
    // The worker must end by itself: LMDB ends the whole process when a thread is stopped while it
    // closes.
    const ended = once(worker, 'exit');
    const [result] = (await once(worker, 'message')) as [PermissionResult];
    await ended;
    expect(result).toEqual({
      sequence: 1,
      value: Uint8Array.from(utf8('value')),
      refused: 'ERR_ACCESS_DENIED',
    });
  }
});

it('reads one held commit in the middle of another, and begins anew after a visitor has thrown', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState();
  const keys = Array.from({ length: 20 }, (_, i) => Uint8Array.of(i));
  await state.commit((batch) => keys.forEach((key) => batch.put(DB.nodes, key, key)));
  using reader = storage.openReader(['graph']);
  using older = reader.hold();
  await state.commit((batch) => batch.delete(DB.nodes, Uint8Array.of(7)));
  reader.refresh();
  using newer = reader.hold();
  const range = { start: Uint8Array.of(3), end: Uint8Array.of(12) };
  for (const reverse of [false, true]) {
    for (const keysOnly of [false, true]) {
      const found: number[][] = [];
      older.scan(DB.nodes, { ...range, reverse, keysOnly }, ([outer = -1]) => {
        const inner: number[] = [];
        newer.scan(DB.nodes, { ...range, reverse, keysOnly }, ([one = -1]) => void inner.push(one));
        found.push([outer, ...inner]);
      });
      const due = [3, 4, 5, 6, 7, 8, 9, 10, 11];
      const left = [3, 4, 5, 6, 8, 9, 10, 11];
      const inOrder = (list: number[]): number[] => (reverse ? list.toReversed() : list);
      expect(found).toEqual(inOrder(due).map((outer) => [outer, ...inOrder(left)]));
      const fail = (): never => {
        throw new Error('a visitor failed');
      };
      expect(() => older.scan(DB.nodes, { ...range, reverse, keysOnly }, fail)).toThrow('failed');
    }
  }
});
