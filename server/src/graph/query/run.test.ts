import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { EdgeObject, Visibility } from '../reader.ts';
import { likeness, NaiveQuery } from '../testing/naive-query.ts';
import { plainUid } from '../testing/plain-graph.ts';
import type { Hidden, PlainGraph } from '../testing/plain-graph.ts';
import { hidden, plainGraph, query } from '../testing/random-queries.ts';
import { finishIndexes, indexContent } from '../testing/index-content.ts';
import { openTestGraph } from '../testing/test-graph.ts';
import type { TestGraph } from '../testing/test-graph.ts';
import { BLOCK_IDS } from '../rows/row-block.ts';
import { RowPacker } from '../rows/row-packer.ts';
import type { Query } from './plan.ts';
import type { FindSimilar } from './query-context.ts';
import { runQuery } from './run.ts';
import type { GraphPath } from './shortest-paths.ts';
import type { Explanation } from './trace.ts';

/** Every kind of index that the types take. */
const INDEXES_OF_P = [
  { field: 'N' },
  { field: 'S' },
  { field: 'T' },
  { field: 'G' },
  { field: 'K', unique: true },
  { field: 'Timestamp' },
  { fields: ['N', 'S'] },
  { fields: ['S', 'Timestamp'] },
];
const INDEXES_OF_Q = [{ field: 'N' }, { fields: ['S', 'N'] }, { field: 'Id' }];

type Indexing = 'none' | 'written' | 'built' | 'hashed' | 'packed';

let graph: TestGraph;

afterEach(() => graph[Symbol.asyncDispose]());

async function open(indexing: Indexing): Promise<void> {
  graph = await openTestGraph({ hashesIndexes: indexing === 'hashed' });
  await graph.addSchema({
    nodes: [
      { type: 'P', key: 'K', fields: { N: 'Int', S: 'String', T: 'String[]', G: 'GeoPoint' } },
      { type: 'Q', fields: { N: 'Long', S: 'String' } },
    ],
    edges: [{ type: 'E0' }, { type: 'E1' }, { type: 'E2' }],
  });
  if (indexing === 'written' || indexing === 'hashed') await addIndexes();
}

function addIndexes(): Promise<void> {
  return graph.addSchema({
    nodes: [
      { type: 'P', fields: {}, indexes: INDEXES_OF_P },
      { type: 'Q', fields: {}, indexes: INDEXES_OF_Q },
    ],
  });
}

/** Takes all indexes away and builds them over the nodes that there are. */
async function buildAgain(): Promise<void> {
  for (const { number } of graph.reader.indexes()) {
    await graph.writer.commit({ operations: [], system: true, indexWork: { remove: number } });
  }
  await addIndexes();
  await finishIndexes(graph);
}

/** Uses up ids until the newest nodes are in a whole block, and packs all. */
async function packRows(): Promise<void> {
  const { reader, writer, state } = graph;
  const spare = BLOCK_IDS - (Math.max(reader.nextId, 1) % BLOCK_IDS);
  const keys = Array.from({ length: spare }, (_, i) => `spare${i}`);
  await writer.commit({
    operations: [
      ...keys.map((key) => ({ op: 'addOrUpdate' as const, type: 'Q', key, fields: {} })),
      ...keys.map((key) => ({ op: 'delete' as const, type: 'Q', key })),
    ],
  });
  await new RowPacker(state.local).pack();
  reader.refresh();
  expect(reader.packedRows()?.packedIds).toBe(reader.nextId);
}

async function replaceGraph({ nodes, edges }: PlainGraph): Promise<void> {
  const { reader, writer } = graph;
  const old = ['P', 'Q'].flatMap((name) => reader.idsOfType(name));
  await writer.commit({
    operations: [
      ...old.map((id) => ({ op: 'delete' as const, uid: reader.uid(id) ?? '' })),
      ...nodes.map((node) => ({ op: 'addOrUpdate' as const, ...node })),
      ...edges.map(({ from, edge: name, to }) => ({
        op: 'link' as const,
        from: { uid: plainUid(nodes[from]!) },
        edge: name,
        to: { uid: plainUid(nodes[to]!) },
      })),
    ],
  });
  reader.refresh();
}

