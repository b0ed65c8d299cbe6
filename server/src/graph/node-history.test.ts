import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  NODE_HISTORY_CHANGES_MAX,
  NODE_HISTORY_CHANGE_BYTES_MAX,
  NODE_HISTORY_VALUE_BYTES_MAX,
} from '#base/limits.ts';
import { must } from '#base/assert.ts';
import { formatUid, keyedUid } from '#base/uid.ts';
import { DB } from '#store/databases.ts';
import type { KeyValueReader } from '#store/key-value.ts';
import { MemoryState } from '#store/memory-state.ts';
import { GraphWriter } from './graph-writer.ts';
import type { WriterOperation } from './operations.ts';
import type { NodeHistory, PastValue } from './reader.ts';
import { StateReader } from './state-reader.ts';
import { MODEL_SCHEMA } from './testing/graph-model.ts';
import { NodeVersions, type NodeContent } from './testing/node-versions.ts';
import { openTestGraph, TestClock, type TestGraph } from './testing/test-graph.ts';

const USER = formatUid(keyedUid('_User', 'ann'));

const key = fc.constantFrom('x', 'y');
const type = fc.constantFrom('A', 'B');
const text = fc.constantFrom(null, '', 'ü', 'abc', 'x'.repeat(NODE_HISTORY_VALUE_BYTES_MAX));
const write = fc
  .record({
    op: fc.constantFrom('addOrUpdate', 'tryAdd', 'update'),
    type,
    key,
    n: fc.option(fc.nat(3)),
    s: fc.option(text),
    aliases: fc.option(fc.constantFrom([], ['other']), { nil: undefined }),
    timestamp: fc.option(fc.nat(3), { nil: undefined }),
  })
  .map(({ n, s, timestamp, aliases, ...named }) => ({
    ...named,
    fields: { N: named.type === 'A' || n === null ? n : [n], ...(s === null ? {} : { S: s }) },
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(aliases === undefined ? {} : { aliases }),
  }));
const operation = fc.oneof(
  { weight: 9, arbitrary: write },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('delete'), type, key }) },
) as fc.Arbitrary<WriterOperation>;
const commits = fc.array(fc.array(operation, { minLength: 1, maxLength: 6 }), {
  minLength: 1,
  maxLength: 25,
});

/** All versions that a history can restore, newest first. */
function replayed({ present, changes }: NodeHistory): NodeContent[] {
  const values = new Map<string, PastValue>(present);
  const contents = [Object.fromEntries([...values].map(([name, { value }]) => [name, value]))];
  for (const { before } of changes) {
    for (const { field, value } of before) {
      if (value === undefined) values.delete(field);
      else values.set(field, value);
    }
    contents.push(Object.fromEntries([...values].map(([name, { value }]) => [name, value])));
  }
  return contents;
}

function entriesOf(state: KeyValueReader): number {
  let entries = 0;
  const range = { start: Buffer.alloc(1), end: Buffer.alloc(20, 0xff) };
  state.scan(DB.history, range, () => void entries++);
  return entries;
}

async function expectReplayed(
  writer: GraphWriter,
  reader: StateReader,
  state: KeyValueReader,
  drawn: readonly (readonly WriterOperation[])[],
): Promise<void> {
  await writer.commit({ operations: [], schema: MODEL_SCHEMA });
  const versions = new NodeVersions();
  const sequences: number[] = [];
  for (const operations of drawn) {
    const isTaken = versions.commit(operations, new TestClock().now());
    const done = await writer.commit({ operations, user: USER }).catch(() => undefined);
    expect(done !== undefined).toBe(isTaken);
    if (done !== undefined) sequences.push(done.sequence);
  }
  reader.refresh();
  let entries = 0;
  for (const [uid, contents] of versions.entries()) {
    const history = must(reader.history(must(reader.id({ uid }), uid)), 'a history');
    expect(replayed(history)).toEqual(contents.toReversed());
    expect(history.version).toBe(contents.length);
    entries += history.changes.length;
    for (const [i, change] of history.changes.entries()) {
      expect(change).toMatchObject({ version: history.version - i, user: USER });
      expect(change.sequence).toBeLessThanOrEqual(sequences.at(-1) ?? 0);
      const newer = history.changes[i - 1];
      if (newer !== undefined) expect(change.sequence).toBeLessThan(newer.sequence);
    }
  }
  // Deleted nodes leave no entries.
  expect(entriesOf(state)).toBe(entries);
}

describe('the history of nodes', () => {
  it('taken back from the present is each version that there was', async () => {
    await fc.assert(
      fc.asyncProperty(commits, async (drawn) => {
        await using graph = await openTestGraph();
        await expectReplayed(graph.writer, graph.reader, graph.snapshot, drawn);
      }),
      { numRuns: 50 },
    );
  });

  it('is the same in memory', async () => {
    await fc.assert(
      fc.asyncProperty(commits, async (drawn) => {
        const state = new MemoryState();
        const writer = new GraphWriter(state, new TestClock());
        await expectReplayed(writer, new StateReader(state, state), state, drawn);
      }),
      { numRuns: 100 },
    );
  });
});

async function openNotes(): Promise<TestGraph> {
  const graph = await openTestGraph();
  const fields = { S: 'String', T: 'String', U: 'String', V: 'String', W: 'String' } as const;
  await graph.addSchema({ nodes: [{ type: 'Note', fields: { ...fields, N: 'Int' } }] });
  return graph;
}

const change = (fields: Record<string, unknown>): WriterOperation => ({
  op: 'addOrUpdate',
  type: 'Note',
  key: 'k',
  fields,
});
const historyOf = ({ reader, idOf }: TestGraph): NodeHistory =>
  must(reader.history(idOf('Note', 'k')), 'a history');
