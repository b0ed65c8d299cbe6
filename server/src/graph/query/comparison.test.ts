import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGraphOfThings } from '../testing/graph-of-things.ts';
import { problemOf } from '../testing/test-graph.ts';
import type { TestGraph } from '../testing/test-graph.ts';
import type { Comparison, Query } from './plan.ts';
import { runQuery } from './run.ts';

let graph: TestGraph;

beforeAll(async () => {
  graph = await openGraphOfThings();
});

afterAll(() => graph[Symbol.asyncDispose]());

function run(steps: readonly unknown[], end: unknown): unknown {
  return runQuery(graph.reader, { steps, end } as Query);
}

const keysWhere = (field: string, compare: Comparison, value?: unknown): unknown =>
  (
    run(
      [
        { op: 'startWhere', type: 'Thing', field, compare, value },
        { op: 'sortBy', field: 'Name' },
      ],
      { end: 'nodes', fields: ['Name'] },
    ) as { Id: string }[]
  )
    .map(({ Id }) => Id)
    .join('');

describe('a comparison', () => {
  it.each<[string, Comparison, unknown, string]>([
    ['At', '=', '2024-05-06T09:08:09+02:00', 'a'],
    ['At', '>', Date.UTC(2024, 4, 6, 7, 8, 9), 'b'],
    ['At', 'in', ['2024-05-06T07:08:09', '2024-05-06T07:08:09.001Z'], 'ab'],
    ['Price', '=', '10.5', 'a'],
    ['Price', '=', 10.5, 'a'],
    ['Price', '<', '10', 'b'],
    ['Price', '>', 1e300, ''],
    ['Price', '!=', '10.5', 'bc'],
    ['Prices', '=', 1, 'a'],
    ['Prices', 'contains', '2.00', 'a'],
    ['Prices', '>', 2, ''],
    ['Prices', '!=', 3, 'abc'],
    ['Size', '=', '9007199254740993', 'a'],
    ['Size', '=', '9007199254740992', ''],
    ['Size', '>', 9007199254740992, 'a'],
    ['Size', '<', 3.5, 'b'],
    ['Size', 'in', ['3.0', '9007199254740993'], 'ab'],
    ['Ratio', '=', 0.1, 'a'],
    ['Ratio', '<=', '0.1', 'a'],
    ['Done', '=', false, 'b'],
    ['Done', '>', false, 'a'],
    ['Where', '=', { lon: 16.37, lat: 48.2 }, 'a'],
    ['Data', '=', { y: [2], x: 1 }, 'a'],
    ['Data', 'in', ['x', 'y'], 'b'],
    ['Data', 'exists', undefined, 'ab'],
    ['Data', 'exists', false, 'c'],
    ['Name', 'startsWith', '', 'abc'],
    ['Id', 'in', ['c', 'a', 'nobody'], 'ac'],
    ['Name', '=', 'b', 'b'],
  ])('of %s by %s with %j', (field, compare, value, expected) => {
    expect(keysWhere(field, compare, value)).toBe(expected);
  });

  it('of a field that has several types takes each as it is', () => {
    const all = [
      { op: 'startAt', type: 'Thing' },
      { op: 'union', steps: [{ op: 'startAt', type: 'Mark', keys: ['m3', 'm4', 'm10'] }] },
    ];
    const keys = (...steps: unknown[]) =>
      (run([...all, ...steps], { end: 'nodes' }) as { Id: string }[]).map(({ Id }) => Id);
    expect(keys({ op: 'where', field: 'Size', compare: '=', value: '3' }).toSorted()).toEqual([
      'b',
      'm3',
    ]);
    expect(keys({ op: 'where', field: 'Price', compare: 'startsWith', value: '1' })).toEqual([
      'm10',
    ]);
    expect(keys({ op: 'sortBy', field: 'Size' })).toEqual(['b', 'm3', 'm4', 'm10', 'a', 'c']);
    expect(keys({ op: 'sortBy', field: 'Size', direction: 'desc' })[0]).toBe('a');
  });

  it.each<[string, Comparison, unknown]>([
    ['At', '=', 'soon'],
    ['Size', '<', 'big'],
    ['Size', 'startsWith', '3'],
    ['Done', 'in', true],
    ['Done', 'contains', 'x'],
    ['Where', '<', { lat: 1, lon: 2 }],
    ['Data', 'exists', 'yes'],
    ['Name', '=', 7],
  ])('of %s by %s with %j is refused', async (field, compare, value) => {
    expect(await problemOf(() => keysWhere(field, compare, value))).toEqual({
      code: 'invalid_query',
      details: { path: 'steps[0].value' },
    });
  });
});

it('measures along the surface of the Earth', () => {
  const near = (km: number): unknown =>
    run(
      [
        {
          op: 'startNear',
          type: 'Thing',
          field: 'Where',
          point: { lat: 48.2082, lon: 16.3738 },
          km,
        },
      ],
      { end: 'count' },
    );
  // From Vienna to Berlin.
  expect([near(0), near(1), near(520), near(530)]).toEqual([0, 1, 1, 2]);
});
