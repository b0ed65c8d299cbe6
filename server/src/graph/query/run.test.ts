import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EdgeObject, NodeObject, Visibility } from '../reader.ts';
import { NaiveQuery } from '../testing/naive-query.ts';
import { plainUid } from '../testing/plain-graph.ts';
import type { Hidden, PlainEdge, PlainGraph } from '../testing/plain-graph.ts';
import { openTestGraph } from '../testing/test-graph.ts';
import type { TestGraph } from '../testing/test-graph.ts';
import type { Comparison, Query, QueryEnd, QueryStep } from './plan.ts';
import { runQuery } from './run.ts';
import type { GraphPath } from './shortest-paths.ts';

let graph: TestGraph;

beforeAll(async () => {
  graph = await openTestGraph();
  await graph.addSchema({
    nodes: [
      { type: 'P', key: 'K', fields: { N: 'Int', S: 'String', T: 'String[]', G: 'GeoPoint' } },
      { type: 'Q', fields: { N: 'Long', S: 'String' } },
    ],
    edges: [{ type: 'E0' }, { type: 'E1' }, { type: 'E2' }],
  });
});

afterAll(() => graph[Symbol.asyncDispose]());

const NODES_MAX = 14;
const place = fc.nat(NODES_MAX - 1);
const text = fc.constantFrom('', 'a', 'ab', 'b', 'ba');
const number = fc.integer({ min: -1, max: 2 });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const compact = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** So that a place tells the UID. */
const typeAt = (i: number): 'P' | 'Q' => (i % 3 === 2 ? 'Q' : 'P');

const plainGraph: fc.Arbitrary<PlainGraph> = fc
  .record({
    nodes: fc.array(
      fc.record({
        timestamp: fc.nat(4),
        fields: fc.record({
          N: optional(number),
          S: optional(text),
          T: optional(fc.array(text, { minLength: 1, maxLength: 3 })),
          G: optional(fc.integer({ min: -4, max: 4 }).map((lon) => ({ lat: 0, lon }))),
        }),
      }),
      { minLength: 5, maxLength: NODES_MAX, size: 'max' },
    ),
    edges: fc.array(
      fc.record({ from: place, edge: fc.constantFrom('E0', 'E1', 'E2'), to: place }),
      { minLength: 8, maxLength: 30, size: 'max' },
    ),
  })
  .map(({ nodes, edges }) => ({
    nodes: nodes.map(({ fields: { T, G, ...fields }, timestamp }, i) => ({
      type: typeAt(i),
      key: `k${i}`,
      timestamp,
      fields: compact(typeAt(i) === 'P' ? { ...fields, T, G } : fields),
    })),
    edges: distinctEdges(
      edges.map(({ from, edge: name, to }) => ({
        from: from % nodes.length,
        edge: name,
        to: to % nodes.length,
      })),
    ),
  }));

function distinctEdges(edges: readonly PlainEdge[]): PlainEdge[] {
  return [...new Map(edges.map((edge) => [JSON.stringify(edge), edge])).values()];
}

const type = fc.constantFrom('P', 'Q');
const edge = fc.constantFrom('E0', 'E1', 'E2');
const key = place.map((i) => `k${i}`);
const uid = place.map((i) => plainUid({ type: typeAt(i), key: `k${i}`, timestamp: 0, fields: {} }));
const ordered: fc.Arbitrary<Comparison> = fc.constantFrom('=', '!=', '<', '<=', '>', '>=');
const ofText: fc.Arbitrary<Comparison> = fc.oneof(
  ordered,
  fc.constantFrom<Comparison>('contains', 'startsWith', 'endsWith'),
);
const condition = fc.oneof(
  fc.record({ field: fc.constant('N'), compare: ordered, value: number }),
  fc.record({ field: fc.constantFrom('S', 'Id'), compare: ofText, value: text }),
  fc.record({ field: fc.constant('Id'), compare: ordered, value: key }),
  fc.record({ field: fc.constant('Type'), compare: ordered, value: type }),
  fc.record({ field: fc.constant('UID'), compare: ordered, value: uid }),
  fc.record({
    field: fc.constant('Timestamp'),
    compare: ordered,
    value: fc.nat(4).map((ms) => new Date(ms).toISOString()),
  }),
  fc.record({
    field: fc.constantFrom('N'),
    compare: fc.constant<Comparison>('in'),
    value: fc.array(number),
  }),
  fc.record({
    field: fc.constantFrom('S', 'Id'),
    compare: fc.constant<Comparison>('in'),
    value: fc.uniqueArray(fc.oneof(text, key)),
  }),
  fc.record({
    field: fc.constantFrom('N', 'S', 'Id'),
    compare: fc.constant<Comparison>('exists'),
    value: optional(fc.boolean()),
  }),
);
/** Conditions on what only one type has. */
const conditionOfP = fc.oneof(
  condition,
  fc.record({ field: fc.constant('T'), compare: ofText, value: text }),
  fc.record({ field: fc.constant('K'), compare: ordered, value: key }),
  fc.record({
    field: fc.constant('K'),
    compare: fc.constant<Comparison>('in'),
    value: fc.uniqueArray(key),
  }),
);
const field = fc.constantFrom('N', 'S', 'T', 'Id', 'K', 'Type', 'Timestamp', 'UID');
const direction = optional(fc.constantFrom('asc' as const, 'desc' as const));

