import { expect, it, vi } from 'vitest';
import { DB, type DatabaseNumber } from './databases.ts';
import { openEnvironments } from './environment.ts';
import { holdWithFile, type HeldReader } from './held-reader.ts';
import { hex, scanned } from './testing/operations.ts';
import { createStorage, MASTER_KEY } from './testing/storage.ts';

const COMMITS = 400;
const ENTRIES = 40;
const BOTH = ['graph', 'vault'] as const;
const START = new Uint8Array(0);
const END = new Uint8Array(64).fill(255);

function visited(held: HeldReader, db: DatabaseNumber): string[] {
  const found: string[] = [];
  held.visit(db, START, (key, keyStart, keyEnd, value, valueStart, valueEnd) => {
    const [one, other] = [key.subarray(keyStart, keyEnd), value.subarray(valueStart, valueEnd)];
    found.push(`${db} ${hex(one)} ${hex(other)}`);
    return true;
  });
  return found;
}

it.each([undefined, MASTER_KEY])(
  'visits the commit that it holds, whatever is written meanwhile, with the key %s',
  async (masterKey) => {
    await using storage = await createStorage(masterKey);
    await using state = await storage.openState();
    using reader = storage.openReader(BOTH);
    const held: HeldReader[] = [];
    const writing: Promise<unknown>[] = [];
    for (let count = 1; count <= COMMITS; count++) {
      const written = state.commit((batch) => {
        for (let i = 0; i < ENTRIES; i++) {
          const key = Buffer.alloc(5);
          // Pages are filled, emptied again and reused.
          key.writeUInt32BE(Math.imul(count * ENTRIES + i, 0x9e3779b1) >>> 12);
          if ((count + i) % 3 === 0) batch.delete(DB.nodes, key);
          else batch.put(DB.nodes, key, Buffer.alloc((i * 53) % 700, count));
        }
        batch.put(DB.vault, Uint8Array.of(1), Buffer.from(String(count)));
      });
      writing.push(written);
      if (count % 20 !== 0) continue;
      if (count % 40 === 0) await written;
      held.push(reader.hold());
    }
    await Promise.all(writing);
    const sequences = held.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
    expect(new Set(sequences).size).toBeGreaterThan(COMMITS / 80);
    for (const one of held) {
      for (const db of [DB.nodes, DB.vault, DB.out]) {
        expect(visited(one, db)).toEqual(scanned(one, db, { start: START, end: END }));
      }
      one[Symbol.dispose]();
    }
  },
);

it('gives its transactions back when the file cannot be opened', async () => {
  await using storage = await createStorage();
  await (await storage.openState())[Symbol.asyncDispose]();
  const { graph, vault } = openEnvironments({ storage: storage.path, readOnly: true });
  const begun = [graph, vault].map(({ root }) => vi.spyOn(root, 'useReadTransaction'));
  const elsewhere = { ...graph, path: `${graph.path}-that-is-gone` };
  expect(() => holdWithFile(elsewhere, vault)).toThrow('ENOENT');
  const transactions = begun.flatMap((spy) => spy.mock.results.map(({ value }) => value));
  expect(transactions).toHaveLength(2);
  // Each transaction counts its users.
  expect(transactions.map(({ refCount }) => refCount)).toEqual([0, 0]);
  await Promise.all([graph, vault].map(({ root }) => root.close()));
});
