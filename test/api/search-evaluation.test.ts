import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GOLDEN_SET_QUERIES_MAX } from '@trellis/contract/limits.ts';
import { valueAt } from '../support/http-client.ts';
import { People } from '../support/people.ts';
import { SearchableNotes } from '../support/searchable-notes.ts';

const SETS = '/api/search/golden-sets';
const UNKNOWN_UID = '1111111111111111111112';
let people: People;
let notes: SearchableNotes;
beforeAll(async () => {
  people = await People.start();
  await people.add('bob');
  notes = await SearchableNotes.add(people.workspace);
});
afterAll(() => people[Symbol.asyncDispose]());

const admin = async (method: string, path: string, body?: unknown): Promise<unknown> =>
  (await notes.send(method, path, body)).json;
const outcome = (method: string, path: string, body?: unknown) =>
  people.outcome('admin', method, path, body);

describe('a golden set', () => {
  it('is kept as it was put, and listed by name', async () => {
    const set = notes.goldenSet();
    expect(await admin('PUT', `${SETS}/kept`, set)).toEqual({ name: 'kept', ...set, version: 1 });
    expect(await admin('GET', `${SETS}/kept`)).toEqual({ name: 'kept', ...set, version: 1 });
    const few = { queries: [{ query: ' spaces ', relevant: [UNKNOWN_UID] }] };
    expect(await admin('PUT', `${SETS}/a.few`, few)).toMatchObject({
      description: '',
      request: {},
      queries: [{ query: 'spaces' }],
    });
    const items = [
      { name: 'a.few', description: '', queries: 1, lastRun: null },
      { name: 'kept', description: set.description, queries: 6, lastRun: null },
    ];
    expect(await admin('GET', SETS)).toEqual({ items });
    await admin('DELETE', `${SETS}/a.few`);
    expect(await outcome('GET', `${SETS}/a.few`)).toEqual([404, 'golden_set_not_found']);
  });

  it('loses no change of somebody who has seen what another one changes', async () => {
    const [query] = notes.goldenSet().queries;
    const named = (description: string, version?: number) => ({
      description,
      queries: [query],
      ...(version === undefined ? {} : { version }),
    });
    const path = `${SETS}/shared`;
    expect(await outcome('PUT', path, named('new', 1))).toEqual([409, 'version_conflict']);
    expect(await admin('PUT', path, named('new', 0))).toMatchObject({ version: 1 });
    const both = ['one', 'other'].map((text) => outcome('PUT', path, named(text, 1)));
    const answered = (await Promise.all(both)).toSorted();
    expect(answered[1]).toEqual([409, 'version_conflict']);
    // Who has seen none replaces what is there, however many there are, and a run goes on.
    const many = Array.from({ length: 3 }, () => outcome('PUT', path, named('any')));
    for (const [status] of await Promise.all(many)) expect(status).toBe(200);
    expect(await admin('GET', path)).toMatchObject({ description: 'any', version: 5 });
    await admin('DELETE', path);
  });

  const relevant = [UNKNOWN_UID];
  const many = Array.from({ length: GOLDEN_SET_QUERIES_MAX + 1 }, (_, i) => ({
    query: `q${i}`,
    relevant,
  }));
  it.each([
    ['without queries', { queries: [] }],
    ['with too many queries', { queries: many }],
    ['with a query twice', { queries: [many[0], many[0]] }],
    ['with a query without an answer', { queries: [{ query: 'x', relevant: [] }] }],
    ['with what is no UID', { queries: [{ query: 'x', relevant: ['dog'] }] }],
    ['with a node twice', { queries: [{ query: 'x', relevant: [UNKNOWN_UID, UNKNOWN_UID] }] }],
    [
      'with a grade of nothing',
      { queries: [{ query: 'x', relevant: [{ uid: UNKNOWN_UID, grade: 0 }] }] },
    ],
    ['that says what to skip', { queries: many.slice(0, 1), request: { skip: 1 } }],
    ['with a search that is none', { queries: many.slice(0, 1), request: { sort: 'best' } }],
  ])('%s is refused', async (_, set) => {
    expect(await outcome('PUT', `${SETS}/refused`, set)).toEqual([400, 'invalid_request']);
    expect(await outcome('GET', `${SETS}/refused`)).toEqual([404, 'golden_set_not_found']);
  });

  it('may have as many queries as the limit says', async () => {
    const set = { queries: many.slice(1) };
    await admin('PUT', `${SETS}/large`, set);
    const { status, json } = await people.as('admin', 'POST', `${SETS}/large/run`);
    expect([status, valueAt(json, 'missing', 'total')]).toEqual([200, GOLDEN_SET_QUERIES_MAX]);
    expect(valueAt(json, 'missing', 'items')).toHaveLength(100);
    expect(valueAt(json, 'metrics')).toEqual({ ndcg: 0, mrr: 0, precision: 0, recall: 0 });
  });

  it('of a name with a slash, or of one that there is not, is none', async () => {
    expect(await outcome('PUT', `${SETS}/a%2Fb`, notes.goldenSet())).toEqual([
      400,
      'invalid_request',
    ]);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/run'],
      ['GET', '/runs'],
    ] as const) {
      expect(await outcome(method, `${SETS}/none${path}`)).toEqual([404, 'golden_set_not_found']);
    }
  });

  it('is for administrators', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/kept'],
      ['PUT', '/kept'],
      ['DELETE', '/kept'],
      ['POST', '/kept/run'],
      ['GET', '/kept/runs'],
    ] as const) {
      expect(await people.outcome('bob', method, `${SETS}${path}`)).toEqual([403, 'forbidden']);
    }
  });
});

