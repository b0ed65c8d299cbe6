import { AppliedSequence } from '#log/applied-sequence.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CommitLooks } from './commit-looks.ts';
import { tellOfSchema } from './view-notices.ts';

let graph: TestGraph;
beforeEach(async () => {
  graph = await openTestGraph();
});
afterEach(() => graph[Symbol.asyncDispose]());

/** Commits, without moving the reader; resolves when all who look have looked. */
async function commit(sequence: AppliedSequence, type: string): Promise<void> {
  const schema = { nodes: [{ type, key: 'Key', fields: {} }], edges: [] };
  await graph.writer.commit({ operations: [], schema });
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = sequence.onChange(() => resolve());
  sequence.publish(sequence.get() + 1, 1);
  await promise;
  stop();
}

it('moves the reader once for all who look, and not for those who do not want to', async () => {
  const sequence = new AppliedSequence();
  using looks = new CommitLooks(graph.reader, sequence);
  const seen: string[] = [];
  const look = (name: string) => () => {
    seen.push(`${name} ${graph.reader.schema().nodes.length}`);
  };
  let isWanted = false;
  const refresh = vi.spyOn(graph.reader, 'refresh');
  using _first = looks.add({ look: look('first'), isWanted: () => isWanted });
  const second = looks.add({ look: look('second'), isWanted: () => isWanted });
  await commit(sequence, 'A');
  expect([refresh.mock.calls.length, seen]).toEqual([0, []]);
  isWanted = true;
  await commit(sequence, 'B');
  expect([refresh.mock.calls.length, seen]).toEqual([1, ['first 2', 'second 2']]);
  second[Symbol.dispose]();
  await commit(sequence, 'C');
  expect([refresh.mock.calls.length, seen.at(-1)]).toEqual([2, 'first 3']);
});

it('tells pages of the schema, also of what changed before they were there', async () => {
  const sequence = new AppliedSequence();
  using looks = new CommitLooks(graph.reader, sequence);
  let hasListeners = false;
  const told: unknown[] = [];
  using _pages = tellOfSchema(looks, {
    hasListeners: () => hasListeners,
    broadcast: (message) => told.push(message),
  });
  await commit(sequence, 'A');
  expect(told).toEqual([]);
  hasListeners = true;
  sequence.publish(sequence.get() + 1, 1);
  await expect.poll(() => told).toEqual([{ type: 'VIEW_CHANGED', view: 'schema' }]);
});