function visibilityOf(
  { nodes }: PlainGraph,
  { nodes: unseen, field: withheld, types: withheldIn, edge: hiddenEdge }: Hidden,
): Visibility {
  const ids = new Set(
    [...unseen].flatMap((i) => nodes[i] ?? []).map(({ type: t, key: k }) => graph.idOf(t, k)),
  );
  return {
    canSee: (id) => !ids.has(id),
    hiddenOfType: (name) => [...ids].filter((id) => graph.reader.typeOf(id) === name).length,
    mayHideOfType: (name) => [...ids].some((id) => graph.reader.typeOf(id) === name),
    sightOf: () => [...ids, withheld, ...withheldIn].join(),
    canSeeEdge: (name) => name !== hiddenEdge,
    withholdsFields: (name) => withheldIn.includes(name),
    canReadField: (id, name) =>
      name !== withheld || !withheldIn.includes(graph.reader.typeOf(id) ?? ''),
    canReadFieldOfType: (ofType, name) => name !== withheld || !withheldIn.includes(ofType),
    present(id, node) {
      if (ids.has(id)) throw new Error('a hidden node was to be shown');
      if (!withheldIn.includes(node.Type)) return node;
      const { [withheld]: _, ...shown } = node;
      return shown as NodeObject;
    },
  };
}

/** As `search` finds them, by the numbers N in place of vectors. */
const findSimilar: FindSimilar = ({ types, count, similarityMin = -1, ...wanted }, visibility) => {
  const { reader } = graph;
  const valueOf = (id: number) =>
    visibility?.canReadField(id, 'N') === false ? NaN : Number(reader.field(id, 'N'));
  const sought =
    'ids' in wanted ? wanted.ids.map(valueOf) : Object.values(wanted.vectors).map(Number);
  return (types ?? ['P', 'Q'])
    .flatMap((name) => reader.idsOfType(name))
    .filter((id) => visibility?.canSee(id) !== false)
    .filter((id) => !('ids' in wanted && wanted.ids.includes(id)))
    .map((id) => ({ id, score: likeness(sought, valueOf(id)) }))
    .filter(({ score }) => score >= similarityMin)
    .toSorted((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, count);
};

/**
 * What a naive answer does not say: times of edges, scores, and which of several shortest paths.
 */
function comparable(answer: unknown, asked: Query, plain: PlainGraph): unknown {
  if (asked.end.end === 'edges') {
    return (answer as EdgeObject[]).map(({ type: name, from, to }) => ({ type: name, from, to }));
  }
  if (asked.end.end === 'shortestPaths') {
    const paths = answer as GraphPath[];
    const ways = paths.map(({ nodes }) => nodes.map(({ UID }) => UID).join(' '));
    expect(new Set(ways).size).toBe(ways.length);
    return paths.map((each) => hopsOf(each, plain));
  }
  if (asked.end.end === 'scored') {
    return (answer as { node: unknown }[]).map(({ node }) => ({ node, score: 1 }));
  }
  if (asked.end.end !== 'shortestPath' || answer === null) return answer;
  return hopsOf(answer as GraphPath, plain);
}

function hopsOf({ nodes, edges }: GraphPath, plain: PlainGraph): number {
  expect(nodes).toHaveLength(edges.length + 1);
  edges.forEach(({ type: name, from, to }, i) => {
    const ends = [nodes[i]!.UID, nodes[i + 1]!.UID];
    expect(ends.toSorted()).toEqual([from, to].toSorted());
    const isThere = plain.edges.some(
      (each) =>
        each.edge === name &&
        plainUid(plain.nodes[each.from]!) === from &&
        plainUid(plain.nodes[each.to]!) === to,
    );
    expect(isThere).toBe(true);
  });
  return edges.length;
}

it.each<readonly [Indexing, number]>([
  ['none', 250],
  ['written', 250],
  ['built', 20],
  ['hashed', 100],
  ['packed', 150],
])(
  'answers every query as a naive reading of it does, for everyone; indexes: %s',
  async (indexing, numRuns) => {
    await open(indexing);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        plainGraph,
        hidden,
        fc.array(query, { minLength: 15, maxLength: 15 }),
        async (plain, unseen, queries) => {
          if (indexing === 'packed') await packRows();
          await replaceGraph(plain);
          // Every other time what was packed is out of date.
          if (indexing === 'packed' && run++ % 2 === 0) await packRows();
          if (indexing === 'built') await buildAgain();
          const { held, due } = indexContent(graph);
          expect(held).toEqual(due);
          expect(graph.reader.indexes().every(({ isReady }) => isReady)).toBe(true);
          const visibility = visibilityOf(plain, unseen);
          for (const asked of queries) {
            const isLimited = JSON.stringify(asked).includes('asUser');
            const expected = new NaiveQuery(plain, isLimited ? unseen : undefined).run(asked);
            const answer = runQuery(graph.reader, asked, { visibility, findSimilar });
            expect(comparable(answer, asked, plain), JSON.stringify(asked)).toEqual(expected);
            expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
            const explained = { ...asked, end: { end: 'explain' as const } };
            const counted = { ...asked, end: { end: 'count' as const } };
            const options = { visibility, findSimilar };
            const { steps } = runQuery(graph.reader, explained, options) as Explanation;
            expect(steps.at(-1)?.rowsOut).toBe(runQuery(graph.reader, counted, options));
          }
        },
      ),
      { numRuns },
    );
  },
);