describe('a run', () => {
  const run = () => admin('POST', `${SETS}/runs/run`);
  /** NDCG of one relevant node at rank 2. */
  const second = 1 / Math.log2(3);

  it('measures the hits, and says what a change of the settings did to them', async () => {
    await admin('PUT', `${SETS}/runs`, notes.goldenSet());
    const first = await run();
    expect(first).toMatchObject({
      name: 'runs',
      queries: 5,
      metrics: { mrr: 3.5 / 5, precision: 0.4 / 5, recall: 4 / 5 },
      previous: null,
      worse: { total: 0, items: [] },
      better: { total: 0, items: [] },
      unfound: { total: 1, items: ['sextant'] },
      missing: {
        total: 2,
        items: [
          { query: 'lantern', uid: UNKNOWN_UID },
          { query: 'gone', uid: UNKNOWN_UID },
        ],
      },
    });
    expect(valueAt(first, 'metrics', 'ndcg')).toBeCloseTo((3 + second) / 5, 9);

    await notes.boost({ title: 1, text: 20 });
    const after = await run();
    const rounded = Math.round(second * 1e6) / 1e6;
    const lost = { ndcg: { now: rounded, before: 1 }, rank: { now: 2, before: 1 } };
    expect(after).toMatchObject({
      metrics: { mrr: 3 / 5 },
      previous: { queries: 5, metrics: valueAt(first, 'metrics'), at: valueAt(first, 'at') },
      worse: { total: 2 },
      better: { total: 1 },
    });
    expect(valueAt(after, 'worse', 'items')).toEqual([
      { query: 'harbour', ...lost },
      { query: 'harbours lie', ...lost },
    ]);
    expect(valueAt(after, 'better', 'items')).toEqual([
      {
        query: 'lantern',
        ndcg: { now: 1, before: rounded },
        rank: { now: 1, before: 2 },
      },
    ]);
    expect(await run()).toMatchObject({ worse: { total: 0 }, better: { total: 0 } });
    await notes.boost({ title: 5, text: 1 });
  });

  it('is kept with the set, also when its queries change, and gone with it', async () => {
    const one = { queries: notes.goldenSet().queries.slice(0, 1) };
    await admin('PUT', `${SETS}/again`, notes.goldenSet());
    for (let i = 0; i < 20; i++) await admin('POST', `${SETS}/again/run`);
    await admin('PUT', `${SETS}/again`, one);
    const last = await admin('POST', `${SETS}/again/run`);
    expect(last).toMatchObject({ queries: 1, previous: { queries: 5 }, worse: { total: 0 } });
    const runs = valueAt(await admin('GET', `${SETS}/again/runs`), 'items') as {
      queries: number;
    }[];
    expect(runs.map(({ queries }) => queries)).toEqual([1, ...Array.from({ length: 19 }, () => 5)]);
    const { items } = (await admin('GET', SETS)) as { items: { name: string }[] };
    expect(items.find(({ name }) => name === 'again')).toMatchObject({
      queries: 1,
      lastRun: { queries: 1, at: valueAt(last, 'at') },
    });
    await admin('DELETE', `${SETS}/again`);
    await admin('PUT', `${SETS}/again`, one);
    expect(await admin('GET', `${SETS}/again/runs`)).toEqual({ items: [] });
    expect(await admin('POST', `${SETS}/again/run`)).toMatchObject({ previous: null });
  });

  it('is the only one at its time', async () => {
    const queries = Array.from({ length: 2_000 }, (_, i) => ({
      query: `harbour ${i}`,
      relevant: [notes.uid('harbour-title')],
    }));
    await admin('PUT', `${SETS}/long`, { queries });
    const outcomes = await Promise.all([
      outcome('POST', `${SETS}/long/run`),
      outcome('POST', `${SETS}/long/run`),
    ]);
    expect(outcomes.toSorted(([a], [b]) => a - b)).toEqual([
      [200, undefined],
      [409, 'evaluation_running'],
    ]);
    expect(await outcome('POST', `${SETS}/long/run`)).toEqual([200, undefined]);
  });

  it('searches nothing that there is not', async () => {
    const set = { ...notes.goldenSet(), request: { types: ['Nothing'] } };
    await admin('PUT', `${SETS}/wrong`, set);
    const [status, code] = await outcome('POST', `${SETS}/wrong/run`);
    expect([status, code]).toEqual([400, expect.stringMatching(/^invalid_(query|request)$/)]);
    expect(await admin('GET', `${SETS}/wrong/runs`)).toEqual({ items: [] });
  });
});
