import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryLog, createMemoryMedium } from '#log/memory-log.ts';
import { digestState } from '#store/snapshot.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { openState } from '#store/state-writer.ts';
import type { State } from '#store/commit-pipeline.ts';
import { ACCESS_EDGES } from './access-edges.ts';
import { AccessJournal, readAccessChanges } from './access-journal.ts';
import { GraphWriter } from './graph-writer.ts';
import type { CommitRequest, WriterOperation } from './operations.ts';
import type { AccessChange } from './reader.ts';
import { StateReader } from './state-reader.ts';
import { openTestGraph, TestClock } from './testing/test-graph.ts';

const NODES = [
  ...['w0', 'w1', 'w2'].map((key) => ({ type: 'Word', key })),
  ...['t0', 't1', 't2'].map((key) => ({ type: '_AccessGroup', key })),
  ...['u0', 'u1'].map((key) => ({ type: '_User', key })),
];

const node = fc.constantFrom(...NODES);
const edge = fc.constantFrom(...ACCESS_EDGES, '_HasMember', '_OwnedBy', 'Means');
const operation = fc.oneof(
  fc.record({ op: fc.constant('link'), from: node, edge, to: node }),
  fc.record({ op: fc.constant('unlink'), from: node, edge, to: node }),
  fc.record({
    op: fc.constant('unlinkExcept'),
    from: node,
    edge,
    keep: fc.array(node, { maxLength: 2 }),
  }),
  fc.record({ op: fc.constant('unrestrict'), node }),
  node.map((one) => ({ op: 'addOrUpdate', ...one })),
  // Some of these are refused; then the whole commit is refused.
  node.map((one) => ({ op: 'delete', ...one })),
  fc.record({ op: fc.constant('restrict'), node, team: node }),
) as fc.Arbitrary<WriterOperation>;

/** Commits that are built directly one after the other, before any of them is in the log. */
const burst = fc.array(
  fc.record({
    operations: fc.array(operation, { maxLength: 5 }),
    vault: fc.constantFrom([], [{ key: 'v', value: null }]),
  }),
  { minLength: 1, maxLength: 4 },
);

const setUp: CommitRequest = {
  operations: NODES.map((one) => ({ op: 'addOrUpdate', ...one })),
  schema: { nodes: [{ type: 'Word', fields: {} }], edges: [{ type: 'Means' }] },
  system: true,
};

/** All access edges of the graph, as text. */
function edgesIn(reader: StateReader): Set<string> {
  const found = new Set<string>();
  for (const { type } of reader.schema().nodes) {
    for (const from of reader.idsOfType(type)) {
      for (const name of ACCESS_EDGES) {
        for (const to of reader.neighbors(from, 'out', name)) {
          found.add(JSON.stringify({ edge: name, from, to }));
        }
      }
    }
  }
  return found;
}

/** Brings edges that were read at an earlier commit up to the commit of the reader. */
function replay(reader: StateReader, known: Set<string>, changes: readonly AccessChange[]) {
  const replayed = new Set(known);
  for (const { edge: name, from, to } of changes) {
    const text = JSON.stringify({ edge: name, from, to });
    if (reader.neighbors(from, 'out', name).includes(to)) replayed.add(text);
    else replayed.delete(text);
  }
  return replayed;
}

async function withFolder(work: (storage: string) => Promise<void>): Promise<void> {
  const storage = await mkdtemp(join(tmpdir(), 'trellis-journal-'));
  try {
    await work(storage);
  } finally {
    await rm(storage, { recursive: true, force: true });
  }
}

function openLog(medium = createMemoryMedium()) {
  return createMemoryLog({
    clock: new TestClock(),
    archive: { ttlMs: Infinity, bytesMax: Infinity },
    medium,
  });
}

