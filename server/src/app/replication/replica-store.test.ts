import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { DB } from '#store/databases.ts';
import type { Manifest } from '#store/manifest.ts';
import { takeSnapshot } from '#store/snapshot.ts';
import { createStorage, MASTER_KEY } from '#store/testing/storage.ts';
import { ReplicaStore } from './replica-store.ts';

async function snapshot(): Promise<{ manifest: Manifest; pieces: Map<string, Uint8Array> }> {
  await using storage = await createStorage();
  await using state = await storage.openState();
  await state.commit((batch) => {
    batch.put(DB.nodes, Buffer.alloc(5, 1), Buffer.from('a node'));
    batch.put(DB.out, Buffer.alloc(12, 1), Buffer.from('an edge'));
    batch.put(DB.vault, Buffer.alloc(5, 1), Buffer.from('a secret'));
  });
  using reader = storage.openReader(['graph', 'vault']);
  const pieces = new Map<string, Uint8Array>();
  const write = async (digest: string, bytes: Uint8Array): Promise<void> => {
    pieces.set(digest, bytes.slice());
  };
  return { manifest: await takeSnapshot(reader, { write }), pieces };
}

it.each([undefined, MASTER_KEY])(
  'keeps the pieces of a copy that could not be loaded, but for those that are damaged; master key: %s',
  async (masterKey) => {
    await using folder = await temporaryFolder();
    const { manifest, pieces } = await snapshot();
    const store = new ReplicaStore({ storage: folder.path, masterKey });
    await store.piecesOf(manifest);
    const digests = [...pieces.keys()];
    const [first = '', ...others] = digests;
    expect(others.length).toBeGreaterThan(0);
    for (const digest of others) await store.write(digest, [pieces.get(digest)!]);
    // The first is not there: nothing is wrong with the others.
    await expect(store.replaceBy(manifest)).rejects.toThrow('no such file');
    expect(await store.piecesOf(manifest)).toEqual(new Set(others));

    await store.write(first, [pieces.get(first)!]);
    const path = join(folder.path, 'pieces', first);
    const bytes = readFileSync(path);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(path, bytes);
    await expect(store.replaceBy(manifest)).rejects.toMatchObject({ code: 'snapshot_corrupt' });
    expect(await store.piecesOf(manifest)).toEqual(new Set(others));

    await store.write(first, [pieces.get(first)!]);
    await store.replaceBy(manifest);
    expect(await store.history()).toMatchObject({ sequence: manifest.sequence });
  },
);
