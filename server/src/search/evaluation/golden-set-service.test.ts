import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import { must } from '#base/assert.ts';
import {
  EVALUATION_SLICE_MS,
  EVALUATION_TIMEOUT_MS,
  GOLDEN_SETS_MAX,
} from '#base/search-limits.ts';
import { openTestGraph, problemOf, type TestGraph } from '#graph/testing/test-graph.ts';
import type { SearchAnswer } from '../service/searcher.ts';
import { GoldenSetService } from './golden-set-service.ts';

const CALLER = { ...ADMINISTRATOR, userName: 'ada' };

let graph: TestGraph;
let service: GoldenSetService;
/** What else happens while the index is searched; it answers with the one note that there is. */
let onSearch: () => void;
beforeEach(async () => {
  graph = await openTestGraph();
  const { reader, writer: commits, clock } = graph;
  await commits.addSystemSchema();
  await graph.addSchema({ nodes: [{ type: 'Note', key: 'Name', fields: {} }] });
  await graph.write({ op: 'addOrUpdate', type: 'Note', key: 'n' });
  onSearch = () => undefined;
  const node = must(reader.node(graph.idOf('Note', 'n')), 'the note');
  const search = (): SearchAnswer => {
    onSearch();
    const hit = { node, score: 1, from: 'text', highlights: [] } as const;
    return { hits: [hit], total: 1, facets: {}, tookMs: 0 };
  };
  const embedQuery = () => Promise.resolve({});
  service = new GoldenSetService({ reader, commits, clock, searcher: { search }, embedQuery });
  const queries = Array.from({ length: 20 }, (_, i) => ({
    query: `q${i}`,
    relevant: [node.UID],
  }));
  await put('notes', queries);
});
afterEach(() => graph[Symbol.asyncDispose]());

const put = (name: string, queries: { query: string; relevant: string[] }[]) =>
  service.put(CALLER, name, { description: '', request: {}, queries });
const run = () => service.run(CALLER, 'notes');
const runs = () => service.runs(CALLER, 'notes').items;

describe('a run', () => {
  it('leaves the thread to others every few milliseconds', async () => {
    let turns = 0;
    const turn = (): void => {
      turns++;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    const turnsAtSearch: number[] = [];
    onSearch = () => {
      turnsAtSearch.push(turns);
      graph.clock.time += EVALUATION_SLICE_MS;
    };
    await run();
    clearImmediate(next);
    expect(turnsAtSearch).toHaveLength(20);
    expect(new Set(turnsAtSearch).size).toBe(20);
  });

  it('that takes too long ends without a trace, and makes room for the next', async () => {
    onSearch = () => (graph.clock.time += EVALUATION_TIMEOUT_MS / 10);
    expect(await problemOf(run)).toMatchObject({ code: 'evaluation_timeout' });
    expect(runs()).toEqual([]);
    onSearch = () => undefined;
    expect(await run()).toMatchObject({ previous: null, metrics: { ndcg: 1 } });
    expect(runs()).toHaveLength(1);
  });

  it('ends when the server stops', async () => {
    onSearch = () => {
      graph.clock.time += EVALUATION_SLICE_MS;
      service[Symbol.dispose]();
    };
    expect(await problemOf(run)).toMatchObject({ code: 'server_stopping' });
    expect(runs()).toEqual([]);
  });

  it('is not kept when its set has changed meanwhile', async () => {
    let changed: Promise<unknown> = Promise.resolve();
    onSearch = () => {
      onSearch = () => undefined;
      changed = put('notes', [{ query: 'another', relevant: ['1111111111111111111112'] }]);
    };
    expect(await problemOf(run)).toMatchObject({ code: 'version_conflict' });
    await changed;
    expect(runs()).toEqual([]);
  });
});

it('keeps so many sets, and lets each of them change', async () => {
  const queries = [{ query: 'q', relevant: ['1111111111111111111112'] }];
  for (let i = 1; i < GOLDEN_SETS_MAX; i++) await put(`set-${i}`, queries);
  expect(await problemOf(() => put('more', queries))).toMatchObject({ code: 'invalid_request' });
  expect(await put('notes', queries)).toMatchObject({ queries });
  await service.delete(CALLER, 'set-1');
  expect(await put('more', queries)).toMatchObject({ name: 'more' });
});
