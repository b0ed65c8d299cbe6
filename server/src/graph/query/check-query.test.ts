import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUERY_HOPS_MAX, QUERY_STEPS_MAX, QUERY_TAKE_MAX } from '#base/limits.ts';
import { SIMILAR_NODES_MAX } from '@trellis/contract/limits.ts';
import type { Visibility } from '../reader.ts';
import { MANY, openGraphOfThings } from '../testing/graph-of-things.ts';
import { problemOf } from '../testing/test-graph.ts';
import type { TestGraph } from '../testing/test-graph.ts';
import type { Query, QueryEnd, QueryStep } from './plan.ts';
import { runQuery } from './run.ts';

let graph: TestGraph;

beforeAll(async () => {
  graph = await openGraphOfThings();
});

afterAll(() => graph[Symbol.asyncDispose]());

const count: QueryEnd = { end: 'count' };

function run(steps: readonly unknown[], end: unknown = count): unknown {
  return runQuery(graph.reader, { steps, end } as Query);
}

describe('a query', () => {
  const start = { op: 'startAt', type: 'Mark' };

  it.each<[string, unknown, unknown, string]>([
    ['no steps', undefined, count, 'steps'],
    ['no start', [], count, 'steps'],
    ['a step before the start', [{ op: 'take', count: 1 }, start], count, 'steps[0].op'],
    ['a second start', [start, start], count, 'steps[1].op'],
    ['an unknown step', [start, { op: 'outt' }], count, 'steps[1].op'],
    ['an unknown member', [{ ...start, limit: 1 }], count, 'steps[0].limit'],
    ['a missing member', [start, { op: 'take' }], count, 'steps[1].count'],
    [
      'half a point',
      [{ op: 'startNear', type: 'Thing', field: 'Where', point: { lat: 1 }, km: 1 }],
      count,
      'steps[0].point',
    ],
    [
      'a negative distance',
      [{ op: 'startNear', type: 'Thing', field: 'Where', point: { lat: 1, lon: 1 }, km: -1 }],
      count,
      'steps[0].km',
    ],
    [
      'no point in the field',
      [{ op: 'startNear', type: 'Thing', field: 'At', point: { lat: 1, lon: 1 }, km: 1 }],
      count,
      'steps[0].field',
    ],
    [
      'a bad nested step',
      [start, { op: 'union', steps: [start, { op: 'take' }] }],
      count,
      'steps[1].steps[1].count',
    ],
    [
      'a nested list without a start',
      [start, { op: 'except', steps: [] }],
      count,
      'steps[1].steps',
    ],
    [
      'a vector that is no text',
      [{ op: 'startAtVectors', vectors: { m: [1] } }],
      count,
      'steps[0].vectors',
    ],
    [
      'too many similar nodes',
      [start, { op: 'similar', count: SIMILAR_NODES_MAX + 1 }],
      count,
      'steps[1].count',
    ],
    ['no cosine', [start, { op: 'similar', similarityMin: 2 }], count, 'steps[1].similarityMin'],
    [
      'an unknown type of similar nodes',
      [start, { op: 'similar', types: ['X'] }],
      count,
      'steps[1].types[0]',
    ],
    [
      'an unknown field of vectors',
      [start, { op: 'similar', fields: ['X'] }],
      count,
      'steps[1].fields[0]',
    ],
    ['similar to too many', [start, { op: 'similar' }], count, 'steps[1]'],
    ['an unknown type', [{ op: 'startAt', type: 'Things' }], count, 'steps[0].type'],
    ['an edge type as type', [start, { op: 'out', type: 'Has' }], count, 'steps[1].type'],
    ['an unknown edge', [start, { op: 'in', edge: 'Hass' }], count, 'steps[1].edge'],
    [
      'an unknown edge of many',
      [start, { op: 'outMany', hops: 1, edges: ['Has', 'X'] }],
      count,
      'steps[1].edges[1]',
    ],
    [
      'an unknown type of many',
      [start, { op: 'outMany', hops: 1, types: ['X'] }],
      count,
      'steps[1].types[0]',
    ],
    [
      'a field of another type',
      [{ op: 'startWhere', type: 'Mark', field: 'At', compare: 'exists' }],
      count,
      'steps[0].field',
    ],
    [
      'an unknown field',
      [start, { op: 'where', field: 'size', compare: 'exists' }],
      count,
      'steps[1].field',
    ],
    [
      'an inherited field',
      [start, { op: 'where', field: 'constructor', compare: 'exists' }],
      count,
      'steps[1].field',
    ],
    ['an unknown field to sort by', [start, { op: 'sortBy', field: 'X' }], count, 'steps[1].field'],
    ['a time that is none', [start, { op: 'whereTime', from: 'soon' }], count, 'steps[1]'],
    ['no end', [start], undefined, 'end'],
    ['an unknown end', [start], { end: 'node' }, 'end.end'],
    ['an unknown field to show', [start], { end: 'nodes', fields: ['Size', 'X'] }, 'end.fields[1]'],
    ['an unknown field to group by', [start], { end: 'groupBy', field: 'X' }, 'end.field'],
    ['an unknown edge to show', [start], { end: 'edges', edge: 'X' }, 'end.edge'],
    [
      'an unknown edge of a path',
      [start],
      { end: 'shortestPath', to: 'x', edges: ['X'] },
      'end.edges[0]',
    ],
    ['asUser without a user', [start, { op: 'asUser' }], count, 'steps'],
    [
      'asUser inside without a user',
      [start, { op: 'except', steps: [start, { op: 'asUser' }] }],
      count,
      'steps',
    ],
  ])('is refused with %s', async (_, steps, end, path) => {
    const call = () => runQuery(graph.reader, { steps, end } as Query);
    expect(await problemOf(call)).toMatchObject({ code: 'invalid_query', details: { path } });
  });

  it('names what was probably meant', () => {
    const hintOf = (...steps: unknown[]) => {
      try {
        return run(steps);
      } catch (error) {
        return (error as { hint?: string }).hint;
      }
    };
    expect(hintOf({ op: 'startAt', type: 'Things' })).toBe('Did you mean "Thing"?');
    expect(hintOf(start, { op: 'out', type: 'Has' })).toBe('"Has" is an edge type.');
    expect(hintOf(start, { op: 'where', field: 'size', compare: 'exists' })).toBe(
      'Did you mean "Size"?',
    );
    expect(hintOf(start, { op: 'tak', count: 1 })).toBe('Did you mean "take"?');
  });

  it('keeps to its limits', async () => {
    const distinct = (n: number) => Array.from({ length: n }, () => ({ op: 'distinct' as const }));
    const fits: [string, (n: number) => QueryStep[], number][] = [
      ['hops', (hops) => [{ op: 'outMany', hops }], QUERY_HOPS_MAX],
      ['take', (n) => [{ op: 'take', count: n }], QUERY_TAKE_MAX],
      ['skip', (n) => [{ op: 'skip', count: n }], QUERY_TAKE_MAX],
      ['steps', (n) => distinct(n - 1), QUERY_STEPS_MAX],
      [
        'nested steps',
        (n) => [
          {
            op: 'union',
            steps: [{ op: 'startAt', type: 'Thing' }, ...distinct(n - 3)],
          },
        ],
        QUERY_STEPS_MAX,
      ],
    ];
    for (const [, steps, max] of fits) {
      for (const n of [max - 1, max]) run([start, ...steps(n)]);
      expect(await problemOf(() => run([start, ...steps(max + 1)]))).toMatchObject({
        code: 'invalid_query',
      });
    }
    const path = (maxHops: number) => run([start], { end: 'shortestPath', to: 'x', maxHops });
    path(QUERY_HOPS_MAX - 1);
    path(QUERY_HOPS_MAX);
    expect(await problemOf(() => path(QUERY_HOPS_MAX + 1))).toMatchObject({
      code: 'invalid_query',
    });
  });

  it('ends when it is aborted', () => {
    const aborted = AbortSignal.abort(new Error('enough'));
    const steps: QueryStep[] = [{ op: 'startAt', type: 'Mark' }];
    expect(() =>
      runQuery(graph.reader, { steps, end: { end: 'uids' } }, { signal: aborted }),
    ).toThrow('enough');
  });

  it('counts only what the user may see, and everything without asUser', () => {
    const visibility: Visibility = {
      canSee: () => false,
      sightOf: () => 'nobody',
      canSeeEdge: () => true,
      withholdsFields: () => false,
      hiddenOfType: () => 0,
      mayHideOfType: () => true,
      canReadField: () => true,
      canReadFieldOfType: () => true,
      present: (_id, node) => node,
    };
    const steps: QueryStep[] = [{ op: 'startAt', type: 'Mark' }, { op: 'asUser' }];
    expect(runQuery(graph.reader, { steps, end: count }, { visibility })).toBe(0);
    expect(runQuery(graph.reader, { steps: steps.slice(0, 1), end: count }, { visibility })).toBe(
      MANY,
    );
  });
});
