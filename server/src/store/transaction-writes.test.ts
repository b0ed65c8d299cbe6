import { expect, it } from 'vitest';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { KEY_BYTES_MAX } from './batch.ts';
import { DB } from './databases.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { closeWritten, writeTransaction } from './write-transaction.ts';

const OPERATIONS = 4_000;
/** At and around the sizes at which a value gets memory of its own, and chunks are full. */
const VALUE_BYTES = [0, 1, 7, 8, 9, 4_095, 65_500, 65_504, 65_505, 65_536, 262_144, 300_000];
const KEY_BYTES = [1, 2, 3, 4, 5, 8, 12, 13, 100, KEY_BYTES_MAX - 1, KEY_BYTES_MAX];

/** A key of each length that one of these numbers has. */
function keyOf(number: number): Buffer {
  const length = KEY_BYTES[number % KEY_BYTES.length]!;
  const key = Buffer.alloc(length, 1 + (number % 200));
  if (length > 4) key.writeUInt32BE(number, 0);
  return key;
}

/** Most values are short, as those of a load are. */
function valueOf(number: number): Buffer {
  const length = number % 40 === 0 ? VALUE_BYTES[(number / 40) % VALUE_BYTES.length]! : number % 60;
  return Buffer.alloc(length, number);
}

function entriesOf(graph: Environment): Map<string, string> {
  const entries = new Map<string, string>();
  const all = { start: Buffer.alloc(1), end: Buffer.alloc(KEY_BYTES_MAX + 1, 255) };
  graph.stores[DB.nodes]!.scan(all, (key, value) => {
    entries.set(Buffer.from(key).toString('hex'), Buffer.from(value).toString('hex'));
  });
  return entries;
}

it('carries out puts and deletes of all sizes in their order, one by one and all together', async () => {
  await using folder = await temporaryFolder();
  const options = { storage: folder.path, readOnly: false, values: 'checked' } as const;
  const graph = openEnvironment('graph', options);
  const nodes = graph.stores[DB.nodes]!;
  const expected = new Map<string, string>();
  // The memory of one transaction is used again by the next.
  for (const [round, isSmall] of [false, true, false, true, false].entries()) {
    await writeTransaction(
      graph,
      () => {
        for (let i = 0; i < OPERATIONS; i++) {
          const key = keyOf(i * 7 + round);
          const name = key.toString('hex');
          if (i % 3 === 2) {
            nodes.remove(key);
            expected.delete(name);
          } else {
            const value = valueOf(i + round);
            nodes.put(key, value);
            expected.set(name, value.toString('hex'));
            value.fill(255);
          }
          key.fill(255);
        }
      },
      isSmall,
    );
    const found = entriesOf(graph);
    expect(found.size).toBe(expected.size);
    for (const [key, value] of expected) expect(found.get(key) === value, key).toBe(true);
  }
  await closeWritten(graph);
});

it('carries out nothing when a put throws or nothing is put, and goes on after that', async () => {
  await using folder = await temporaryFolder();
  const options = { storage: folder.path, readOnly: false, values: 'checked' } as const;
  const graph = openEnvironment('graph', options);
  const nodes = graph.stores[DB.nodes]!;
  for (const isSmall of [false, true]) {
    const failed = writeTransaction(
      graph,
      () => {
        for (let i = 0; i < OPERATIONS; i++) nodes.put(keyOf(i), valueOf(i));
        throw new Error('on purpose');
      },
      isSmall,
    );
    await expect(failed).rejects.toThrow(/on purpose/);
    await writeTransaction(graph, () => undefined, isSmall);
    expect(entriesOf(graph).size).toBe(0);
  }
  expect(() => nodes.put(keyOf(1), valueOf(1))).toThrow(/outside of a transaction/);
  const tooLong = writeTransaction(graph, () => nodes.put(Buffer.alloc(4_000), valueOf(1)));
  await expect(tooLong).rejects.toThrow(/does not fit/);
  await writeTransaction(graph, () => nodes.put(keyOf(1), valueOf(1)));
  expect(entriesOf(graph).size).toBe(1);
  await closeWritten(graph);
});

it('rejects with the problem of LMDB, after which nothing is written', async () => {
  await using folder = await temporaryFolder();
  const options = { storage: folder.path, readOnly: false, values: 'checked' } as const;
  const graph = openEnvironment('graph', options);
  const nodes = graph.stores[DB.nodes]!;
  for (const isSmall of [false, true]) {
    const failed = writeTransaction(
      graph,
      () => {
        nodes.put(keyOf(1), valueOf(1));
        // LMDB takes no key that is so long.
        nodes.put(Buffer.alloc(KEY_BYTES_MAX + 2), valueOf(1));
      },
      isSmall,
    );
    await expect(failed).rejects.toMatchObject({ code: 'storage_failed' });
    expect(entriesOf(graph).size).toBe(0);
  }
  await writeTransaction(graph, () => nodes.put(keyOf(1), valueOf(1)));
  expect(entriesOf(graph).size).toBe(1);
  await closeWritten(graph);
});
