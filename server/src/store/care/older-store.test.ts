import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSegmentLog } from '#log/segment-log.ts';
import { KEEP_ALL, TestClock } from '#log/testing/log-engine.ts';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { DATABASES, DB } from '../databases.ts';
import { openEnvironments } from '../environment.ts';
import { isSameState, sealManifest } from '../manifest.ts';
import { openSnapshotReader } from '../snapshot-reader.ts';
import { digestState } from '../snapshot.ts';
import { openState } from '../state-writer.ts';
import { closeEnvironments } from '../write-transaction.ts';
import { readSizes } from './entry-counts.ts';
import { rewriteStore } from './rewrite-store.ts';
import { verifyStore } from './verify-store.ts';

const KEY = Buffer.from('key of a node');
const clock = new TestClock();
const care = { masterKey: undefined, clock, onProgress: () => {}, onStep: () => {} };

async function put(storage: string, db: typeof DB.nodes | typeof DB.history): Promise<void> {
  const folder = join(storage, 'log');
  await using log = await openSegmentLog({ folder, clock, archive: KEEP_ALL });
  await using state = await openState({ storage, log, clock });
  await state.commit((batch) => batch.put(db, KEY, KEY));
}

/** Makes the store look as versions without node history left it. */
async function forgetHistory(storage: string): Promise<void> {
  const { graph, vault } = openEnvironments({ storage, readOnly: false });
  await graph.stores[DB.history]?.stored.drop();
  await closeEnvironments({ graph, vault });
}

const entries = (storage: string): Record<string, number> =>
  Object.fromEntries(
    readSizes({ storage, masterKey: undefined }).databases.map((one) => [one.name, one.entries]),
  );

it('opens a store that lacks a database which was added since, in every way', async () => {
  await using folder = await temporaryFolder();
  const storage = join(folder.path, 'store');
  await put(storage, DB.nodes);
  await forgetHistory(storage);
  expect(entries(storage)).toMatchObject({ nodes: 1, history: 0 });
  await forgetHistory(storage);
  expect(await verifyStore({ storage, ...care })).toMatchObject({ differences: [], entries: 1 });
  await forgetHistory(storage);
  await rewriteStore({ storage, ...care });
  await forgetHistory(storage);
  await put(storage, DB.history);
  expect(entries(storage)).toMatchObject({ nodes: 1, history: 1 });
  expect(await verifyStore({ storage, ...care })).toMatchObject({ differences: [], entries: 2 });
});

it('takes a manifest that does not list a database for one in which it is empty', async () => {
  await using folder = await temporaryFolder();
  const storage = join(folder.path, 'store');
  const manifest = async () => {
    using reader = openSnapshotReader({ storage, environments: ['graph', 'vault'] });
    return await digestState(reader);
  };
  await put(storage, DB.nodes);
  const empty = await manifest();
  expect(empty.databases).toHaveLength(DATABASES.length);
  const unlisted = (of: typeof empty) =>
    sealManifest(
      of.epoch,
      of.sequence,
      of.databases.filter(({ number }) => number !== DB.history),
    );
  expect(isSameState(empty, unlisted(empty))).toBe(true);
  await put(storage, DB.history);
  const full = await manifest();
  expect(isSameState(full, full)).toBe(true);
  expect(isSameState(full, unlisted(full))).toBe(false);
  expect(isSameState(unlisted(full), full)).toBe(false);
  expect(isSameState(empty, full)).toBe(false);
  expect(isSameState(sealManifest(full.epoch, full.sequence, empty.databases), full)).toBe(false);
});
