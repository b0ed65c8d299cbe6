import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AppliedSequence } from '#log/applied-sequence.ts';
import { createMemoryLog } from '#log/memory-log.ts';
import { KEEP_ALL, TestClock } from '#log/testing/log-engine.ts';
import { DB } from './databases.ts';
import { Model, anyCommit, contentOf, hex, putAll, utf8 } from './testing/operations.ts';
import { createStorage } from './testing/storage.ts';
import type { State } from './commit-pipeline.ts';
import { openState } from './state-writer.ts';

const KEY = Uint8Array.of(0, 1, 0, 0, 1, 1);
const OTHER_KEY = Uint8Array.of(0, 1, 0, 0, 1, 2);

function put(state: State, key: Uint8Array, value: Uint8Array) {
  return state.commit((batch) => {
    batch.put(DB.nodes, key, value);
  });
}

/** The commits of one turn, whether each throws after it is built, and whether they are awaited. */
const anyTurn = fc.record({
  commits: fc.array(fc.record({ operations: anyCommit, throws: fc.boolean() }), { maxLength: 5 }),
  awaited: fc.boolean(),
  reopened: fc.boolean(),
});

it('is a map that changes commit by commit, seen alike by view and readers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyTurn, { minLength: 1, maxLength: 8 }), async (turns) => {
      await using storage = await createStorage();
      let state = await storage.openState();
      const model = new Model();
      let count = 0;
      const outcomes: Promise<unknown>[] = [];
      const expected: unknown[] = [];
      for (const { commits, awaited, reopened } of turns) {
        for (const { operations, throws } of commits) {
          const commit = state.commit((batch) => {
            putAll(batch, operations);
            if (throws) throw new Error('thought better of it');
            return operations.length;
          });
          outcomes.push(commit.catch((error: Error) => error.message));
          if (!throws) {
            model.apply(operations);
            count += operations.length;
          }
          const result = { result: operations.length, sequence: count };
          expected.push(throws ? 'thought better of it' : result);
          expect(contentOf(state.view)).toEqual(model.content());
        }
        if (awaited || reopened) {
          expect(await Promise.all(outcomes)).toEqual(expected);
          expect(state.sequence).toBe(count);
          using reader = storage.openReader(['graph', 'vault']);
          expect(reader.refresh()).toBe(count);
          expect(contentOf(reader)).toEqual(model.content());
        }
        if (reopened) {
          await state[Symbol.asyncDispose]();
          state = await storage.openState();
          expect(contentOf(state.view)).toEqual(model.content());
        }
      }
      expect(await Promise.all(outcomes)).toEqual(expected);
      await state[Symbol.asyncDispose]();
    }),
    { numRuns: 25 },
  );
});

it('shows a commit its own operations and those of commits in flight', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState();
  const increment = () =>
    state.commit((batch) => {
      const before = state.view.get(DB.meta, KEY)?.[0] ?? 0;
      batch.put(DB.meta, KEY, Uint8Array.of(before + 1));
      return state.view.get(DB.meta, KEY)![0];
    });
  const commits = await Promise.all(Array.from({ length: 100 }, increment));
  expect(commits.map(({ result }) => result)).toEqual(commits.map((_, i) => i + 1));
  expect(commits.map(({ sequence }) => sequence)).toEqual(commits.map((_, i) => i + 1));
});

it('answers a commit without operations with the newest sequence, after what it may have seen', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState();
  await expect(state.commit(() => 'empty')).resolves.toEqual({ result: 'empty', sequence: 0 });
  const first = put(state, KEY, Uint8Array.of(1));
  const seen = state.commit(() => state.view.has(DB.nodes, KEY));
  await expect(seen).resolves.toEqual({ result: true, sequence: 1 });
  await expect(first).resolves.toMatchObject({ sequence: 1 });
});

it('takes no operation after the construction, and no commit within one', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState();
  let late: (() => void) | undefined;
  await state.commit((batch) => {
    late = () => batch.delete(DB.nodes, KEY);
  });
  expect(late).toThrow(/after its construction/);
  const nested = state.commit(() => state.commit(() => undefined));
  await expect((await nested).result).rejects.toThrow(/within the construction/);
});

it('refuses what was built on a commit that the log refused, and goes on', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState({ capacityBytes: 1_000 });
  await put(state, KEY, utf8('kept'));
  const tooLarge = put(state, KEY, new Uint8Array(2_000));
  const onTop = put(state, OTHER_KEY, utf8('on top'));
  const empty = state.commit(() => state.view.get(DB.nodes, KEY)!.length);
  await expect(tooLarge).rejects.toMatchObject({ code: 'storage_full' });
  // The oldest commit is rejected first, and by then the view shows none of the others.
  expect(hex(state.view.get(DB.nodes, KEY)!)).toBe(hex(utf8('kept')));
  expect(state.view.has(DB.nodes, OTHER_KEY)).toBe(false);
  await expect(onTop).rejects.toMatchObject({ code: 'storage_full' });
  await expect(empty).rejects.toMatchObject({ code: 'storage_full' });
  await expect(put(state, KEY, utf8('next'))).resolves.toMatchObject({ sequence: 2 });
  using reader = storage.openReader(['graph']);
  expect(reader.refresh()).toBe(2);
  expect(hex(reader.get(DB.nodes, KEY)!)).toBe(hex(utf8('next')));
});

it('bounds what is in flight', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState();
  const value = new Uint8Array(8 * 1024 * 1024);
  const commits: Promise<unknown>[] = [];
  let isReady = true;
  for (let i = 0; i < 8; i++) {
    commits.push(put(state, Uint8Array.of(0, 1, 0, 0, 1, i), value));
    const ready = state.ready().then(() => (isReady = true));
    isReady = false;
    await Promise.resolve();
    expect(isReady).toBe(i < 7);
    if (i === 7) await ready;
  }
  await Promise.all(commits);
});

it('tells how far LMDB is flushed', async () => {
  await using storage = await createStorage();
  const log = createMemoryLog({ clock: new TestClock(), archive: KEEP_ALL });
  const { path } = storage;
  const steadyRule = { delayMs: 1, bytesMax: 1_000_000 };
  await using state = await openState({ storage: path, log, clock: new TestClock(), steadyRule });
  expect(state.flushedSequence).toBe(0);
  await put(state, KEY, utf8('one'));
  const { sequence } = await put(state, KEY, utf8('two'));
  // The last commit is flushed after it is acknowledged.
  await expect.poll(() => state.flushedSequence).toBe(sequence);
});

it('tells how far it is with every commit, whoever waits for the answer, and before that', async () => {
  await using storage = await createStorage();
  const applied = new AppliedSequence();
  await using state = await storage.openState({}, applied);
  expect(applied.get()).toBe(0);
  // Nobody waits for this commit, as when the client has disconnected.
  void put(state, KEY, utf8('one'));
  expect(await applied.reach(1, 60_000)).toBe(true);
  const { sequence } = await put(state, KEY, utf8('two'));
  expect(applied.get()).toBe(sequence);
  await state.commit(() => undefined);
  expect(applied.commits).toBe(2);
  await state[Symbol.asyncDispose]();
  const next = new AppliedSequence();
  await using _again = await storage.openState({}, next);
  expect(next.get()).toBe(sequence);
});
