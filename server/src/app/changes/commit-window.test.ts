import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CHANGES_KEPT_COMMITS_MAX } from '#base/change-limits.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { AppliedSequence } from '#log/applied-sequence.ts';
import { CommitWindow, type DecodedCommit } from './commit-window.ts';

let graph: TestGraph;
let applied: AppliedSequence;
beforeEach(async () => {
  graph = await openTestGraph();
  applied = new AppliedSequence();
  await graph.addSchema({ nodes: [{ type: 'Note', key: 'Name', fields: {} }] });
});
afterEach(() => graph[Symbol.asyncDispose]());

async function write(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await graph.write({ op: 'addOrUpdate', type: 'Note', key: `${graph.log.lastSequence}` });
  }
  applied.publish(graph.log.lastSequence, 1);
}

function open() {
  const read = vi.spyOn(graph.log, 'read');
  const registry = () => graph.reader.registry;
  return { read, commits: new CommitWindow({ log: graph.log, applied, registry }) };
}

async function all(commits: CommitWindow, after: number): Promise<DecodedCommit[]> {
  const found: DecodedCommit[] = [];
  for await (const commit of commits.read(after)) found.push(commit);
  return found;
}

it('reads and decodes each commit once for all who follow', async () => {
  const begin = graph.log.lastSequence;
  await write(5);
  const { read, commits } = open();
  const [one, other] = await Promise.all([all(commits, begin), all(commits, begin)]);
  expect(one).toHaveLength(5);
  expect(other.every((commit, i) => commit === one[i])).toBe(true);
  expect(other[3]?.changes).toBe(one[3]?.changes);
  expect(read).toHaveBeenCalledTimes(1);
  await write(2);
  const end = one.at(-1)?.last ?? 0;
  expect(await all(commits, end)).toHaveLength(2);
  expect(await all(commits, end)).toHaveLength(2);
  expect(read).toHaveBeenCalledTimes(2);
});

it('keeps a bounded number, and lets who lags behind read by themselves', async () => {
  const begin = graph.log.lastSequence;
  await write(CHANGES_KEPT_COMMITS_MAX + 10);
  const { commits } = open();
  const first = await all(commits, begin);
  expect(first).toHaveLength(CHANGES_KEPT_COMMITS_MAX + 10);
  const again = await all(commits, begin);
  expect(again.map(({ first: at }) => at)).toEqual(first.map(({ first: at }) => at));
  expect(again[0]).not.toBe(first[0]);
  expect(again.at(-1)).toBe(first.at(-1));
});

it('gives the whole of a commit that has a sequence in its middle', async () => {
  const begin = graph.log.lastSequence;
  await write(2);
  const { commits } = open();
  const [first] = await all(commits, begin);
  expect(first!.last).toBeGreaterThan(first!.first);
  expect((await all(commits, first!.first))[0]).toBe(first);
});
