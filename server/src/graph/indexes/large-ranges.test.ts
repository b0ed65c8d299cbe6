import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INDEX_TEXT_BYTES_MAX } from '#base/limits.ts';
import type { IndexDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { WriterOperation } from '../operations.ts';
import type { QueryEnd, QueryStep } from '../query/plan.ts';
import { runQuery } from '../query/run.ts';
import type { Visibility } from '../reader.ts';
import { finishIndexes, indexContent } from '../testing/index-content.ts';
import { openTestGraph, type TestGraph } from '../testing/test-graph.ts';

/** More than are read of a range at once, and than one commit builds. */
const NODES = 5_200;
const STEM = 'p'.repeat(INDEX_TEXT_BYTES_MAX);
const LATE = Date.UTC(6_500, 0, 1);

const FIELDS = { N: 'Int', S: 'String', D: 'Decimal', O: 'Int', L: 'Int[]', B: 'Bool' } as const;
const INDEXES: readonly IndexDocument[] = [
  { field: 'N' },
  { field: 'S' },
  { field: 'D' },
  { field: 'L' },
  { field: 'B' },
  { fields: ['N', 'O'] },
  { fields: ['S', 'O', 'D'] },
  { fields: ['B', 'Timestamp'] },
];

function node(i: number): WriterOperation {
  const fields = {
    N: i % 10 < 9 ? 1 : i,
    S: i % 5 < 3 ? `${STEM}${(i * 7) % 11}` : String(i % 13),
    D: i % 4 === 0 ? null : `0.1000000000000000000000000000${(i * 3) % 7}`,
    O: i % 3 === 0 ? null : i % 100,
    L: [i % 2, i % 3, i % 4],
    B: i % 1_000 === 0,
  };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  return {
    op: 'addOrUpdate',
    type: 'T',
    key: `k${i}`,
    timestamp: i % 6 < 5 ? 7 : i,
    fields: given,
  };
}

let plain: TestGraph;
let indexed: TestGraph;

beforeAll(async () => {
  plain = await openTestGraph();
  indexed = await openTestGraph();
  const nodes = Array.from({ length: NODES }, (_, i) => node(i));
  for (const graph of [plain, indexed]) {
    await graph.addSchema({ nodes: [{ type: 'T', key: 'K', fields: FIELDS }] });
    await graph.write(...nodes);
  }
  await indexed.addSchema({ nodes: [{ type: 'T', fields: {}, indexes: INDEXES }] });
  await finishIndexes(indexed);
});

afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await indexed[Symbol.asyncDispose]();
});

const start: QueryStep = { op: 'startAt', type: 'T' };
const where = (field: string, compare: '=' | '>' | '<=' | 'in', value: unknown): QueryStep => ({
  op: 'where',
  field,
  compare,
  value,
});
const CONDITIONS: readonly (readonly QueryStep[])[] = [
  [],
  [where('N', '=', 1)],
  [where('N', '>', 1), where('B', '=', false)],
  [where('S', '=', `${STEM}3`)],
  [where('S', '>', STEM)],
  [where('S', '<=', `${STEM}3`), { op: 'whereTime', from: 8 }],
  [where('D', '>', '0.10000000000000000000000000003')],
  [where('D', 'in', ['0.10000000000000000000000000003', '0.10000000000000000000000000005'])],
  [where('L', '=', 1), where('N', '=', 1)],
  [where('L', '>', 1)],
  [where('B', '=', false)],
  [where('B', '=', true), { op: 'whereTime', to: 7 }],
];
const ORDERS: readonly (readonly QueryStep[])[] = [
  [],
  ...(['N', 'S', 'D', 'O', 'L', 'Timestamp'] as const).flatMap((field) =>
    (['asc', 'desc'] as const).map((direction) => [{ op: 'sortBy' as const, field, direction }]),
  ),
  [{ op: 'sortByTimestamp', direction: 'asc' }],
];
const ENDS: readonly QueryEnd[] = [
  { end: 'uids' },
  { end: 'count' },
  { end: 'groupBy', field: 'L' },
  { end: 'groupBy', field: 'S' },
];
const CUTS: readonly (readonly QueryStep[])[] = [
  [],
  [{ op: 'take', count: 20 }],
  [
    { op: 'skip', count: 4_090 },
    { op: 'take', count: 30 },
  ],
];

