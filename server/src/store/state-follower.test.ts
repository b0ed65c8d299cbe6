import { join } from 'node:path';
import type { CommitLog, LogRecord } from '#log/commit-log.ts';
import { openLogTail } from '#log/log-tail.ts';
import { type LogBeginning, openSegmentLog, removeLog } from '#log/segment-log.ts';
import { KEEP_ALL, TestClock } from '#log/testing/log-engine.ts';
import { temporaryFolder, type TemporaryFolder } from '#log/testing/temporary-folder.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { State } from './commit-pipeline.ts';
import { type LogPlace, promoteStore } from './history.ts';
import type { Manifest } from './manifest.ts';
import { restoreSnapshot } from './restore.ts';
import { openSnapshotReader } from './snapshot-reader.ts';
import { PieceFolder } from './snapshot-spool.ts';
import { digestState, takeSnapshot } from './snapshot.ts';
import { openStateFollower, type StateFollower } from './state-follower.ts';
import { openState } from './state-writer.ts';
import { anyCommit, type Operation, putAll } from './testing/operations.ts';

const clock = new TestClock();
const BOTH = ['graph', 'vault'] as const;

function openLog(folder: TemporaryFolder, beginning?: LogBeginning): Promise<CommitLog> {
  return openSegmentLog({
    folder: join(folder.path, 'log'),
    clock,
    archive: KEEP_ALL,
    segmentBytesMax: 2_000,
    ...(beginning === undefined ? {} : { beginning }),
  });
}

/** A store with its log, as on a primary. */
async function openPrimary(
  folder: TemporaryFolder,
): Promise<AsyncDisposable & { readonly log: CommitLog; readonly state: State }> {
  const log = await openLog(folder);
  const state = await openState({ storage: folder.path, log, clock });
  return {
    log,
    state,
    [Symbol.asyncDispose]: async () => {
      await state[Symbol.asyncDispose]();
      await log[Symbol.asyncDispose]();
    },
  };
}

async function openReplica(
  folder: TemporaryFolder,
  beginning?: LogBeginning,
): Promise<AsyncDisposable & { readonly log: CommitLog; readonly follower: StateFollower }> {
  const log = await openLog(folder, beginning);
  const follower = await openStateFollower({ storage: folder.path, log, clock });
  return {
    log,
    follower,
    [Symbol.asyncDispose]: async () => {
      await follower[Symbol.asyncDispose]();
      await log[Symbol.asyncDispose]();
    },
  };
}

async function manifestOf(folder: TemporaryFolder): Promise<Manifest> {
  using reader = openSnapshotReader({ storage: folder.path, environments: BOTH });
  return await digestState(reader);
}

/** Copies the newest commit, as a replica does when it joins. */
async function copy(from: TemporaryFolder, to: TemporaryFolder): Promise<Manifest> {
  using reader = openSnapshotReader({ storage: from.path, environments: BOTH });
  const folder = join(to.path, 'pieces');
  const pieces = new PieceFolder({ folder, secret: undefined });
  await pieces.make();
  const write = (digest: string, bytes: Uint8Array) => pieces.write(digest, [bytes]);
  const manifest = await takeSnapshot(reader, { write });
  await restoreSnapshot(manifest, pieces, { storage: to.path, clock });
  return manifest;
}

async function commit(state: State, operations: readonly Operation[]): Promise<void> {
  await state.commit((batch) => putAll(batch, operations));
}

async function recordsFrom(primary: TemporaryFolder, log: CommitLog, from: number) {
  const durable = { get: () => log.lastSequence, onChange: () => () => undefined };
  const tail = await openLogTail({ folder: join(primary.path, 'log'), durable });
  const records: LogRecord[] = [];
  for await (const record of tail.read(from)) records.push(record);
  return records;
}

