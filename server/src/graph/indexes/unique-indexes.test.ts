import type { IndexDocument } from '@trellis/contract/shapes/schema-document.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INDEX_BUILD_NODES, INDEX_OFFENDERS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { IndexProgress, IndexWork, WriterOperation } from '../operations.ts';
import { runQuery } from '../query/run.ts';
import { finishIndexes, indexContent } from '../testing/index-content.ts';
import { GraphWriter } from '../graph-writer.ts';
import { openTestGraph, problemOf, type TestGraph } from '../testing/test-graph.ts';

let graph: TestGraph;

beforeEach(async () => {
  graph = await openTestGraph();
  await graph.addSchema({
    nodes: [
      {
        type: 'T',
        key: 'K',
        fields: { S: 'String', N: 'Int', L: 'String[]', M: 'Int', J: 'Json' },
      },
    ],
  });
});

afterEach(async () => {
  const { held, due } = indexContent(graph);
  expect(held).toEqual(due);
  await graph[Symbol.asyncDispose]();
});

const unique = (...fields: string[]): IndexDocument => ({ fields, unique: true });

function addIndexes(...indexes: readonly IndexDocument[]): Promise<void> {
  return graph.addSchema({ nodes: [{ type: 'T', fields: {}, indexes }] });
}

function put(key: string, fields: Record<string, unknown>, timestamp?: number): WriterOperation {
  const time = timestamp === undefined ? {} : { timestamp };
  return { op: 'addOrUpdate', type: 'T', key, fields, ...time };
}

const gone = (key: string): WriterOperation => ({ op: 'delete', type: 'T', key });

const uidOf = (key: string): string => graph.reader.uid(graph.idOf('T', key)) ?? '';

async function refusal(...operations: readonly WriterOperation[]): Promise<unknown> {
  const { code, details } = await problemOf(() => graph.write(...operations));
  expect(code).toBe('not_unique');
  graph.reader.refresh();
  return details;
}

function keys(): string {
  const query = {
    steps: [
      { op: 'startAt', type: 'T' },
      { op: 'sortBy', field: 'K' },
    ],
    end: { end: 'nodes', fields: [] },
  } as const;
  return (runQuery(graph.reader, query) as { Id: string }[]).map(({ Id }) => Id).join(' ');
}

async function work(indexWork: IndexWork): Promise<IndexProgress> {
  const { indexes } = await graph.writer.commit({ operations: [], system: true, indexWork });
  graph.reader.refresh();
  if (indexes === undefined) throw new Error('no answer of the work');
  return indexes;
}

const numberOf = (): number => graph.reader.indexes()[0]?.number ?? 0;

it('refuses after a restart what it refused before', async () => {
  await addIndexes(unique('S'));
  await finishIndexes(graph);
  await graph.write(put('a', { S: 'same' }));
  const restarted = new GraphWriter(graph.state, graph.clock, { hashesIndexes: false });
  const again = () => restarted.commit({ operations: [put('b', { S: 'same' })] });
  const fault = await again().then(
    () => undefined,
    ({ code }: Problem) => code,
  );
  expect(fault).toBe('not_unique');
});

