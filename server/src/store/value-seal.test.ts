import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c as nativeCrc } from '@node-rs/crc32';
import { expect, it } from 'vitest';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { crc32c, LONG_BYTES_MIN } from './crc32c.ts';
import { DB } from './databases.ts';
import { openEnvironment, type Environment } from './environment.ts';
import { LMDB_FILE } from './lmdb-file/page-format.ts';
import { sealedKeyText } from './seal-salts.ts';
import { SEAL_TAG_BYTES } from './sealed-values.ts';
import { closeWritten, writeTransaction } from './write-transaction.ts';

const KEY = sealedKeyText(Buffer.alloc(32, 7));
const OTHER_KEY = sealedKeyText(Buffer.alloc(32, 8));
const SECRET = Buffer.from('a secret that lies in no file');
const name = (text: string): Uint8Array => Buffer.from(text);

const FORMS = [
  { form: 'checked', keys: { values: 'checked' } },
  { form: 'sealed', keys: { values: 'sealed', encryptionKey: KEY } },
] as const;

type Keys = (typeof FORMS)[number]['keys'];

/** Opens the graph for writing, runs a function with it, and closes it. */
async function within(
  storage: string,
  keys: Keys,
  use: (graph: Environment) => Promise<void> | void,
): Promise<void> {
  const graph = openEnvironment('graph', { storage, readOnly: false, ...keys });
  try {
    await use(graph);
  } finally {
    await closeWritten(graph);
  }
}

function put(graph: Environment, entries: Readonly<Record<string, Uint8Array>>): Promise<void> {
  return writeTransaction(graph, () => {
    for (const [key, value] of Object.entries(entries)) {
      graph.stores[DB.nodes]!.put(name(key), value);
    }
  });
}

const nodesOf = (graph: Environment) => graph.stores[DB.nodes]!;
const storedOf = (graph: Environment, key: string): Uint8Array =>
  Uint8Array.from(nodesOf(graph).stored.get(name(key))!);

/** Replaces the stored bytes of a key. */
async function forge(
  graph: Environment,
  db: number,
  key: string,
  stored: Uint8Array,
): Promise<void> {
  await graph.stores[db]!.stored.put(name(key), stored);
}

const damaged = expect.objectContaining({ code: 'storage_corrupt' });

it.each([...FORMS, { form: 'plain', keys: { values: 'plain' } }] as const)(
  'puts values by their places as it puts views of them, $form',
  async ({ keys }) => {
    await using folder = await temporaryFolder();
    const sizes = [0, 1, 3, 4, 252, LONG_BYTES_MIN, 5_000, 16_380, 16_381, 70_000];
    const entries = Array.from({ length: 300 }, (_, i) => ({
      key: name(`key ${i}`),
      value: Buffer.alloc(sizes[i % sizes.length] ?? 0, i),
    }));
    // Each value lies right behind its key, and something lies before them and behind them.
    const payload = Buffer.concat(
      entries.flatMap(({ key, value }) => [Buffer.alloc(3, 255), key, value]),
    );
    const graph = openEnvironment('graph', { storage: folder.path, readOnly: false, ...keys });
    for (const isAtOnce of [false, true]) {
      await writeTransaction(
        graph,
        () => {
          let at = 0;
          for (const { key, value } of entries) {
            const keyStart = at + 3;
            const keyEnd = keyStart + key.length;
            at = keyEnd + value.length;
            nodesOf(graph).putPlaced(payload, keyStart, keyEnd, at);
          }
        },
        isAtOnce,
      );
      graph.root.resetReadTxn();
      for (const { key, value } of entries) {
        expect(Buffer.compare(nodesOf(graph).get(key)!, value)).toBe(0);
      }
    }
    await closeWritten(graph);
  },
);

it.each(FORMS)(
  'gives back what was put, $form, in one place and along a range',
  async ({ keys }) => {
    await using folder = await temporaryFolder();
    const values: Record<string, Uint8Array> = {};
    for (const bytes of [0, 1, 15, 16, 17, LONG_BYTES_MIN - 1, LONG_BYTES_MIN, 5_000, 200_000]) {
      values[`value of ${bytes}`] = Buffer.alloc(bytes, bytes);
    }
    const check = (graph: Environment): void => {
      for (const [key, value] of Object.entries(values)) {
        expect(Buffer.compare(nodesOf(graph).get(name(key))!, value)).toBe(0);
        expect(nodesOf(graph).has(name(key))).toBe(true);
      }
      const found: Record<string, Uint8Array> = {};
      nodesOf(graph).scan({ start: Uint8Array.of(0), end: Uint8Array.of(255) }, (key, value) => {
        found[Buffer.from(key).toString()] = Buffer.from(value);
      });
      expect(found).toEqual(values);
      const keysFound: string[] = [];
      const ofKeys = { start: Uint8Array.of(0), end: Uint8Array.of(255), keysOnly: true };
      nodesOf(graph).scan(ofKeys, (key) => void keysFound.push(Buffer.from(key).toString()));
      expect(keysFound).toEqual(Object.keys(found));
    };
    await within(folder.path, keys, async (graph) => {
      await put(graph, values);
      graph.root.resetReadTxn();
      check(graph);
    });
    await within(folder.path, keys, check);
    const { encryptionKey } = { encryptionKey: undefined, ...keys };
    // The environment says itself how its values are stored.
    const graph = openEnvironment('graph', { storage: folder.path, readOnly: true, encryptionKey });
    check(graph);
    await graph.root.close();
  },
);