const beforeOf = (graph: TestGraph) =>
  Object.fromEntries(
    (historyOf(graph).changes[0]?.before ?? []).map((one) => [one.field, one.value]),
  );

describe('a change of a node', () => {
  it('is told with its version, its time and whose it was', async () => {
    await using graph = await openNotes();
    await graph.write(change({ S: 'a' }));
    graph.clock.time = Date.UTC(2026, 1, 2);
    const { sequence } = await graph.writer.commit({
      operations: [change({ S: 'b', N: 1 })],
      user: USER,
    });
    await graph.write(change({ S: null }));
    expect(historyOf(graph)).toMatchObject({
      version: 3,
      changes: [
        { version: 3, user: null, before: [{ field: 'S', value: { value: 'b' } }] },
        {
          version: 2,
          user: USER,
          timestamp: '2026-02-02T00:00:00.000Z',
          before: [{ field: 'S', value: { value: 'a' } }, { field: 'N' }],
        },
      ],
    });
    const second = historyOf(graph).changes[1];
    expect(second?.sequence).toBeLessThanOrEqual(sequence);
    expect(second?.before[1]?.value).toBeUndefined();
  });

  it('costs one operation, and a new node none', async () => {
    await using graph = await openNotes();
    const sequenceOf = async (...operations: WriterOperation[]): Promise<number> =>
      (await graph.writer.commit({ operations })).sequence;
    const created = await sequenceOf(change({ S: 'a' }));
    expect(entriesOf(graph.snapshot)).toBe(0);
    expect(await sequenceOf(change({ S: 'b' }))).toBe(created + 2);
    // A write that changes nothing adds no entry.
    expect(await sequenceOf(change({ S: 'b' }))).toBe(created + 2);
  });

  it('of other names alone changes no field', async () => {
    await using graph = await openNotes();
    await graph.write(change({}), { ...change({}), aliases: ['other'] } as WriterOperation);
    expect(historyOf(graph)).toMatchObject({ version: 2, changes: [{ version: 2, before: [] }] });
  });

  it('reads as the type that its field has become', async () => {
    await using graph = await openNotes();
    await graph.write(change({ N: 1 }), change({ N: 2 }));
    await graph.addSchema({ nodes: [{ type: 'Note', fields: { N: 'Decimal', X: 'Bool' } }] });
    expect(beforeOf(graph)).toEqual({ N: { value: '1' } });
    await graph.write(change({ X: true }), change({ X: null }));
    expect(beforeOf(graph)).toEqual({ X: { value: true } });
  });

  it('of a node of a system type is not kept', async () => {
    await using graph = await openTestGraph();
    await graph.writer.addSystemSchema();
    const user = (name: string): WriterOperation => ({
      op: 'addOrUpdate',
      type: '_User',
      key: 'ann',
      fields: { FirstName: name },
    });
    await graph.writer.commit({ system: true, operations: [user('Ann'), user('Anna')] });
    graph.reader.refresh();
    expect(graph.reader.version(graph.idOf('_User', 'ann'))).toBe(2);
    expect(graph.reader.history(graph.idOf('_User', 'ann'))).toBeUndefined();
    expect(entriesOf(graph.snapshot)).toBe(0);
  });
});

describe('limits', () => {
  it('keep the newest changes of a node', async () => {
    await using graph = await openNotes();
    const changes = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => change({ N: from + i }));
    // The first version is not a change.
    await graph.write(...changes(0, NODE_HISTORY_CHANGES_MAX + 1));
    expect(historyOf(graph).changes.at(-1)).toMatchObject({ version: 2 });
    expect(historyOf(graph).changes).toHaveLength(NODE_HISTORY_CHANGES_MAX);
    await graph.write(...changes(NODE_HISTORY_CHANGES_MAX + 1, NODE_HISTORY_CHANGES_MAX + 8));
    expect(historyOf(graph).changes.at(-1)).toMatchObject({ version: 9 });
    expect(historyOf(graph).changes).toHaveLength(NODE_HISTORY_CHANGES_MAX);
    expect(entriesOf(graph.snapshot)).toBe(NODE_HISTORY_CHANGES_MAX);
    await graph.write({ op: 'delete', type: 'Note', key: 'k' });
    expect(entriesOf(graph.snapshot)).toBe(0);
  });

  it('tell the size alone of a value that is too large', async () => {
    await using graph = await openNotes();
    const max = NODE_HISTORY_VALUE_BYTES_MAX;
    for (const bytes of [max - 1, max, max + 1]) {
      const value = 'x'.repeat(bytes);
      await graph.write(change({ S: value }));
      const told = bytes > max ? { bytes } : { value };
      expect(historyOf(graph).present.get('S')).toEqual(told);
      await graph.write(change({ S: '' }));
      expect(beforeOf(graph)).toEqual({ S: told });
    }
  });

  it('tell the size alone of the values of one change that are too much together', async () => {
    await using graph = await openNotes();
    const part = NODE_HISTORY_VALUE_BYTES_MAX;
    expect(NODE_HISTORY_CHANGE_BYTES_MAX).toBe(4 * part);
    const value = 'x'.repeat(part);
    const full = { S: value, T: value, U: value, V: value };
    const empty = { S: '', T: '', U: '', V: '', W: '', N: 0 };
    await graph.write(change({ ...full, W: '', N: 1 }), change({ ...empty, W: 'w' }));
    expect(beforeOf(graph)).toEqual({
      ...Object.fromEntries(Object.keys(full).map((name) => [name, { value }])),
      W: { value: '' },
      N: { bytes: 4 },
    });
    await graph.write(change({ ...full, V: value.slice(1), W: 'w' }), change(empty));
    expect(beforeOf(graph)).toMatchObject({ V: { value: value.slice(1) }, W: { value: 'w' } });
  });
});
