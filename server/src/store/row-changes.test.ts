import { expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import { createMemoryLog } from '#log/memory-log.ts';
import { KEEP_ALL, TestClock } from '#log/testing/log-engine.ts';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { DB } from './databases.ts';
import { openEnvironment } from './environment.ts';
import { notedUpTo, rowChangesKey } from './row-changes.ts';
import { encodeRowState, readRowState, ROW_STATE_KEY } from './row-state.ts';
import { createStorage, MASTER_KEY } from './testing/storage.ts';
import { readStoreKeys } from './master-key.ts';
import type { State } from './commit-pipeline.ts';
import { openState } from './state-writer.ts';
import type { SpaceCheck } from './storage-problem.ts';

/** Rows of ids below 100, which show everything up to here. */
async function beginRows(state: State): Promise<void> {
  const { sequence } = state;
  await state.local.write((put) => {
    put(DB.rowChanges, ...notedUpTo(sequence));
    put(
      DB.rows,
      ROW_STATE_KEY,
      encodeRowState({ packedTo: sequence, changesFrom: sequence, packedIds: 100 }),
    );
  });
}

/** The key of an edge. */
function edge(from: number): Uint8Array {
  const key = Buffer.alloc(12);
  key.writeUIntBE(from, 0, 5);
  return key;
}

function commitEdges(state: State, ...from: number[]): Promise<unknown> {
  return state.commit((batch) => {
    for (const id of from) batch.put(DB.out, edge(id), Buffer.of(1));
  });
}

it('counts what was noted since the rows were packed, whatever else is packed', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState();
  await commitEdges(state, 1);
  await beginRows(state);
  await commitEdges(state, 1, 2, 2, 100);
  await commitEdges(state, 2);
  expect(state.local.notedIds).toBe(3);
  const { reader } = state.local;
  const grown = { ...readRowState(reader)!, packedIds: 200 };
  await state.local.write((put) => put(DB.rows, ROW_STATE_KEY, encodeRowState(grown)));
  await commitEdges(state, 100);
  expect(state.local.notedIds).toBe(4);
  await beginRows(state);
  expect(state.local.notedIds).toBe(0);
  await state.local.write((put) => put(DB.rows, ROW_STATE_KEY, undefined));
  await commitEdges(state, 1);
  expect(state.local.notedIds).toBe(0);
});

it('writes nothing when what is to be written cannot be made', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState();
  await commitEdges(state, 1);
  await beginRows(state);
  const writing = state.local.write((put) => {
    put(DB.rows, Uint8Array.of(1), Buffer.of(1));
    throw new Error('a failed read');
  });
  await expect(writing).rejects.toThrow('a failed read');
  // What was begun would be in the state before this.
  await commitEdges(state, 1);
  expect(state.local.reader.get(DB.rows, Uint8Array.of(1))).toBeUndefined();
});

it('leaves more room than a commit needs', async () => {
  await using folder = await temporaryFolder();
  const clock = new TestClock();
  await using log = createMemoryLog({ clock, archive: KEEP_ALL });
  const free = 40 * 1024 * 1024;
  const checkSpace: SpaceCheck = ({ operations, bytes }) => {
    if (operations * 4_096 + bytes * 2 > free) throw new Problem('storage_full', 'full');
  };
  await using state = await openState({ storage: folder.path, log, clock, checkSpace });
  const value = Buffer.alloc(8 * 1024 * 1024);
  const writing = state.local.write((put) => put(DB.rows, Uint8Array.of(1), value));
  await expect(writing).rejects.toMatchObject({ code: 'storage_full' });
  await state.commit((batch) => batch.put(DB.meta, Uint8Array.of(1), value));
  expect(state.local.reader.get(DB.rows, Uint8Array.of(1))).toBeUndefined();
});

it.each([
  ['the state of the rows', DB.rows, ROW_STATE_KEY],
  ['how far notes go', DB.rowChanges, Uint8Array.of(0)],
  ['a note', DB.rowChanges, undefined],
])('opens without the rows when %s is damaged', async (_, db, key) => {
  await using storage = await createStorage(MASTER_KEY);
  let sequence = 0;
  {
    await using state = await storage.openState();
    await commitEdges(state, 1);
    await beginRows(state);
    await commitEdges(state, 1);
    ({ sequence } = state);
  }
  const { environmentKey } = readStoreKeys({ storage: storage.path, masterKey: MASTER_KEY });
  const opening = { storage: storage.path, readOnly: false, encryptionKey: environmentKey };
  const { root, stores, steady } = openEnvironment('graph', opening);
  await stores[db]!.stored.put(key ?? rowChangesKey(sequence), Buffer.alloc(40, 7));
  steady?.releaseAll();
  await root.close();
  await steady?.close();
  await using state = await storage.openState();
  expect(readRowState(state.local.reader)).toBeUndefined();
  await commitEdges(state, 2);
  await beginRows(state);
  await commitEdges(state, 3);
  expect(state.local.notedIds).toBe(1);
});