it.each(FORMS)('refuses each flipped bit of what is stored, $form', async ({ keys }) => {
  await using folder = await temporaryFolder();
  await within(folder.path, keys, async (graph) => {
    await put(graph, { key: SECRET });
    graph.root.resetReadTxn();
    const stored = storedOf(graph, 'key');
    for (let bit = 0; bit < stored.length * 8; bit++) {
      const flipped = Uint8Array.from(stored);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      const { seal } = graph;
      expect(() => seal.open(DB.nodes, name('key'), flipped)).toThrow(damaged);
    }
    for (let bytes = 0; bytes < stored.length; bytes++) {
      const cut = stored.subarray(0, bytes);
      expect(() => graph.seal.open(DB.nodes, name('key'), cut)).toThrow(damaged);
    }
    await forge(graph, DB.nodes, 'key', stored.with(stored.length - 1, stored.at(-1)! ^ 1));
    graph.root.resetReadTxn();
    expect(() => nodesOf(graph).get(name('key'))).toThrow(damaged);
    const all = { start: Uint8Array.of(0), end: Uint8Array.of(255) };
    expect(() => nodesOf(graph).scan(all, () => true)).toThrow(damaged);
    expect(() => nodesOf(graph).get(name('key'))).toThrow(/nodes under 6b6579/);
  });
});

it.each(FORMS)(
  'refuses a value in the place of another key or database, $form',
  async ({ keys }) => {
    await using folder = await temporaryFolder();
    await within(folder.path, keys, async (graph) => {
      await put(graph, { one: SECRET, other: Buffer.from('another value') });
      graph.root.resetReadTxn();
      await forge(graph, DB.nodes, 'other', storedOf(graph, 'one'));
      await forge(graph, DB.meta, 'one', storedOf(graph, 'one'));
      await forge(graph, DB.types, 'one', storedOf(graph, 'one'));
      graph.root.resetReadTxn();
      expect(Buffer.from(nodesOf(graph).get(name('one'))!)).toEqual(SECRET);
      expect(() => nodesOf(graph).get(name('other'))).toThrow(damaged);
      expect(() => graph.stores[DB.meta]!.get(name('one'))).toThrow(damaged);
      expect(() => graph.stores[DB.types]!.get(name('one'))).toThrow(damaged);
    });
  },
);

it('visits each entry under its own key, also where the salt has to be read on the way', async () => {
  await using folder = await temporaryFolder();
  const keys = FORMS[1].keys;
  const isEven = (i: number): boolean => i % 2 === 0;
  const all = Array.from({ length: 20 }, (_, i) => `key ${String(i).padStart(2, '0')}`);
  for (const half of [isEven, (i: number) => !isEven(i)]) {
    const entries = all.filter((_, i) => half(i)).map((key) => [key, Buffer.from(`of ${key}`)]);
    await within(folder.path, keys, (graph) => put(graph, Object.fromEntries(entries)));
  }
  await within(folder.path, keys, (graph) => {
    const found: (readonly [string, string])[] = [];
    nodesOf(graph).scan({ start: Uint8Array.of(0), end: Uint8Array.of(255) }, (key, value) => {
      found.push([Buffer.from(key).toString(), Buffer.from(value).toString()]);
    });
    expect(found).toEqual(all.map((key) => [key, `of ${key}`]));
  });
});

it('remembers what it opened, each value in its place alone', async () => {
  await using folder = await temporaryFolder();
  const keys = FORMS[1].keys;
  await within(folder.path, keys, (graph) =>
    put(graph, { one: name('of one'), other: name('of the other') }),
  );
  // A new opening must read the salt first.
  await within(folder.path, keys, async (graph) => {
    const read = (key: string): string => Buffer.from(nodesOf(graph).get(name(key))!).toString();
    for (let i = 0; i < 3; i++)
      expect([read('one'), read('other')]).toEqual(['of one', 'of the other']);
    const former = storedOf(graph, 'one');
    await forge(graph, DB.nodes, 'other', former);
    graph.root.resetReadTxn();
    expect(() => read('other')).toThrow(damaged);
    await forge(graph, DB.uids, 'one', former);
    graph.root.resetReadTxn();
    expect(() => graph.stores[DB.uids]!.get(name('one'))).toThrow(damaged);
    await put(graph, { one: name('of one, anew') });
    graph.root.resetReadTxn();
    expect(read('one')).toBe('of one, anew');
    // A search for damage does not use the cache: here the text is changed, with the tag that the
    // cache remembers.
    const changed = storedOf(graph, 'one');
    changed[4] = changed[4]! ^ 1;
    await forge(graph, DB.nodes, 'one', changed);
    graph.root.resetReadTxn();
    expect(read('one')).toBe('of one, anew');
    const found: [string, boolean][] = [];
    nodesOf(graph).inspect(
      { start: Uint8Array.of(0), end: Uint8Array.of(255) },
      (key, isDamaged) => {
        found.push([Buffer.from(key).toString(), isDamaged]);
      },
    );
    expect(found).toEqual([
      ['one', true],
      ['other', true],
    ]);
  });
});

