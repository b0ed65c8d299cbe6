import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { open } from 'lmdb';
import { afterEach, expect, it, vi } from 'vitest';
import { createMemoryLog, createMemoryMedium } from '#log/memory-log.ts';
import { KEEP_ALL, TestClock } from '#log/testing/log-engine.ts';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { readGraphApplied } from '../applied.ts';
import { readSizes } from '../care/entry-counts.ts';
import type { State } from '../commit-pipeline.ts';
import { DB } from '../databases.ts';
import { MAP_BYTES, openEnvironments } from '../environment.ts';
import { LMDB_FILE } from '../lmdb-file/page-format.ts';
import { readStoreKeys } from '../master-key.ts';
import { openState } from '../state-writer.ts';
import { afterAnotherBoot } from '../testing/device-image.ts';
import { closeEnvironments } from '../write-transaction.ts';
import { SteadyEnvironment } from './steady-environment.ts';
import { STEADY_FILE, SteadyFile } from './steady-file.ts';
import type { SteadyRule } from './steady-points.ts';

afterEach(() => vi.restoreAllMocks());

const clock = new TestClock();
const SOON: SteadyRule = { delayMs: 1, bytesMax: 1_000_000 };
const NEVER: SteadyRule = { delayMs: 1_000_000, bytesMax: Infinity };

function newStore() {
  const medium = createMemoryMedium();
  const openIn = (storage: string, steadyRule: SteadyRule): Promise<State> => {
    const log = createMemoryLog({ clock, archive: KEEP_ALL, medium });
    return openState({ storage, clock, log, steadyRule });
  };
  return { openIn };
}

const KEY = Buffer.from('a key of a node');

function put(state: State, value: string, key = KEY): Promise<{ sequence: number }> {
  return state.commit((batch) => {
    batch.put(DB.nodes, key, Buffer.from(value));
    batch.put(DB.vault, key, Buffer.from(value));
  });
}

const valueIn = (state: State): string => String(Buffer.from(state.view.get(DB.nodes, KEY) ?? []));

/** What the environments show before the log is replayed. */
async function settledIn(storage: string): Promise<number> {
  const keys = readStoreKeys({ storage });
  const environments = openEnvironments({ storage, readOnly: false, ...keys });
  const { sequence } = readGraphApplied(environments.graph);
  await closeEnvironments(environments);
  return sequence;
}

/** Copies the store, which another machine then finds. */
function moveToAnotherMachine(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  for (const name of ['graph', 'vault']) {
    const path = join(to, name, STEADY_FILE);
    writeFileSync(path, afterAnotherBoot(readFileSync(path)));
  }
}

it('opens at the newest commit after it was closed, on another machine too', async () => {
  await using folder = await temporaryFolder();
  await using other = await temporaryFolder();
  const { openIn } = newStore();
  {
    await using state = await openIn(folder.path, NEVER);
    await put(state, 'one');
    await put(state, 'two');
  }
  moveToAnotherMachine(folder.path, other.path);
  expect(await settledIn(other.path)).toBe(4);
});

it('goes back to the last steady point on another machine, if it was not closed', async () => {
  await using folder = await temporaryFolder();
  await using other = await temporaryFolder();
  const { openIn } = newStore();
  await using state = await openIn(folder.path, SOON);
  await put(state, 'one');
  await expect.poll(() => state.flushedSequence).toBe(2);
  vi.spyOn(SteadyEnvironment.prototype, 'syncFile').mockReturnValue(new Promise(() => {}));
  await put(state, 'two');
  moveToAnotherMachine(folder.path, other.path);
  vi.restoreAllMocks();
  const { databases } = readSizes({ storage: other.path, masterKey: undefined });
  expect(databases.find(({ name }) => name === 'nodes')?.entries).toBe(1);
  expect(await settledIn(other.path)).toBe(2);
  await using again = await openIn(other.path, NEVER);
  expect(valueIn(again)).toBe('two');
  // The wait for the sync above never ends.
  Object.assign(state, { [Symbol.asyncDispose]: () => undefined });
});