describe('a unique index', () => {
  it('lets one of 64 writers have a value', async () => {
    await addIndexes(unique('S'));
    const writers = Array.from({ length: 64 }, (_, i) =>
      graph.writer.commit({ operations: [put(`k${i}`, { S: 'same' })] }),
    );
    const ends = await Promise.allSettled(writers);
    graph.reader.refresh();
    const refused = ends.filter((end) => end.status === 'rejected');
    expect(refused).toHaveLength(63);
    expect(
      refused.every(({ reason }) => reason instanceof Problem && reason.code === 'not_unique'),
    ).toBe(true);
    expect(graph.reader.countOfType('T')).toBe(1);
  });

  it('refuses a commit whole, and says which node has the value', async () => {
    await addIndexes(unique('S'));
    await graph.write(put('a', { S: 'x' }));
    const details = await refusal(put('b', { S: 'y' }), put('c', { S: 'x' }));
    expect(details).toEqual({ index: 1, type: 'T', field: 'S', value: 'x', uid: uidOf('a') });
    expect(keys()).toBe('a');
    await refusal(put('b', { S: 'y' }), put('c', { S: 'y' }));
    expect(keys()).toBe('a');
  });

  it('tells operations of one commit apart in their order', async () => {
    await addIndexes(unique('S'));
    await graph.write(put('a', { S: 'x' }), put('b', { S: 'y' }));
    await refusal(put('a', { S: 'y' }), put('b', { S: 'x' }));
    await graph.write(put('a', { S: null }), put('b', { S: 'x' }), put('a', { S: 'y' }));
    expect(graph.reader.field(graph.idOf('T', 'a'), 'S')).toBe('y');
    await graph.write(gone('a'), put('c', { S: 'y' }));
    await graph.write(put('d', { S: 'z' }), gone('d'), put('e', { S: 'z' }), gone('e'));
    await graph.write(gone('c'), put('c', { S: 'y' }), put('f', { S: 'z' }));
    expect(keys()).toBe('b c f');
    await refusal(put('g', { S: 'y' }));
  });

  it('is of each item of a list, and shows the one that another node has', async () => {
    await addIndexes({ field: 'L', unique: true });
    await graph.write(put('a', { L: ['x', 'y', 'x'] }), put('b', { L: [] }), put('c', { L: [] }));
    const details = await refusal(put('d', { L: ['v', 'y', 'w'] }));
    expect(details).toMatchObject({ field: 'L', value: 'y', uid: uidOf('a') });
    await graph.write(put('a', { L: ['x'] }), put('d', { L: ['v', 'y', 'w'] }));
    await refusal(put('a', { L: ['w'] }));
    await graph.write(put('d', { L: null }), put('a', { L: ['v', 'w', 'y'] }));
  });

  it('holds for values that are absent in none of its fields', async () => {
    await addIndexes(unique('S', 'N'));
    await graph.write(
      put('a', { S: 'x' }),
      put('b', { S: 'x' }),
      put('c', { N: 1 }),
      put('d', { N: 1 }),
    );
    await graph.write(put('e', { S: 'x', N: 1 }), put('f', { S: 'x', N: 2 }));
    const details = await refusal(put('a', { N: 1 }));
    expect(details).toMatchObject({ fields: ['S', 'N'], value: ['x', 1], uid: uidOf('e') });
    expect(details).not.toHaveProperty('field');
    await graph.write(put('e', { N: null }), put('a', { N: 1 }));
  });

  it('compares whole values, and shows as much of one as a problem repeats', async () => {
    await addIndexes(unique('S'), unique('J'));
    const stem = 'p'.repeat(64 * 1024);
    await graph.write(
      put('a', { S: `${stem}a` }),
      put('b', { S: `${stem}b` }),
      put('c', { S: '' }),
    );
    const details = await refusal(put('d', { S: `${stem}b` }));
    expect(details).toMatchObject({ uid: uidOf('b') });
    expect(JSON.stringify(details).length).toBeLessThan(2_000);
    await refusal(put('d', { S: '' }));
    await graph.write(put('a', { J: { x: stem, y: 1 } }));
    const ofJson = await refusal(put('b', { J: { y: 1, x: stem } }));
    expect(ofJson).toMatchObject({ field: 'J', uid: uidOf('a') });
    expect(JSON.stringify(ofJson).length).toBeLessThan(2_000);
  });

  it('takes long lists in a time that grows with them, not with their square', async () => {
    await addIndexes({ field: 'L', unique: true });
    const items = Array.from({ length: 30_000 }, (_, i) => `item ${i}`);
    await graph.write(put('a', { L: items }, 1));
    await graph.write(put('a', {}, 2));
    await graph.write(put('a', { L: [...items.slice(1), 'another'] }));
    await refusal(put('b', { L: ['another'] }));
    await graph.write(put('b', { L: ['item 0'] }), gone('a'));
  });

  it('goes on when its field is widened', async () => {
    await addIndexes(unique('N'));
    await graph.write(put('a', { N: 1 }));
    await graph.addSchema({ nodes: [{ type: 'T', fields: { N: 'Decimal' } }] });
    await refusal(put('b', { N: '1.00' }));
    await graph.addSchema({ nodes: [{ type: 'T', fields: { N: 'Decimal[]' } }] });
    await refusal(put('b', { N: ['2', '1.0'] }));
    await graph.write(put('b', { N: ['2', '1.01', '2.0'] }), put('a', { N: ['1.000', '1'] }));
  });

  it('does not mind a commit that fails after it was added', async () => {
    const failing = {
      operations: [put('x', { Unknown: 1 })],
      schema: { nodes: [{ type: 'T', fields: {}, indexes: [unique('S')] }], edges: [] },
    };
    await expect(graph.writer.commit(failing)).rejects.toThrow('no field');
    await addIndexes(unique('S'));
    await graph.write(put('a', { S: 'x' }));
    await refusal(put('b', { S: 'x' }));
  });
});

