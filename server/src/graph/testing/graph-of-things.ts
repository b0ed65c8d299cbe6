import type { WriterOperation } from '../operations.ts';
import { openTestGraph } from './test-graph.ts';
import type { TestGraph } from './test-graph.ts';

/** The number of marks in the graph, newest first: m2999, m2998, ... */
export const MANY = 3_000;

/**
 * Three things with fields of every kind, and many marks whose fields have the same names but other
 * types.
 */
export async function openGraphOfThings(): Promise<TestGraph> {
  const graph = await openTestGraph();
  await graph.addSchema({
    nodes: [
      {
        type: 'Thing',
        key: 'Name',
        fields: {
          At: 'Time',
          Price: 'Decimal',
          Size: 'Long',
          Ratio: 'Float',
          Done: 'Bool',
          Where: 'GeoPoint',
          Data: 'Json',
          Prices: 'Decimal[]',
        },
      },
      { type: 'Mark', fields: { Size: 'Double', Price: 'String' } },
    ],
    edges: [{ type: 'Has' }],
  });
  const thing = (key: string, fields: Record<string, unknown>): WriterOperation => ({
    op: 'addOrUpdate',
    type: 'Thing',
    key,
    fields,
  });
  await graph.write(
    thing('a', {
      At: '2024-05-06T07:08:09Z',
      Price: '10.50',
      Size: '9007199254740993',
      Ratio: 0.1,
      Done: true,
      Where: { lat: 48.2, lon: 16.37 },
      Data: { x: 1, y: [2] },
      Prices: ['1.0', '2'],
    }),
    thing('b', {
      At: '2024-05-06T07:08:09.001Z',
      Price: '9.5',
      Size: 3,
      Ratio: 0.5,
      Done: false,
      Where: { lat: 52.52, lon: 13.4 },
      Data: 'x',
    }),
    thing('c', {}),
  );
  await graph.write(
    ...Array.from({ length: MANY }, (_, i) => ({
      op: 'addOrUpdate' as const,
      type: 'Mark',
      key: `m${i}`,
      fields: { Size: i, Price: String(i) },
    })),
  );
  return graph;
}