function hidingEveryThird({ reader }: TestGraph): Visibility {
  const ids = reader.idsOfType('T').filter((id) => id % 3 === 0);
  const hidden = new Set(ids);
  return {
    canSee: (id) => !hidden.has(id),
    hiddenOfType: () => hidden.size,
    mayHideOfType: () => true,
    sightOf: () => '',
    canSeeEdge: () => true,
    withholdsFields: () => false,
    canReadField: () => true,
    canReadFieldOfType: () => true,
    present: (_, shown) => shown,
  };
}

describe('ranges of many keys', () => {
  it('answer as a scan does', () => {
    const visibility = hidingEveryThird(plain);
    // Every second and third query, so that each comes with each, and all are soon done.
    let queries = 0;
    for (const conditions of CONDITIONS) {
      for (const order of ORDERS) {
        const ends = order.length === 0 ? ENDS : ENDS.slice(0, 1);
        for (const end of ends) {
          queries++;
          const user: QueryStep[] = queries % 2 === 0 ? [{ op: 'asUser' }] : [];
          const cut = order.length === 0 ? [] : CUTS[queries % CUTS.length]!;
          const query = { steps: [start, ...user, ...conditions, ...order, ...cut], end };
          const answer = runQuery(indexed.reader, query, { visibility });
          const expected = runQuery(plain.reader, query, { visibility });
          expect(answer, JSON.stringify(query)).toEqual(expected);
        }
      }
    }
  });

  it('count the items of long lists as a scan does, and as soon', async () => {
    await using graph = await openTestGraph();
    const fields = { L: 'String[]' } as const;
    await graph.addSchema({
      nodes: [{ type: 'T', key: 'K', fields, indexes: [{ field: 'L' }] }],
    });
    const L = Array.from({ length: 20_000 }, (_, i) => `item ${i}`);
    await graph.write({ op: 'addOrUpdate', type: 'T', key: 'a', fields: { L } });
    const query = { steps: [start], end: { end: 'groupBy' as const, field: 'L' } };
    const groups = L.toSorted().map((value) => ({ value, count: 1 }));
    expect(runQuery(graph.reader, query)).toEqual(groups);
  });

  it('are built in several commits without a key too few or too many', () => {
    const { held, due } = indexContent(indexed);
    expect(held).toEqual(due);
    const entries = indexed.reader.indexes().reduce((sum, index) => sum + index.entries, 0);
    expect(entries).toBe(held.length);
  });
});

describe('nodes so late that their keys do not tell their times', () => {
  it('are told apart by time, and sorted by it', async () => {
    await using graph = await openTestGraph();
    await graph.addSchema({ nodes: [{ type: 'Late', key: 'K', fields: {} }] });
    const years = [0, 3, 1, 2, 0];
    await graph.write(
      ...years.map((year, i) => ({
        op: 'addOrUpdate' as const,
        type: 'Late',
        key: `k${i}`,
        timestamp: LATE + year * 366 * 86_400_000,
      })),
    );
    const keys = (...steps: QueryStep[]): unknown =>
      (
        runQuery(graph.reader, {
          steps: [{ op: 'startAt', type: 'Late' }, ...steps],
          end: { end: 'nodes' },
        }) as { Id: string }[]
      )
        .map(({ Id }) => Id.slice(1))
        .join('');
    expect(keys({ op: 'sortByTimestamp' })).toBe('13240');
    expect(keys({ op: 'sortByTimestamp', direction: 'asc' })).toBe('40231');
    expect(keys({ op: 'sortBy', field: 'Timestamp' })).toBe('40231');
    expect(keys({ op: 'whereTime', from: LATE + 1 })).toBe('321');
    expect(keys({ op: 'whereTime', to: LATE })).toBe('40');
    expect(keys(where('Timestamp', '=', new Date(LATE).toISOString()))).toBe('40');
  });
});