const start: fc.Arbitrary<QueryStep> = fc.oneof(
  fc.record({ op: fc.constant('startAt'), type, keys: optional(fc.array(key)) }),
  fc.record({ op: fc.constant('startAtUids'), uids: fc.array(uid, { maxLength: 6 }) }),
  conditionOfP.map((some) => ({ op: 'startWhere' as const, type: 'P', ...some })),
  condition.map((some) => ({ op: 'startWhere' as const, type: 'Q', ...some })),
  fc.record({
    op: fc.constant('startNear'),
    type: fc.constant('P'),
    field: fc.constant('G'),
    point: fc.integer({ min: -4, max: 4 }).map((lon) => ({ lat: 0, lon })),
    km: fc.constantFrom(0, 120, 250),
  }),
) as fc.Arbitrary<QueryStep>;

const { steps } = fc.letrec<{ step: QueryStep; steps: QueryStep[] }>((tie) => ({
  step: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.record({ op: fc.constantFrom('out', 'in'), type: optional(type), edge: optional(edge) }),
    fc.record({
      op: fc.constant('outMany'),
      hops: fc.integer({ min: 1, max: 4 }),
      types: optional(fc.uniqueArray(type)),
      edges: optional(fc.uniqueArray(edge)),
    }),
    fc.oneof(conditionOfP, condition).map((some) => ({ op: 'where' as const, ...some })),
    fc.record({ op: fc.constant('whereTime'), from: optional(fc.nat(4)), to: optional(fc.nat(4)) }),
    fc.record({ op: fc.constant('isRelatedTo'), uid, edge: optional(edge) }),
    fc.record({ op: fc.constantFrom('union', 'except', 'intersect'), steps: tie('steps') }),
    fc.record({ op: fc.constant('sortBy'), field, direction }),
    fc.record({ op: fc.constantFrom('sortByTimestamp', 'sortByConnectivity'), direction }),
    fc.record({ op: fc.constantFrom('skip', 'take'), count: fc.nat(6) }),
    fc.constant({ op: 'distinct' as const }),
  ) as fc.Arbitrary<QueryStep>,
  steps: fc
    .tuple(start, fc.array(tie('step'), { maxLength: 4 }))
    .map(([first, rest]) => [first, ...rest]),
}));

const oneWay = optional(fc.constantFrom('out', 'in'));
const path = {
  to: uid,
  maxHops: optional(fc.integer({ min: 1, max: 5 })),
  edges: optional(fc.uniqueArray(edge, { minLength: 1 })),
  direction: optional(fc.constantFrom('out', 'in', 'both')),
};

const end: fc.Arbitrary<QueryEnd> = fc.oneof(
  fc.record({ end: fc.constant('nodes'), fields: optional(fc.uniqueArray(field)) }),
  fc.record({ end: fc.constantFrom('uids', 'count', 'scored', 'summary') }),
  fc.record({ end: fc.constant('neighborsSummary'), direction: oneWay }),
  fc.record({
    end: fc.constant('edges'),
    edge: optional(edge),
    direction: oneWay,
    skip: optional(fc.nat(4)),
    take: optional(fc.nat(4)),
  }),
  fc.record({ end: fc.constant('groupBy'), field }),
  fc.record({ end: fc.constant('shortestPath'), ...path }),
  fc.record({ end: fc.constant('shortestPaths'), ...path, take: fc.integer({ min: 1, max: 6 }) }),
) as fc.Arbitrary<QueryEnd>;

const query: fc.Arbitrary<Query> = fc
  .record({ steps, end, userAt: optional(fc.nat(5)) })
  .map(({ steps: all, end: last, userAt }) =>
    compact({
      steps: userAt === undefined ? all : all.toSpliced(userAt, 0, { op: 'asUser' }),
      end: last,
    }),
  );

const hidden: fc.Arbitrary<Hidden> = fc.record({
  nodes: fc.array(place, { maxLength: 5 }).map((places) => new Set(places)),
  field: fc.constantFrom('S', 'N', 'T', 'G', 'Id', 'K'),
  types: fc.subarray(['P', 'Q']),
  edge: optional(edge),
});

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

/** What a naive answer does not say: times of edges, and which of several shortest paths. */
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

it('answers every query as a naive reading of it does, for everyone', async () => {
  await fc.assert(
    fc.asyncProperty(
      plainGraph,
      hidden,
      fc.array(query, { minLength: 15, maxLength: 15 }),
      async (plain, unseen, queries) => {
        await replaceGraph(plain);
        const visibility = visibilityOf(plain, unseen);
        for (const asked of queries) {
          const isLimited = JSON.stringify(asked).includes('asUser');
          const expected = new NaiveQuery(plain, isLimited ? unseen : undefined).run(asked);
          const answer = runQuery(graph.reader, asked, { visibility });
          expect(comparable(answer, asked, plain), JSON.stringify(asked)).toEqual(expected);
          expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
        }
      },
    ),
    { numRuns: 250 },
  );
});
