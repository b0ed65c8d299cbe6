import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { SCALAR_TYPES } from '@trellis/contract/field-types.ts';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import { scale, seed } from '../../../../test/support/scale.ts';
import type { ScalarType } from '../field-types.ts';
import type { Visibility } from '../reader.ts';
import { edgeValues } from '../testing/edge-values.ts';
import { finishIndexes } from '../testing/index-content.ts';
import { openTestGraph, type TestGraph } from '../testing/test-graph.ts';
import type { Query, QueryEnd, QueryStep } from './plan.ts';
import { runQuery } from './run.ts';
import type { Explanation } from './trace.ts';

/** More than a look-up reads at once. */
const NODES = 24;
const FIELDS = Object.fromEntries(
  SCALAR_TYPES.flatMap((scalar) => [
    [`A${scalar}`, scalar],
    [`Some${scalar}`, `${scalar}[]` as const],
  ]),
);
const INDEXES = Object.keys(FIELDS).map((field) => ({ field }));
const ENDS: readonly QueryEnd[] = [
  { end: 'nodes' },
  { end: 'uids' },
  { end: 'count' },
  { end: 'summary' },
  { end: 'nodes', fields: ['AInt'] },
];

const graphs: TestGraph[] = [];

afterEach(async () => {
  for (const graph of graphs.splice(0)) await graph[Symbol.asyncDispose]();
});

async function open(isIndexed: boolean, hashesIndexes = false): Promise<TestGraph> {
  const graph = await openTestGraph({ hashesIndexes });
  graphs.push(graph);
  await graph.addSchema({
    nodes: [{ type: 'T', key: 'K', fields: FIELDS, ...(isIndexed ? { indexes: INDEXES } : {}) }],
  });
  return graph;
}

const scalars = fc.constantFrom(...SCALAR_TYPES);

const scenario = scalars.chain((scalar) =>
  fc.record({
    scalar: fc.constant(scalar),
    isList: fc.boolean(),
    // Few values, so that many nodes have the same.
    pool: fc.array(edgeValues[scalar], { minLength: 1, maxLength: 4 }),
    places: fc.array(fc.nat(3), { minLength: NODES, maxLength: NODES }),
    times: fc.array(fc.nat(3), { minLength: NODES, maxLength: NODES }),
    others: fc.array(
      scalars.chain((other) => edgeValues[other]),
      { maxLength: 3 },
    ),
    isHidden: fc.boolean(),
    isWithheld: fc.boolean(),
  }),
);

function writeAll(
  graph: TestGraph,
  field: string,
  valueAt: (i: number) => unknown,
  times: readonly number[],
): Promise<void> {
  const none = Object.fromEntries(Object.keys(FIELDS).map((name) => [name, null]));
  return graph.write(
    ...times.map((timestamp, i) => ({
      op: 'addOrUpdate' as const,
      type: 'T',
      key: `k${i}`,
      timestamp,
      fields: { ...none, [field]: valueAt(i) },
    })),
  );
}

function visibilityOf(graph: TestGraph, hidden: readonly string[], withheld: string): Visibility {
  const ids = new Set(hidden.map((key) => graph.idOf('T', key)));
  return {
    canSee: (id) => !ids.has(id),
    hiddenOfType: () => ids.size,
    mayHideOfType: () => ids.size > 0,
    sightOf: () => [...ids, withheld].join(),
    canSeeEdge: () => true,
    withholdsFields: () => withheld !== '',
    canReadField: (_, name) => name !== withheld,
    canReadFieldOfType: (_, name) => name !== withheld,
    present(id, node) {
      if (ids.has(id)) throw new Error('a hidden node was to be shown');
      const shown = Object.entries(node).filter(([name]) => name !== withheld);
      return Object.fromEntries(shown) as NodeObject;
    },
  };
}

