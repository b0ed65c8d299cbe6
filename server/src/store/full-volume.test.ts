import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { CommitLog } from '#log/commit-log.ts';
import { createMemoryLog } from '#log/memory-log.ts';
import { openSegmentLog } from '#log/segment-log.ts';
import { KEEP_ALL, TestClock } from '#log/testing/log-engine.ts';
import { smallVolume, temporaryFolder, whyNoSmallVolume } from '#log/testing/temporary-folder.ts';
import { DB } from './databases.ts';
import { digestState } from './snapshot.ts';
import { openSnapshotReader } from './snapshot-reader.ts';
import { openState } from './state-writer.ts';
import { putCounter, readCounter, nextCount } from './testing/counter-commits.ts';
import type { State } from './commit-pipeline.ts';

const BOTH = ['graph', 'vault'] as const;
const clock = new TestClock();
/**
 * Another process may use up the room after the check. These tests are about what happens then, so
 * the check does nothing.
 */
const checkSpace = (): void => {};
const VALUE = new Uint8Array(50_000).fill(1);

function commitMore(state: State): Promise<unknown> {
  return state.commit((batch) => {
    const count = nextCount(state.view);
    putCounter(batch, count);
    batch.put(DB.meta, Buffer.from(`value ${count}`), VALUE);
  });
}

function enlarge(folder: string): void {
  execFileSync('mount', ['-o', 'remount,size=256m', folder]);
}

/** Commits one after another until one neither succeeds nor is refused. Returns that one. */
async function commitUntilStuck(state: State): Promise<{ readonly stuck: Promise<unknown> }> {
  for (;;) {
    const stuck = commitMore(state);
    const settled = stuck.then(() => 'settled');
    for (;;) {
      // While there is no room, new commits are refused.
      const probe = state.commit(() => undefined).catch(() => 'refused');
      const first = await Promise.race([settled, probe, nextTurn('in flight')]);
      if (first === 'refused') return { stuck };
      if (first === 'settled') break;
    }
  }
}

async function manifestOf(storage: string) {
  using reader = openSnapshotReader({ storage, environments: BOTH });
  return await digestState(reader);
}

/** The manifest of the state that is made from the log alone. */
async function manifestFrom(log: CommitLog) {
  await using folder = await temporaryFolder();
  await using _state = await openState({ storage: folder.path, log, clock });
  return await manifestOf(folder.path);
}

it.skipIf(whyNoSmallVolume())(
  'holds on to a durable commit while the state has no room, reads on, and carries it out later',
  async () => {
    await using volume = await smallVolume(2 * 1024 * 1024);
    const log = createMemoryLog({ clock, archive: KEEP_ALL });
    await using state = await openState({ storage: volume.path, log, clock, checkSpace });
    using reader = openSnapshotReader({ storage: volume.path, environments: BOTH });
    const { stuck } = await commitUntilStuck(state);
    const sequence = reader.refresh();
    const shown = readCounter(reader, true);
    expect(shown).toBeGreaterThan(3);
    expect(state.sequence).toBe(sequence);
    expect(log.lastSequence).toBeGreaterThan(sequence);
    await expect(commitMore(state)).rejects.toMatchObject({ code: 'storage_full' });
    await state.ready();
    expect(readCounter(reader, true)).toBe(shown);
    enlarge(volume.path);
    await stuck;
    reader.refresh();
    expect(readCounter(reader, true)).toBe(shown + 1);
    await commitMore(state);
    expect(await manifestOf(volume.path)).toEqual(await manifestFrom(log));
  },
);

it.skipIf(whyNoSmallVolume())(
  'can be closed while the state has no room, and carries the commit out at the next start',
  async () => {
    await using volume = await smallVolume(2 * 1024 * 1024);
    const log = createMemoryLog({ clock, archive: KEEP_ALL });
    const options = { storage: volume.path, log, clock, checkSpace };
    {
      await using state = await openState(options);
      const { stuck } = await commitUntilStuck(state);
      const [refusal] = await Promise.all([
        stuck.catch((problem: unknown) => problem),
        state[Symbol.asyncDispose](),
      ]);
      expect(refusal).toMatchObject({
        code: 'storage_full',
        message: expect.stringContaining('may be in the log already'),
      });
    }
    enlarge(volume.path);
    await using state = await openState(options);
    expect(state.sequence).toBe(log.lastSequence);
    expect(await manifestOf(volume.path)).toEqual(await manifestFrom(log));
  },
);

it.skipIf(whyNoSmallVolume())(
  'loses nothing acknowledged and keeps nothing refused when log and state share the full volume',
  async () => {
    await using volume = await smallVolume(3 * 1024 * 1024);
    await using log = await openSegmentLog({
      folder: join(volume.path, 'log'),
      clock,
      archive: KEEP_ALL,
    });
    await using state = await openState({ storage: volume.path, log, clock, checkSpace });
    const outcomes: string[] = [];
    const commitOne = async () => {
      try {
        await commitMore(state);
        outcomes.push('acknowledged');
      } catch (problem) {
        expect(problem).toMatchObject({ code: 'storage_full' });
        outcomes.push('refused');
      }
    };
    const commits: Promise<unknown>[] = [];
    for (;;) {
      commits.push(commitOne(), commitOne(), commitOne());
      await nextTurn();
      if (outcomes.filter((outcome) => outcome === 'refused').length >= 20) break;
    }
    enlarge(volume.path);
    await Promise.all(commits);
    await commitMore(state);
    const acknowledged = outcomes.filter((outcome) => outcome === 'acknowledged').length;
    using reader = openSnapshotReader({ storage: volume.path, environments: BOTH });
    expect(readCounter(reader, true)).toBe(acknowledged + 1);
    expect(acknowledged).toBeGreaterThan(0);
    expect(await manifestOf(volume.path)).toEqual(await manifestFrom(log));
  },
);

it.skipIf(whyNoSmallVolume())(
  'refuses a commit before it is in the log when room is short',
  async () => {
    await using volume = await smallVolume(16 * 1024 * 1024);
    const log = createMemoryLog({ clock, archive: KEEP_ALL });
    await using state = await openState({ storage: volume.path, log, clock });
    const fill = async (): Promise<void> => {
      for (;;) await commitMore(state);
    };
    await expect(fill()).rejects.toMatchObject({ code: 'storage_full' });
    expect(log.lastSequence).toBe(state.sequence);
    enlarge(volume.path);
    await commitMore(state);
    expect(await manifestOf(volume.path)).toEqual(await manifestFrom(log));
  },
);