describe('a store that follows another', () => {
  test('is the same at every sequence, whatever is committed and however it comes over', async () => {
    const rounds = fc.array(
      fc.tuple(fc.array(anyCommit, { maxLength: 5 }), fc.nat(3), fc.boolean()),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(anyCommit, { maxLength: 4 }), rounds, async (before, all) => {
        await using primaryFolder = await temporaryFolder();
        await using replicaFolder = await temporaryFolder();
        await using primary = await openPrimary(primaryFolder);
        for (const operations of before) await commit(primary.state, operations);
        const { epoch, sequence } = await copy(primaryFolder, replicaFolder);
        let replica = await openReplica(replicaFolder, { epoch, after: sequence });
        try {
          for (const [commits, chunkSize, restarts] of all) {
            for (const operations of commits) await commit(primary.state, operations);
            // Begins with records that the replica has already, which it must skip.
            const from = Math.max(primary.log.firstSequence, replica.follower.sequence - 2);
            const records = await recordsFrom(primaryFolder, primary.log, from);
            for (let i = 0; i < records.length; i += chunkSize + 1) {
              await replica.follower.apply(records.slice(i, i + chunkSize + 1));
            }
            expect(replica.follower.sequence).toBe(primary.state.sequence);
            expect(await manifestOf(replicaFolder)).toEqual(await manifestOf(primaryFolder));
            if (!restarts) continue;
            await replica[Symbol.asyncDispose]();
            replica = await openReplica(replicaFolder);
          }
        } finally {
          await replica[Symbol.asyncDispose]();
        }
      }),
      { numRuns: 12 },
    );
  });

  test('goes on as a primary with all that is open, and with what its log has more', async () => {
    await using primaryFolder = await temporaryFolder();
    await using folder = await temporaryFolder();
    await using primary = await openPrimary(primaryFolder);
    const { epoch } = await copy(primaryFolder, folder);
    await using replica = await openReplica(folder, { epoch, after: 0 });
    await fc.assert(
      fc.asyncProperty(fc.array(anyCommit, { minLength: 1, maxLength: 4 }), async (commits) => {
        for (const operations of commits) await commit(primary.state, operations);
      }),
      { numRuns: 4 },
    );
    const records = await recordsFrom(primaryFolder, primary.log, 1);
    await replica.follower.apply(records.slice(0, 2));
    for (const { first, last, time, payload } of records.slice(2)) {
      await replica.log.append(last - first + 1, payload, time);
    }
    using reader = openSnapshotReader({ storage: folder.path, environments: BOTH });
    await using state = await replica.follower.lead(replica.log);
    expect(state.sequence).toBe(primary.state.sequence);
    const more = fc.sample(anyCommit, { numRuns: 3, seed: 5 });
    for (const operations of more) {
      await commit(primary.state, operations);
      await commit(state, operations);
    }
    reader.refresh();
    expect(await digestState(reader)).toEqual(await manifestOf(primaryFolder));
    expect(state.sequence).toBe(replica.log.lastSequence);
  });

  test('does not take over what leaves a gap', async () => {
    await using folder = await temporaryFolder();
    await using replica = await openReplica(folder);
    const record = { first: 2, last: 2, time: 1, payload: Uint8Array.of(0, 1, 1, 0, 7) };
    await expect(replica.follower.apply([record])).rejects.toThrow('begins at 2');
  });

  test('keeps the times at which the primary committed', async () => {
    await using folder = await temporaryFolder();
    await using replica = await openReplica(folder);
    const payload = Uint8Array.of(0, 1, 1, 0, 7);
    await replica.follower.apply([{ first: 1, last: 1, time: 1_234, payload }]);
    const records: LogRecord[] = [];
    for await (const record of replica.log.read(1)) records.push(record);
    expect(records).toMatchObject([{ first: 1, last: 1, time: 1_234 }]);
  });
});

describe('a promoted store', () => {
  function placeOf(folder: TemporaryFolder, faults: { removals?: number } = {}): LogPlace {
    return {
      open: (after) => openLog(folder, { after }),
      remove: async () => {
        await removeLog(join(folder.path, 'log'));
        if (faults.removals === 0) throw new Error('crashed');
      },
    };
  }

  async function replicaOf(primaryFolder: TemporaryFolder, folder: TemporaryFolder) {
    await using primary = await openPrimary(primaryFolder);
    await primary.state.commit((batch) => batch.put(0, Buffer.from('a'), Buffer.from('1')));
    const { epoch, sequence } = await copy(primaryFolder, folder);
    await primary.state.commit((batch) => batch.put(32, Buffer.from('b'), Buffer.from('2')));
    await using replica = await openReplica(folder, { epoch, after: sequence });
    await replica.follower.apply(await recordsFrom(primaryFolder, primary.log, sequence + 1));
    return epoch;
  }

  test.each([
    ['at once', {}],
    ['after a crash between the old log and the new one', { removals: 0 }],
  ])('goes on from where it was, in an epoch of its own, %s', async (_when, faults) => {
    await using primaryFolder = await temporaryFolder();
    await using folder = await temporaryFolder();
    const before = await replicaOf(primaryFolder, folder);
    const content = (await manifestOf(folder)).databases;
    const options = { storage: folder.path, clock };
    const first = promoteStore({ ...options, log: placeOf(folder, faults) });
    if ('removals' in faults) {
      await expect(first).rejects.toThrow('crashed');
      await promoteStore({ ...options, log: placeOf(folder) });
    } else {
      await first;
    }
    const after = await manifestOf(folder);
    expect(after).toMatchObject({ sequence: 2, databases: content });
    expect(after.epoch).not.toBe(before);
    await using primary = await openPrimary(folder);
    expect([primary.log.epoch, primary.log.firstSequence]).toEqual([after.epoch, 3]);
    await primary.state.commit((batch) => batch.put(0, Buffer.from('c'), Buffer.from('3')));
    expect(primary.state.sequence).toBe(3);
  });

  test('is not made with the log of another workspace', async () => {
    await using primaryFolder = await temporaryFolder();
    await using folder = await temporaryFolder();
    await replicaOf(primaryFolder, folder);
    await removeLog(join(folder.path, 'log'));
    {
      await using other = await openLog(folder);
      await other.append(5, new Uint8Array(0));
    }
    const promoted = promoteStore({ storage: folder.path, clock, log: placeOf(folder) });
    await expect(promoted).rejects.toMatchObject({ code: 'state_log_mismatch' });
  });
});