it('tells between any two commits what changed, and is rebuilt from the log as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(burst, { maxLength: 6 }), async (bursts) => {
      await withFolder((live) =>
        withFolder(async (empty) => {
          const clock = new TestClock();
          const log = openLog();
          {
            await using state = await openState({ storage: live, log, clock });
            const writer = new GraphWriter(state, clock);
            await writer.addSystemSchema();
            await writer.commit(setUp);
            const snapshot = openSnapshotReader({ storage: live, environments: ['graph'] });
            using reader = new StateReader(snapshot, snapshot);
            const seen = [{ sequence: reader.refresh(), edges: edgesIn(reader) }];
            const told: (readonly AccessChange[])[] = [];
            for (const requests of bursts) {
              await Promise.allSettled(
                requests.map((request) => writer.commit({ ...request, system: true })),
              );
              const before = seen.at(-1)!.sequence;
              const sequence = reader.refresh();
              told.push(reader.accessChangesSince(before) ?? []);
              seen.push({ sequence, edges: edgesIn(reader) });
              seen.forEach((earlier, i) => {
                const changes = reader.accessChangesSince(earlier.sequence) ?? [];
                expect(changes).toEqual(told.slice(i).flat());
                expect(replay(reader, earlier.edges, changes)).toEqual(edgesIn(reader));
              });
              expect(reader.accessChangesSince(sequence)).toEqual([]);
            }
          }
          await using rebuilt = await openState({ storage: empty, log, clock });
          using original = openSnapshotReader({ storage: live, environments: ['graph'] });
          using copy = openSnapshotReader({ storage: empty, environments: ['graph'] });
          expect(rebuilt.sequence).toBe(original.sequence);
          expect(await digestState(copy)).toEqual(await digestState(original));
        }),
      );
    }),
    { numRuns: 40 },
  );
});

it('holds nothing for commits that touch no access edge', async () => {
  await using graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  await graph.writer.commit(setUp);
  const link: WriterOperation = { op: 'link', from: NODES[0]!, edge: 'Means', to: NODES[1]! };
  const { sequence } = await graph.writer.commit({ operations: [link] });
  // The commit has three operations: in two databases, and on the count of the type. The journal
  // gets none.
  const again = await graph.writer.commit({ operations: [{ ...link, op: 'unlink' }] });
  expect(again.sequence).toBe(sequence + 3);
  graph.reader.refresh();
  expect(graph.reader.accessChangesSince(0)).toEqual([]);
});

const MAX = 200;

function addEdges(state: State, count: number): Promise<{ sequence: number }> {
  return state.commit((batch) => {
    const journal = new AccessJournal(state.view, batch, MAX);
    for (let i = 0; i < count; i++) journal.add(i % ACCESS_EDGES.length, i, 2 ** 40 - 1 - i);
    journal.finish();
  });
}

it('keeps the newest entries only, and says when it no longer knows', async () => {
  await using graph = await openTestGraph();
  const { state } = graph;
  const changesSince = (sequence: number) =>
    readAccessChanges(state.view, sequence, state.sequence);
  const sequences: number[] = [0];
  for (let commit = 0; commit < 30; commit++) {
    sequences.push((await addEdges(state, 20)).sequence);
    const kept = sequences.map(changesSince).filter((changes) => changes !== undefined);
    const longest = kept[0]?.length ?? 0;
    expect(longest).toBeLessThanOrEqual(MAX);
    // All entries; or as many as there is room for, less one commit and the part that is trimmed at
    // once.
    expect(longest).toBeGreaterThanOrEqual(Math.min((commit + 1) * 20, MAX - 20 - MAX / 100));
    expect(kept.map(({ length }) => length)).toEqual(
      kept.map((_, i) => (kept.length - 1 - i) * 20),
    );
  }
  expect(changesSince(0)).toBeUndefined();
  expect(changesSince(sequences.at(-2)!)?.slice(0, 2)).toEqual([
    { edge: 'RestrictAccessToTeam', from: 0, to: 2 ** 40 - 1 },
    { edge: 'RestrictAccessToUser', from: 1, to: 2 ** 40 - 2 },
  ]);
  // One commit with more entries than there is room for.
  await addEdges(state, MAX * 3);
  expect(changesSince(sequences.at(-1)!)).toBeUndefined();
  expect(changesSince(state.sequence)).toEqual([]);
});
