import fc from 'fast-check';
import type { Comparison, Query, QueryEnd, QueryStep } from '../query/plan.ts';
import { plainUid } from './plain-graph.ts';
import type { Hidden, PlainEdge, PlainGraph } from './plain-graph.ts';

const NODES_MAX = 14;
const place = fc.nat(NODES_MAX - 1);
const text = fc.constantFrom('', 'a', 'ab', 'b', 'ba');
const number = fc.integer({ min: -1, max: 2 });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const compact = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** The type follows from the index, so that the index is enough to know the UID. */
const typeAt = (i: number): 'P' | 'Q' => (i % 3 === 2 ? 'Q' : 'P');

/** A graph of the types P and Q, whose schema is that of run.test.ts. */
export const plainGraph: fc.Arbitrary<PlainGraph> = fc
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
/** Conditions on fields that only one type has. */
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

const similarity = {
  count: optional(fc.integer({ min: 1, max: 4 })),
  types: optional(fc.uniqueArray(type)),
  similarityMin: optional(fc.constantFrom(0.4, 1)),
};

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
  fc.record({
    op: fc.constant('startAtVectors'),
    vectors: number.map((value) => ({ m: String(value) })),
    ...similarity,
  }),
  fc.record({
    op: fc.constant('startAtSimilar'),
    uids: fc.array(uid, { maxLength: 3 }),
    ...similarity,
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
    fc.record({
      op: fc.constant('after'),
      timestamp: fc.nat(4),
      uids: fc.array(uid, { maxLength: 2 }),
    }),
    fc.record({ op: fc.constant('isRelatedTo'), uid, edge: optional(edge) }),
    fc.record({ op: fc.constantFrom('union', 'except', 'intersect'), steps: tie('steps') }),
    fc.record({ op: fc.constant('sortBy'), field, direction }),
    fc.record({ op: fc.constantFrom('sortByTimestamp', 'sortByConnectivity'), direction }),
    fc.record({ op: fc.constantFrom('skip', 'take'), count: fc.nat(6) }),
    fc.constant({ op: 'distinct' as const }),
    fc.record({ op: fc.constant('similar'), ...similarity }),
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

/** Any query of such a graph. */
export const query: fc.Arbitrary<Query> = fc
  .record({ steps, end, userAt: optional(fc.nat(5)) })
  .map(({ steps: all, end: last, userAt }) =>
    compact({
      steps: userAt === undefined ? all : all.toSpliced(userAt, 0, { op: 'asUser' }),
      end: last,
    }),
  );

/** What a reader may not see of such a graph. */
export const hidden: fc.Arbitrary<Hidden> = fc.record({
  nodes: fc.array(place, { maxLength: 5 }).map((places) => new Set(places)),
  field: fc.constantFrom('S', 'N', 'T', 'G', 'Id', 'K'),
  types: fc.subarray(['P', 'Q']),
  edge: optional(edge),
});