it('keeps what an older version has written after the last steady point', async () => {
  await using folder = await temporaryFolder();
  await using other = await temporaryFolder();
  const { openIn } = newStore();
  await using state = await openIn(folder.path, SOON);
  await put(state, 'one');
  await expect.poll(() => state.flushedSequence).toBe(2);
  await put(state, 'two');
  moveToAnotherMachine(folder.path, other.path);
  const older = open({
    path: join(other.path, 'graph'),
    mapSize: MAP_BYTES.graph,
    maxDbs: 32,
    encoding: 'binary',
  });
  await older.openDB({ name: 'older', encoding: 'binary' }).put('a', Buffer.from('b'));
  await older.flushed;
  await older.close();
  expect(await settledIn(other.path)).toBe(4);
});

it('takes a store without the file as it is, and makes one', async () => {
  await using folder = await temporaryFolder();
  const { openIn } = newStore();
  {
    await using state = await openIn(folder.path, NEVER);
    await put(state, 'one');
  }
  const paths = ['graph', 'vault'].map((name) => join(folder.path, name, STEADY_FILE));
  for (const path of paths) rmSync(path);
  expect(await settledIn(folder.path)).toBe(2);
  for (const path of paths) expect(existsSync(path)).toBe(true);
});

it('takes no more commits once a sync has failed, keeps the log, and trusts no page after it', async () => {
  await using folder = await temporaryFolder();
  const { openIn } = newStore();
  const state = await openIn(folder.path, SOON);
  await put(state, 'one');
  await expect.poll(() => state.flushedSequence).toBe(2);
  const failure = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
  const sync = vi.spyOn(SteadyEnvironment.prototype, 'syncFile').mockRejectedValueOnce(failure);
  await put(state, 'two');
  await expect.poll(() => sync.mock.settledResults[0]?.type).toBe('rejected');
  const refusal = { code: 'storage_failed', message: expect.stringContaining('EIO') };
  await expect
    .poll(() => put(state, 'three').catch((error: unknown) => error))
    .toMatchObject(refusal);
  expect(state.flushedSequence).toBe(2);
  await expect(state[Symbol.asyncDispose]()).rejects.toMatchObject({ code: 'storage_failed' });
  // The machine has not gone down since, but the system may have dropped pages.
  expect(await settledIn(folder.path)).toBe(2);
  await using again = await openIn(folder.path, NEVER);
  expect(again.sequence).toBeGreaterThanOrEqual(4);
});

it('refuses commits while the steady file cannot be written, and goes on by itself', async () => {
  await using folder = await temporaryFolder();
  const { openIn } = newStore();
  await using state = await openIn(folder.path, SOON);
  const failure = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
  const write = vi.spyOn(SteadyFile.prototype, 'write').mockRejectedValue(failure);
  await put(state, 'one');
  const refusal = { code: 'storage_full' };
  await expect
    .poll(() => put(state, 'two').catch((error: unknown) => error))
    .toMatchObject(refusal);
  expect(state.flushedSequence).toBe(0);
  write.mockRestore();
  await expect.poll(() => state.flushedSequence).toBe(state.sequence);
  await put(state, 'three');
  expect(valueIn(state)).toBe('three');
});

it('uses the pages again that no steady point needs any more', async () => {
  await using folder = await temporaryFolder();
  const { openIn } = newStore();
  await using state = await openIn(folder.path, { delayMs: 1_000_000, bytesMax: 50_000 });
  const path = join(folder.path, 'graph', LMDB_FILE);
  const sizes: number[] = [];
  const value = 'x'.repeat(1_000);
  for (let round = 0; round < 20; round++) {
    const before = state.sequence;
    for (let i = 0; i < 50; i++) await put(state, value, Buffer.from(`key ${(i * 7) % 100}`));
    while (state.flushedSequence <= before) await nextTurn();
    sizes.push(statSync(path).size);
  }
  // Without that, each round would add 1 MB.
  expect(sizes.at(-1)! - sizes[4]!).toBeLessThan(2_000_000);
});