const NODES = INDEX_BUILD_NODES + 50;
/** Newest first is the order of a build: the last of these nodes is visited first. */
const many = (): WriterOperation[] =>
  Array.from({ length: NODES }, (_, i) => put(`k${i}`, { S: `s${i}` }, i));

describe('a unique index that is being built', () => {
  it('names the nodes whose values others have, and does not get ready', async () => {
    const shared = INDEX_OFFENDERS_MAX + 5;
    await graph.write(
      ...many(),
      ...Array.from({ length: shared }, (_, i) => put(`k${i}`, { S: `s${NODES - 1 - i}` })),
    );
    await addIndexes(unique('S'));
    const first = await work({ build: numberOf() });
    expect(first).toMatchObject({ count: INDEX_BUILD_NODES, isDone: false, offenders: [] });
    const second = await work({ build: numberOf() });
    expect(second.isDone).toBe(true);
    expect(second.offenders).toHaveLength(INDEX_OFFENDERS_MAX);
    expect(second.offenders.every((uid) => graph.reader.id({ uid }) !== undefined)).toBe(true);
    expect(graph.reader.indexes()[0]?.isReady).toBe(false);
    await graph.write(...Array.from({ length: shared }, (_, i) => put(`k${i}`, { S: `s${i}` })));
    await finishIndexes(graph);
    expect(graph.reader.indexes()).toMatchObject([{ isReady: true, entries: NODES }]);
  });

  it('sees what is written between its steps, wherever the nodes are', async () => {
    await graph.write(...many());
    await addIndexes(unique('S'));
    await work({ build: numberOf() });
    const [old, older, oldest, young] = ['k5', 'k4', 'k3', `k${NODES - 1}`];
    // Nodes that the build has not come to go where it has been; and the other way round.
    await graph.write(put(old, {}, NODES + 1), put(older, { S: 'other' }), put(young, {}, -5));
    await graph.write(gone(oldest), put('new', { S: 's3' }));
    await refusal(put('copy', { S: 's5' }));
    await refusal(put('copy', { S: 'other' }));
    await refusal(put('copy', { S: `s${NODES - 1}` }));
    await finishIndexes(graph);
    expect(graph.reader.indexes()).toMatchObject([{ isReady: true, entries: NODES }]);
    for (const S of ['s5', 's3', 'other', `s${NODES - 1}`, 's7']) await refusal(put('copy', { S }));
  });

  it('keeps lists together whose nodes go where it has been', async () => {
    const lists = Array.from({ length: NODES }, (_, i) =>
      put(`k${i}`, { L: [`a${i}`, `b${i}`] }, i),
    );
    await graph.write(...lists);
    await addIndexes({ field: 'L', unique: true });
    await work({ build: numberOf() });
    await graph.write(put('k2', { L: ['a2', 'c2'] }, NODES + 1), put('k1', { L: ['a1', 'c1'] }));
    await finishIndexes(graph);
    for (const item of ['a2', 'c2', 'a1', 'c1', 'a0', 'b0']) await refusal(put('x', { L: [item] }));
    await graph.write(put('x', { L: ['b2', 'b1'] }));
  });

  it('is as true when commits are under way at the same time', async () => {
    await graph.write(...many());
    await addIndexes(unique('S'), { field: 'N' });
    const numbers = graph.reader.indexes().map(({ number }) => number);
    const commits = Array.from({ length: 12 }, (_, i) => [
      ...numbers.map((build) =>
        graph.writer.commit({ operations: [], system: true, indexWork: { build } }),
      ),
      graph.writer.commit({
        operations: [
          put(`k${i}`, { N: i }, NODES + i),
          put(`k${NODES - 20 + i}`, { S: `t${i}` }, -i),
          gone(`k${i + 30}`),
          put(`n${i}`, { S: `s${i + 30}`, N: 1 }, i % 2 === 0 ? NODES * 2 : -20),
        ],
      }),
    ]).flat();
    await Promise.all(commits);
    await finishIndexes(graph);
    expect(graph.reader.indexes()).toMatchObject([
      { isReady: true, entries: NODES },
      { isReady: true, entries: 24 },
    ]);
    for (const S of ['s0', 's30', 't11', 's100']) await refusal(put('copy', { S }));
  });
});
