import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { BatchEncoder, KEY_BYTES_MAX } from '../batch.ts';
import { appendTransaction } from '../restore.ts';
import { DB } from '../databases.ts';
import { openEnvironment } from '../environment.ts';
import type { Environment } from '../environment.ts';
import { closeWritten, writeTransaction } from '../write-transaction.ts';
import { openGraphFile } from './graph-file.ts';

type Entry = readonly [key: string, value: string];

const KEY_END = new Uint8Array(KEY_BYTES_MAX + 1).fill(255);

/**
 * Keys and values as hexadecimal digits: short ones, some of the greatest length, and values longer
 * than a page or than the writer's buffer.
 */
const byteRuns = (sizes: fc.Arbitrary<number>): fc.Arbitrary<string> =>
  fc.tuple(sizes, fc.integer({ min: 0, max: 0xffffff })).map(([length, seed]) =>
    Buffer.alloc(Math.max(1, length), Buffer.from(seed.toString(16).padStart(6, '0'), 'hex'))
      .subarray(0, length)
      .toString('hex'),
  );
const keys = byteRuns(
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 24 }) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: KEY_BYTES_MAX }) },
    { weight: 1, arbitrary: fc.constant(KEY_BYTES_MAX) },
  ),
);
const values = byteRuns(
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 100 }) },
    { weight: 2, arbitrary: fc.integer({ min: 1_900, max: 2_100 }) },
    { weight: 1, arbitrary: fc.integer({ min: 4_000, max: 9_000 }) },
  ),
);
const entryLists = fc
  .array(fc.tuple(keys, values), { maxLength: 400, size: 'max' })
  .map((entries) => sorted(new Map(entries)));