function answer(graph: TestGraph, query: Query, visibility: Visibility): unknown {
  try {
    return runQuery(graph.reader, query, { visibility });
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

it('answers one value of a field as a scan does, for everyone', async () => {
  const [plain, ...others] = [await open(false), await open(true), await open(true, true)];
  let found = 0;
  await fc.assert(
    fc.asyncProperty(scenario, async (drawn) => {
      const { scalar, isList, pool, places, times } = drawn;
      const field = `${isList ? 'Some' : 'A'}${scalar}`;
      const valueAt = (i: number): unknown => {
        const value = pool[(places[i] ?? 0) % (pool.length + 1)];
        if (value === undefined) return null;
        return isList ? [value, pool[0], value] : value;
      };
      for (const graph of graphs) await writeAll(graph, field, valueAt, times);
      const hidden = drawn.isHidden ? ['k0', 'k7', 'k8'] : [];
      for (const value of [...pool, ...drawn.others, NaN, null, undefined]) {
        const start: QueryStep = { op: 'startWhere', type: 'T', field, compare: '=', value };
        for (const end of ENDS) {
          for (const rest of [[], [{ op: 'asUser' }], [{ op: 'take', count: 2 }]] as const) {
            const query: Query = { steps: [start, ...rest], end };
            const sight = visibilityOf(plain, hidden, drawn.isWithheld ? field : '');
            const expected = answer(plain, query, sight);
            if (Array.isArray(expected)) found = Math.max(found, expected.length);
            for (const graph of others) {
              const own = visibilityOf(graph, hidden, drawn.isWithheld ? field : '');
              expect(answer(graph, query, own), JSON.stringify(query)).toEqual(expected);
            }
          }
        }
      }
    }),
    { numRuns: scale({ sample: 40, soak: 2_000 }), seed: seed(), endOnFailure: true },
  );
  expect(found).toBeGreaterThan(16);
});

it.each<[string, ScalarType, unknown, unknown]>([
  ['0 by -0', 'Int', 0, -0],
  ['-0 by 0', 'Double', -0, 0],
  ['2^53 by its digits', 'Double', 2 ** 53, '9007199254740992'],
  ['2^53 + 1', 'Long', '9007199254740993', '9007199254740993'],
  ['1.50 by 1.5', 'Decimal', '1.50', 1.5],
  ['an empty text', 'String', '', ''],
  ['a lone surrogate by what it is stored as', 'String', '\ud800', '\ufffd'],
  ['a text of 64 KB', 'String', 'p'.repeat(65_536), 'p'.repeat(65_536)],
])('finds %s', async (_, scalar, stored, operand) => {
  const graph = await open(true);
  const field = `A${scalar}`;
  await writeAll(graph, field, (i) => (i === 3 ? stored : null), [0, 1, 2, 3]);
  const start: QueryStep = { op: 'startWhere', type: 'T', field, compare: '=', value: operand };
  const nodes = runQuery(graph.reader, { steps: [start], end: { end: 'nodes' } });
  expect(nodes).toMatchObject([{ Id: 'k3' }]);
});

it('goes by the schema of the moment: an index that is added, built, removed, and added again', async () => {
  const graph = await open(false);
  await writeAll(graph, 'AInt', (i) => i % 3, [0, 1, 2, 3, 4, 5, 6]);
  const start: QueryStep = { op: 'startWhere', type: 'T', field: 'AInt', compare: '=', value: 1 };
  const expectAccess = (access: string): void => {
    graph.reader.refresh();
    const nodes = runQuery(graph.reader, { steps: [start], end: { end: 'nodes' } });
    expect(nodes).toMatchObject([{ Id: 'k4' }, { Id: 'k1' }]);
    const { steps } = runQuery(graph.reader, {
      steps: [start],
      end: { end: 'explain' },
    }) as Explanation;
    const rowsRead = access === 'index' ? 2 : 7;
    expect(steps).toMatchObject([{ access, rowsRead, rowsOut: 2 }]);
  };
  expectAccess('scan');
  for (let round = 0; round < 2; round++) {
    await graph.addSchema({ nodes: [{ type: 'T', fields: {}, indexes: [{ field: 'AInt' }] }] });
    // It is being built.
    expectAccess('scan');
    await finishIndexes(graph);
    expectAccess('index');
    await graph.addSchema({ nodes: [{ type: 'T', fields: { [`NEW${round}`]: 'Int' } }] });
    expectAccess('index');
    const remove = graph.reader.indexes().find(({ fields }) => fields[0] === 'AInt')?.number ?? 0;
    await graph.writer.commit({ operations: [], system: true, indexWork: { remove } });
    expectAccess('scan');
    await finishIndexes(graph);
    expectAccess('scan');
  }
});
