import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KeptEdge, MergeData } from './merge-record.ts';
import type { WriterOperation } from './operations.ts';
import { uidOf } from './testing/graph-of-words.ts';
import { contentWithoutVersions, expectDerived } from './testing/merged-people.ts';
import { openTestGraph, problemOf, type TestGraph } from './testing/test-graph.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];

let graph: TestGraph;

beforeEach(async () => {
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  await graph.addSchema({
    nodes: [{ type: 'Person', key: 'Name', fields: {} }],
    edges: [{ type: 'Knows', inverse: 'KnownBy', fields: { Since: 'Int' } }, { type: 'Likes' }],
  });
});
afterEach(() => graph[Symbol.asyncDispose]());

const ref = (key: string) => ({ type: 'Person', key });
const uid = (key: string) => uidOf('Person', key);

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly edge?: string;
  readonly since?: number;
}

function link({ from, to, edge = 'Knows', since }: Edge): WriterOperation {
  const fields = since === undefined || edge === 'Likes' ? {} : { fields: { Since: since } };
  return { op: 'link', from: ref(from), edge, to: ref(to), ...fields };
}

async function merge(id: string, into: string, node: string): Promise<void> {
  const work = { id, into: uid(into), node: uid(node) };
  await graph.writer.commit({ operations: [], system: true, merges: [work] });
  graph.reader.refresh();
}

async function split(id: string): Promise<void> {
  await graph.writer.commit({ operations: [], system: true, split: { id } });
  graph.reader.refresh();
}

const content = () => contentWithoutVersions(graph);

async function people(edges: readonly Edge[]): Promise<void> {
  await graph.write(
    ...KEYS.map((key) => ({ op: 'addOrUpdate', ...ref(key), fields: {} }) as const),
    ...edges.map(link),
  );
}

it.each([
  {
    edges: [
      { from: 'c', to: 'd', since: 1 },
      { from: 'a', to: 'b', since: 2 },
    ],
    merges: [
      ['a', 'c'],
      ['d', 'b'],
    ],
    order: ['m0', 'm1'],
  },
  {
    edges: [
      { from: 'e', to: 'c', since: 1 },
      { from: 'a', to: 'b', since: 2 },
    ],
    merges: [
      ['e', 'a'],
      ['c', 'b'],
    ],
    order: ['m0', 'm1'],
  },
])('gives each record its own of edges that were one: $edges', async ({ edges, merges, order }) => {
  await people(edges);
  const before = content();
  for (const [i, [into, node]] of merges.entries()) await merge(`m${i}`, into!, node!);
  for (const id of order) await split(id);
  expect(content()).toEqual(before);
  await expectDerived(graph);
});

it('gives back the graph of before, whatever was merged, and in whatever order it is split', async () => {
  const edge = (from: readonly string[], to: readonly string[]) =>
    fc.record({
      from: fc.constantFrom(...from),
      to: fc.constantFrom(...to),
      edge: fc.constantFrom('Knows', 'Likes'),
      since: fc.nat(3),
    });
  const across = edge(KEYS.slice(0, 3), KEYS.slice(3));
  const edges = fc.array(fc.oneof(across, across, edge(KEYS, KEYS)), {
    minLength: 3,
    maxLength: 10,
  });
  // Merges of both ends of edges are what the order matters for.
  const pair = (keys: readonly string[]) =>
    fc.record({ into: fc.constantFrom(...keys), node: fc.constantFrom(...keys) });
  const half = fc.oneof(pair(KEYS.slice(0, 3)), pair(KEYS.slice(3)));
  const any = fc.oneof(half, half, pair(KEYS));
  const merges = fc.array(any, { minLength: 2, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(edges, merges, fc.array(fc.nat(5)), async (links, wanted, order) => {
      await graph.write(...KEYS.map((one) => ({ op: 'delete', ...ref(one) }) as const));
      await people(links);
      const before = content();
      const left: string[] = [];
      for (const [i, { into, node }] of wanted.entries()) {
        if (graph.reader.id(ref(into)) === graph.reader.id(ref(node))) continue;
        await merge(`m${i}`, into, node);
        left.push(`m${i}`);
      }
      for (let i = 0; left.length > 0; i++) {
        let at = (order[i] ?? 0) % left.length;
        const isThere = () => graph.reader.id({ type: '_NodeMerge', key: left[at]! }) !== undefined;
        await problemOf(() => split(left[at]!)).catch(() => undefined);
        // The last merge of a node is split first.
        if (isThere()) {
          at = left.length - 1;
          await split(left[at]!);
        }
        left.splice(at, 1);
        await expectDerived(graph);
      }
      expect(content()).toEqual(before);
    }),
    { numRuns: 60 },
  );
});

it('splits a merge as the first ones were kept', async () => {
  await people([
    { from: 'a', to: 'b', since: 1 },
    { from: 'c', to: 'b', since: 2 },
    { from: 'c', to: 'd', since: 3 },
    { from: 'e', to: 'c', since: 4 },
    { from: 'e', to: 'a', since: 5 },
    { from: 'a', to: 'c', since: 6 },
    { from: 'c', to: 'c', since: 7 },
  ]);
  const before = content();
  await merge('m0', 'a', 'c');
  const record = { type: '_NodeMerge', key: 'm0' };
  const data = graph.reader.field(graph.reader.id(record) ?? 0, 'Data') as MergeData;
  const [gone, stayed] = [uid('c'), uid('a')];
  const isLike = (edge: KeptEdge) => (other: KeptEdge) =>
    other.edge === edge.edge &&
    (other.from === stayed || other.to === stayed) &&
    other.from === (edge.from === gone ? stayed : edge.from) &&
    other.to === (edge.to === gone ? stayed : edge.to);
  const edges = data.edges
    .filter(({ from, to }) => from === gone || to === gone)
    .map((one) => {
      const { edge, from, to } = one;
      const isOut = from === gone;
      const isBetween = [from, to].includes(stayed);
      const moved = !isBetween && !data.edges.some(isLike(one));
      return { isOut, edge, other: isOut ? to : from, record: one.record, moved };
    });
  // Each has its inverse: three that were like one of the other node, or between both; two alone.
  expect(Map.groupBy(edges, ({ moved }) => moved).get(true)).toHaveLength(4);
  expect(edges).toHaveLength(10);
  const fields = { Data: JSON.parse(JSON.stringify({ ...data, edges })) };
  await graph.writer.commit({ operations: [{ op: 'update', ...record, fields }], system: true });
  await split('m0');
  expect(content()).toEqual(before);
  await expectDerived(graph);
});