function sorted(entries: ReadonlyMap<string, string>): readonly Entry[] {
  return [...entries].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function scanned(graph: Environment, db: number): Entry[] {
  const found = graph.stores[db]!.stored.getRange({ start: new Uint8Array(0), end: KEY_END });
  return Array.from(found, ({ key, value }): Entry => [hex(key), hex(value)]);
}

function visited(path: string, db: 1 | 2, start = new Uint8Array(0)): Entry[] {
  using file = openGraphFile(path, 'plain')!;
  const found: Entry[] = [];
  file.visit(db, start, (key, keyStart, keyEnd, value, valueStart, valueEnd) => {
    found.push([hex(key.subarray(keyStart, keyEnd)), hex(value.subarray(valueStart, valueEnd))]);
    return true;
  });
  return found;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

async function write(storage: string, trees: ReadonlyMap<1 | 2, readonly Entry[]>) {
  const graph = openEnvironment('graph', { storage, readOnly: false });
  try {
    for (const [db, entries] of trees) {
      const batch = new BatchEncoder();
      for (const [key, value] of entries) {
        batch.put(db, Buffer.from(key, 'hex'), Buffer.from(value, 'hex'));
      }
      const appended = appendTransaction(graph, db, batch.payload);
      expect(appended).toEqual({ entries: entries.length, isInOrder: true });
    }
  } finally {
    await closeWritten(graph);
  }
}

it('reads what LMDB has appended, and what it has changed since', async () => {
  await fc.assert(
    fc.asyncProperty(
      entryLists,
      entryLists,
      fc.array(fc.tuple(keys, fc.option(values)), { maxLength: 200, size: 'max' }),
      async (nodes, uids, changes) => {
        await using folder = await temporaryFolder();
        const path = join(folder.path, 'graph');
        const trees = [
          [DB.nodes, nodes],
          [DB.uids, uids],
        ] as const;
        await write(folder.path, new Map(trees));
        expect(visited(path, DB.nodes)).toEqual(nodes);
        const graph = openEnvironment('graph', { storage: folder.path, readOnly: false });
        try {
          expect(scanned(graph, DB.nodes)).toEqual(nodes);
          expect(scanned(graph, DB.uids)).toEqual(uids);
          const expected = new Map(nodes);
          // Existing entries are removed as well, so that pages are emptied and merged.
          const removals = nodes.filter((_, i) => i % 3 !== 0).map(([key]) => [key, null] as const);
          for (const part of [changes, removals]) {
            await writeTransaction(graph, () => {
              for (const [key, value] of part) {
                const bytes = Buffer.from(key, 'hex');
                if (value === null) graph.stores[DB.nodes]!.remove(bytes);
                else graph.stores[DB.nodes]!.put(bytes, Buffer.from(value, 'hex'));
              }
            });
            for (const [key, value] of part) {
              if (value === null) expected.delete(key);
              else expected.set(key, value);
            }
            graph.root.resetReadTxn();
            expect(scanned(graph, DB.nodes)).toEqual(sorted(expected));
            expect(visited(path, DB.nodes)).toEqual(sorted(expected));
          }
          expect(scanned(graph, DB.uids)).toEqual(uids);
          expect(visited(path, DB.uids)).toEqual(uids);
        } finally {
          await closeWritten(graph);
        }
      },
    ),
    { numRuns: 100 },
  );
});

it('begins at any key', async () => {
  await fc.assert(
    fc.asyncProperty(entryLists, fc.array(keys, { minLength: 5 }), async (entries, starts) => {
      await using folder = await temporaryFolder();
      await write(folder.path, new Map([[DB.nodes, entries]]));
      const path = join(folder.path, 'graph');
      const some = entries.filter((_, i) => i % 50 === 0).map(([key]) => key);
      for (const start of [...starts, ...some]) {
        const expected = entries.filter(([key]) => key >= start);
        expect(visited(path, DB.nodes, Buffer.from(start, 'hex'))).toEqual(expected);
      }
    }),
    { numRuns: 50 },
  );
});

it('reads trees of many levels, before and after every other entry is removed', async () => {
  // Three of such keys fit a branch page, and one entry a leaf.
  const key = (i: number): string =>
    Buffer.alloc(KEY_BYTES_MAX, 1).fill(i.toString().padStart(6, '0'), 0, 6).toString('hex');
  for (const count of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 27, 28, 82, 300]) {
    const entries = Array.from({ length: count }, (_, i): Entry => [key(i), '00']);
    await using folder = await temporaryFolder();
    await write(folder.path, new Map([[DB.nodes, entries]]));
    const graph = openEnvironment('graph', { storage: folder.path, readOnly: false });
    try {
      expect(visited(graph.path, DB.nodes)).toEqual(entries);
      for (const [i, [one]] of entries.entries()) {
        if (i % 2 === 0) continue;
        await writeTransaction(graph, () => {
          graph.stores[DB.nodes]!.remove(Buffer.from(one, 'hex'));
        });
      }
      const left = entries.filter((_, i) => i % 2 === 0);
      expect(scanned(graph, DB.nodes)).toEqual(left);
      expect(visited(graph.path, DB.nodes)).toEqual(left);
    } finally {
      await closeWritten(graph);
    }
  }
});

it('refuses keys out of order', async () => {
  await using folder = await temporaryFolder();
  const graph = openEnvironment('graph', { storage: folder.path, readOnly: false });
  const batch = new BatchEncoder();
  for (const key of [[1], [1, 0], [1], [2]]) {
    batch.put(DB.nodes, Uint8Array.from(key), Uint8Array.of(7));
  }
  try {
    const appended = appendTransaction(graph, DB.nodes, batch.payload);
    expect(appended).toEqual({ entries: 4, isInOrder: false });
  } finally {
    await closeWritten(graph);
  }
});

it('leaves an encrypted file to LMDB', async () => {
  await using folder = await temporaryFolder();
  const encryptionKey = '0123456789abcdef0123456789abcdef';
  const options = { storage: folder.path, readOnly: false, encryptionKey };
  const graph = openEnvironment('graph', options);
  await closeWritten(graph);
  expect(openGraphFile(join(folder.path, 'graph'), graph.seal.form)).toBeUndefined();
});