it('takes a counter that no nonce has room for as damage', async () => {
  await using folder = await temporaryFolder();
  await within(folder.path, FORMS[1].keys, async (graph) => {
    await put(graph, { one: name('of one') });
    const tooGreat = Buffer.concat([Buffer.from('01ffffffffffff7f', 'hex'), Buffer.alloc(30)]);
    await forge(graph, DB.nodes, 'one', tooGreat);
    graph.root.resetReadTxn();
    expect(() => nodesOf(graph).get(name('one'))).toThrow(damaged);
  });
});

it('refuses an empty value where one was sealed, and takes it where keys say all', async () => {
  await using folder = await temporaryFolder();
  const [, { keys }] = FORMS;
  const nothing = new Uint8Array(0);
  await within(folder.path, keys, async (graph) => {
    await writeTransaction(graph, () => graph.stores[DB.types]!.put(name('key'), nothing));
    await put(graph, { key: SECRET, empty: nothing });
    graph.root.resetReadTxn();
    expect(graph.stores[DB.types]!.stored.get(name('key'))).toHaveLength(0);
    expect(graph.stores[DB.types]!.get(name('key'))).toEqual(nothing);
    expect(storedOf(graph, 'empty').length).toBeGreaterThan(SEAL_TAG_BYTES);
    expect(nodesOf(graph).get(name('empty'))).toHaveLength(0);
    await forge(graph, DB.nodes, 'key', nothing);
    graph.root.resetReadTxn();
    expect(() => nodesOf(graph).get(name('key'))).toThrow(damaged);
  });
});

it('never seals twice alike: no header comes again under one salt, and no salt at another opening', async () => {
  await using folder = await temporaryFolder();
  const [, { keys }] = FORMS;
  const openings = 5;
  for (let opening = 0; opening < openings; opening++) {
    await within(folder.path, keys, async (graph) => {
      for (let i = 0; i < 40; i++) await put(graph, { [`${opening} ${i}`]: SECRET, again: SECRET });
    });
  }
  await within(folder.path, keys, (graph) => {
    const headers = new Set<string>();
    const salts = new Set<string>();
    const numbers = new Set<number>();
    let entries = 0;
    for (const { value } of nodesOf(graph).stored.getRange({ start: Uint8Array.of(0) })) {
      entries++;
      numbers.add(value[0]!);
      headers.add(Buffer.from(value.subarray(0, value.length - 45)).toString('hex'));
    }
    for (const { value } of graph.root
      .openDB<Uint8Array, Uint8Array>({
        name: 'seals',
        encoding: 'binary',
        keyEncoding: 'binary',
      })
      .getRange({ start: Uint8Array.of(0) })) {
      salts.add(Buffer.from(value).toString('hex'));
    }
    expect(entries).toBe(openings * 40 + 1);
    expect(headers.size).toBe(entries);
    expect([...numbers].toSorted()).toEqual([1, 2, 3, 4, 5]);
    // One of the entries holds the form.
    expect(salts.size).toBe(openings + 1);
  });
});

it('opens nothing with another key, and nothing of it lies in the file', async () => {
  await using folder = await temporaryFolder();
  const storage = folder.path;
  const [, { keys }] = FORMS;
  await within(storage, keys, (graph) =>
    put(graph, { key: SECRET, long: Buffer.alloc(9_000, SECRET) }),
  );
  expect(readFileSync(join(storage, 'graph', LMDB_FILE)).includes(SECRET)).toBe(false);
  const open = (encryptionKey: string | undefined) =>
    openEnvironment('graph', { storage, readOnly: true, encryptionKey });
  const graph = open(OTHER_KEY);
  expect(() => nodesOf(graph).get(name('key'))).toThrow(damaged);
  await graph.root.close();
  expect(() => open(undefined)).toThrow(expect.objectContaining({ code: 'store_format_unknown' }));
});

it('takes the same sum in native code and here', () => {
  const bytes = Uint8Array.from({ length: 600 }, (_, i) => i % 251);
  for (const [start, end] of [
    [0, 0],
    [0, 1],
    [3, 9],
    [0, LONG_BYTES_MIN - 1],
    [0, LONG_BYTES_MIN],
    [7, 600],
  ] as const) {
    expect(crc32c(bytes, start, end, 77)).toBe(nativeCrc(bytes.subarray(start, end), 77));
  }
});
