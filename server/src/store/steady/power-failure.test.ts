import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scale, seed } from '../../../../test/support/scale.ts';
import { seededRandom } from '../../../../test/support/seeded-random.ts';
import { createMemoryLog, createMemoryMedium, type MemoryMedium } from '#log/memory-log.ts';
import { KEEP_ALL, TestClock } from '#log/testing/log-engine.ts';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { readGraphApplied } from '../applied.ts';
import type { State } from '../commit-pipeline.ts';
import { DB } from '../databases.ts';
import { openEnvironments } from '../environment.ts';
import { readStoreKeys } from '../master-key.ts';
import { digestHeld, digestState } from '../snapshot.ts';
import { openSnapshotReader } from '../snapshot-reader.ts';
import { openState } from '../state-writer.ts';
import {
  afterAnotherBoot,
  afterPowerFailure,
  DeviceImages,
  readFiles,
  withTornSlot,
  writeFiles,
} from '../testing/device-image.ts';
import { MASTER_KEY } from '../testing/storage.ts';
import { closeEnvironments } from '../write-transaction.ts';

const clock = new TestClock();
const BOTH = ['graph', 'vault'] as const;
/** Points are made after a few commits. */
const OFTEN = { delayMs: 1_000_000, bytesMax: 40_000 };
/** UIDs of large groups of commits go to a second tree, and soon to the first. */
const TIERED = { firstMin: 0, recentMin: 20, recentDivisor: 1_000 };
const COMMITS = scale({ sample: 30, soak: 1_000 });
/** Of so many commits, a power failure follows one. */
const FAILURE_EVERY = 4;
const PLAIN_STORE = JSON.stringify({
  format: 1,
  encrypted: false,
  salt: '00'.repeat(16),
  keyCheck: null,
  createdAt: '2026-01-01T00:00:00.000Z',
});

interface Store {
  readonly storage: string;
  readonly masterKey: string | undefined;
  readonly medium: MemoryMedium;
}

function openLive({ storage, masterKey, medium }: Store): Promise<State> {
  const log = createMemoryLog({ clock, archive: KEEP_ALL, medium });
  const rules = { steadyRule: OFTEN, tierRule: TIERED };
  return openState({ storage, masterKey, clock, log, ...rules });
}

async function digestOf({ storage, masterKey }: Store): Promise<string> {
  using reader = openSnapshotReader({ storage, masterKey, environments: BOTH });
  return (await digestState(reader)).digest;
}

/** Keys are written again and again, so that pages become free and are used again. */
function commitSome(state: State, random: () => number): Promise<{ sequence: number }> {
  return state.commit((batch) => {
    const isForVault = random() < 0.3;
    for (let i = 0; i < 5; i++) {
      const uid = Buffer.alloc(16, Math.floor(random() * 256));
      uid.writeUIntBE(batch.nextSequence, 8, 6);
      batch.put(DB.uids, uid, Uint8Array.of(i));
    }
    const operations = 1 + Math.floor(random() * 40);
    for (let i = 0; i < operations; i++) {
      const db = isForVault && i % 3 === 0 ? DB.vault : i % 2 === 0 ? DB.nodes : DB.out;
      const key = Buffer.alloc(9);
      key.writeUInt32BE(Math.floor(random() * 400), 1);
      if (random() < 0.2) batch.delete(db, key);
      else batch.put(db, key, Buffer.alloc(Math.floor(random() * 900), Math.floor(random() * 256)));
    }
  });
}

/** The folder as another boot of the machine finds it. */
function failPower(
  { storage }: Store,
  target: string,
  images: DeviceImages,
  random: () => number,
): void {
  cpSync(join(storage, 'store.json'), join(target, 'store.json'));
  for (const name of BOTH) {
    mkdirSync(join(target, name));
    const { data, steady } = readFiles(storage, name);
    const synced = images.of(join(storage, name)) ?? Buffer.alloc(0);
    const found = afterAnotherBoot(steady);
    writeFiles(target, name, {
      data: afterPowerFailure(synced, data, random),
      steady: random() < 0.5 ? withTornSlot(found, random) : found,
    });
  }
}

/** Reads all of both environments as they were taken back, before the log is replayed. */
async function settledSequence({ storage, masterKey }: Store, digests: readonly string[]) {
  const environments = openEnvironments({
    storage,
    readOnly: false,
    ...readStoreKeys({ storage, masterKey }),
  });
  const { sequence } = readGraphApplied(environments.graph);
  await closeEnvironments(environments);
  using reader = openSnapshotReader({ storage, masterKey, environments: ['graph'] });
  using held = reader.hold();
  if (sequence > 0) expect((await digestHeld(held)).digest).toBe(digests[sequence]);
  return sequence;
}

it.each([
  ['plain', undefined],
  ['checked', undefined],
  ['sealed', MASTER_KEY],
])(
  'is whole at its last steady point after any power failure, and goes on from there: %s',
  async (form, masterKey) => {
    const random = seededRandom(seed());
    await using folder = await temporaryFolder();
    const store = { storage: folder.path, masterKey, medium: createMemoryMedium() };
    if (form === 'plain') writeFileSync(join(folder.path, 'store.json'), PLAIN_STORE);
    const images = new DeviceImages();
    using _watched = images.watch();
    await using state = await openLive(store);
    /** Of the graph alone, by sequence. */
    const digests: string[] = [];
    for (let i = 0; i < COMMITS; i++) {
      const { sequence } = await commitSome(state, random);
      {
        using reader = openSnapshotReader({ ...store, environments: ['graph'] });
        using held = reader.hold();
        digests[sequence] = (await digestHeld(held)).digest;
      }
      if (random() * FAILURE_EVERY >= 1) continue;
      const { flushedSequence } = state;
      await using target = await temporaryFolder();
      failPower(store, target.path, images, random);
      const live = await digestOf(store);
      const failed = { ...store, storage: target.path };
      expect(await settledSequence(failed, digests)).toBeGreaterThanOrEqual(flushedSequence);
      await using again = await openLive(failed);
      expect(again.sequence).toBe(sequence);
      expect(await digestOf(failed)).toBe(live);
    }
    expect(state.flushedSequence).toBeGreaterThan(0);
  },
);
