import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryLog, createMemoryMedium } from '#log/memory-log.ts';
import { KEEP_ALL, KEEP_NONE, TestClock } from '#log/testing/log-engine.ts';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { DB } from './databases.ts';
import { openState } from './state-writer.ts';
import { Model, contentOf, putAll, utf8 } from './testing/operations.ts';
import type { Operation } from './testing/operations.ts';
import { createStorage } from './testing/storage.ts';
import type { TestStorage } from './testing/storage.ts';
import type { State } from './commit-pipeline.ts';

const KEY = Uint8Array.of(0, 1, 0, 0, 1, 1);

function put(state: State, key: Uint8Array, value: Uint8Array) {
  return state.commit((batch) => batch.put(DB.nodes, key, value));
}

function epochOf(storage: TestStorage): string {
  using reader = storage.openReader(['graph']);
  using held = reader.hold();
  return held.epoch;
}

it('replays what the log has and the state lacks, in both environments', async () => {
  await using live = await createStorage();
  const operations: Operation[] = Array.from({ length: 50 }, (_, i) => ({
    db: i % 3 === 0 ? DB.vault : DB.nodes,
    key: Uint8Array.of(0, 1, 0, 0, 1, i % 20),
    value: i % 7 === 0 ? undefined : Uint8Array.of(i),
  }));
  const medium = createMemoryMedium();
  const options = { clock: new TestClock(), archive: KEEP_ALL, medium };
  const log = createMemoryLog(options);
  const model = new Model();
  {
    await using state = await openState({ storage: live.path, log, clock: options.clock });
    for (const operation of operations) {
      model.apply([operation]);
      await state.commit((batch) => putAll(batch, [operation]));
    }
  }
  await using empty = await createStorage();
  await using rebuilt = await openState({ storage: empty.path, log, clock: options.clock });
  expect(rebuilt.sequence).toBe(50);
  expect(contentOf(rebuilt.view)).toEqual(model.content());
});

it('refuses a log that is not its own, or ends before it, or begins after it', async () => {
  await using storage = await createStorage();
  const clock = new TestClock();
  {
    await using state = await storage.openState();
    await put(state, KEY, utf8('one'));
    await put(state, KEY, utf8('two'));
  }
  const other = createMemoryLog({ clock, archive: KEEP_ALL });
  await other.append(2, new Uint8Array(0));
  const openWith = (log: typeof other) => openState({ storage: storage.path, log, clock });
  await expect(openWith(other)).rejects.toMatchObject({ code: 'state_log_mismatch' });

  const epoch = epochOf(storage);
  const shorter = createMemoryLog({ clock, archive: KEEP_ALL, medium: createMemoryMedium(epoch) });
  await shorter.append(1, new Uint8Array(0));
  await expect(openWith(shorter)).rejects.toMatchObject({ code: 'state_log_mismatch' });

  const later = createMemoryLog({
    clock,
    archive: KEEP_NONE,
    medium: createMemoryMedium(epoch),
    segmentBytesMax: 1,
  });
  for (let i = 0; i < 6; i++) await later.append(1, Uint8Array.of(0, 1, 1, 0, i));
  await later.trim(4);
  expect(later.firstSequence).toBeGreaterThan(3);
  await expect(openWith(later)).rejects.toMatchObject({ code: 'log_trimmed' });
});

/** Commits on a few keys of the graph, the vault, or both. */
const anyCommits = fc.array(
  fc.array(
    fc.record({
      db: fc.constantFrom(DB.nodes, DB.vault),
      key: fc.nat(5).map((last) => Uint8Array.of(0, 1, 0, 0, 1, last)),
      value: fc.option(fc.uint8Array({ maxLength: 3 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  { maxLength: 6 },
);

it('brings up an environment that a loss of power has taken back', async () => {
  const environment = fc.constantFrom('graph', 'vault');
  await fc.assert(
    fc.asyncProperty(anyCommits, anyCommits, environment, async (before, after, lost) => {
      await using storage = await createStorage();
      await using flushed = await temporaryFolder();
      const model = new Model();
      const commitAll = async (commits: readonly (readonly Operation[])[]) => {
        await using state = await storage.openState();
        for (const operations of commits) {
          model.apply(operations);
          await state.commit((batch) => putAll(batch, operations));
        }
      };
      await commitAll(before);
      const [folder, copy] = [join(storage.path, lost), join(flushed.path, lost)];
      await cp(folder, copy, { recursive: true });
      await commitAll(after);
      await rm(folder, { recursive: true });
      await cp(copy, folder, { recursive: true });
      await using state = await storage.openState();
      expect(contentOf(state.view)).toEqual(model.content());
      using reader = storage.openReader(['graph', 'vault']);
      expect(reader.sequence).toBe([...before, ...after].flat().length);
      expect(contentOf(reader)).toEqual(model.content());
    }),
    { numRuns: 30 },
  );
});
