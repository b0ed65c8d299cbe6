import type { LlmFeature } from '@trellis/contract/shapes/llm.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSetting, settingOperation } from '#access/settings.ts';
import { LLM_USAGE_DAYS_MAX, LLM_USAGE_TOKENS_PER_USER_MAX } from '#base/assistant-limits.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { UsageLedger } from './usage-ledger.ts';

const DAY_MS = 86_400_000;
const FIRST = Date.UTC(2026, 10, 21, 23);
const ANN = '1111111111111111111111';
const BOB = '1111111111111111111112';

let graph: TestGraph;
let now: number;
let commits: number;
let ledger: UsageLedger;
beforeEach(async () => {
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  now = FIRST;
  commits = 0;
  ledger = open();
});
afterEach(() => graph[Symbol.asyncDispose]());

function open(): UsageLedger {
  graph.reader.refresh();
  return new UsageLedger({
    reader: graph.reader,
    commits: {
      commit: (request) => {
        commits++;
        return graph.writer.commit(request);
      },
    },
    clock: { now: () => now },
  });
}

const use = (
  token: string,
  user: string,
  feature: LlmFeature = 'router',
  model = 'large',
): Parameters<UsageLedger['add']>[0] => ({ token, user, feature, model });
const tokens = (inputTokens: number, outputTokens = 0) => ({ inputTokens, outputTokens });
const all = (of = ledger) => of.list({ skip: 0, take: 1_000 });

it('tells so many tokens of one user apart, and counts the others together', async () => {
  const MAX = LLM_USAGE_TOKENS_PER_USER_MAX;
  const addTo = (user: string, count: number) => {
    for (let i = 0; i < count; i++) ledger.add(use(`session ${i}`, user), tokens(1));
  };
  const rowsOf = (user: string) => all().items.filter((row) => row.user === user);
  addTo(ANN, MAX - 1);
  expect(rowsOf(ANN)).toHaveLength(MAX - 1);
  addTo(ANN, MAX);
  expect(rowsOf(ANN)).toHaveLength(MAX);
  addTo(ANN, MAX + 100);
  addTo(BOB, MAX + 1);
  expect([rowsOf(ANN).length, rowsOf(BOB).length]).toEqual([MAX + 1, MAX + 1]);
  expect(rowsOf(ANN).find(({ token }) => token === 'others')).toMatchObject({ calls: 100 });
  await ledger.flush();
  ledger = open();
  ledger.add(use('one more', ANN), tokens(1));
  expect(rowsOf(ANN)).toHaveLength(MAX + 1);
  expect(ledger.usedToday(ANN)).toBe(3 * MAX + 100);
});

it('adds up by day and token, and by user', () => {
  ledger.add(use('a', ANN), tokens(1, 2));
  ledger.add(use('b', ANN), tokens(10, 20));
  ledger.add(use('a', ANN), tokens(100, 200));
  ledger.add(use('c', BOB), tokens(5));
  expect([ledger.usedToday(ANN), ledger.usedToday(BOB)]).toEqual([333, 5]);
  const day = '2026-11-21';
  expect(all().items).toEqual(
    [
      { day, token: 'a', user: ANN, calls: 2, inputTokens: 101, outputTokens: 202 },
      { day, token: 'b', user: ANN, calls: 1, inputTokens: 10, outputTokens: 20 },
      { day, token: 'c', user: BOB, calls: 1, inputTokens: 5, outputTokens: 0 },
    ].map((row) => expect.objectContaining(row)),
  );
  expect(ledger.list({ skip: 0, take: 9 }, BOB)).toMatchObject({
    items: [{ token: 'c' }],
    total: 1,
  });
  expect(ledger.list({ skip: 1, take: 1 })).toMatchObject({ items: [{ token: 'b' }], total: 3 });
});

it('tells what was used by feature and model, most first', async () => {
  ledger.add(use('a', ANN, 'chat'), tokens(1, 2));
  ledger.add(use('a', ANN, 'chat', 'small'), tokens(10, 20));
  ledger.add(use('a', ANN, 'chat'), tokens(3, 4));
  ledger.add(use('b', ANN, 'router'), tokens(5));
  ledger.add(use('c', BOB, 'chat'), tokens(100));
  const small = { feature: 'chat', model: 'small', calls: 1, inputTokens: 10, outputTokens: 20 };
  const large = { feature: 'chat', model: 'large', calls: 2, inputTokens: 4, outputTokens: 6 };
  const router = { feature: 'router', model: 'large', calls: 1, inputTokens: 5, outputTokens: 0 };
  expect(ledger.splitToday(ANN)).toEqual([small, large, router]);
  expect(all().items.map(({ token, split }) => [token, split])).toEqual([
    ['c', [{ ...large, calls: 1, inputTokens: 100, outputTokens: 0 }]],
    ['a', [small, large]],
    ['b', [router]],
  ]);
  await ledger.flush();
  expect(open().splitToday(ANN)).toEqual([small, large, router]);
});

it('reads what was written before it was split', async () => {
  const row = {
    day: '2026-11-21',
    token: 'a',
    user: ANN,
    calls: 1,
    inputTokens: 7,
    outputTokens: 0,
  };
  await graph.writer.commit({
    system: true,
    operations: [settingOperation('llm.usage.2026-11-21', [row])],
  });
  ledger = open();
  expect(all().items).toEqual([{ ...row, split: [] }]);
  ledger.add(use('a', ANN), tokens(1));
  expect(all().items).toMatchObject([{ calls: 2, inputTokens: 8, split: [{ inputTokens: 1 }] }]);
});

it('begins again with each day', () => {
  ledger.add(use('a', ANN), tokens(7));
  expect(ledger.restOfDayMs()).toBe(3_600_000);
  now += ledger.restOfDayMs();
  expect(ledger.usedToday(ANN)).toBe(0);
  ledger.add(use('a', ANN), tokens(1));
  expect(all().items.map(({ day }) => day)).toEqual(['2026-11-22', '2026-11-21']);
});

it('sums up a month by user and model, also after a restart, and begins again with the next', async () => {
  const summed = (of = ledger) =>
    of.monthUse().map(({ user, model, counts }) => [user, model, counts.inputTokens]);
  ledger.add(use('a', ANN), tokens(7));
  expect(summed()).toEqual([[ANN, 'large', 7]]);
  now += 5 * DAY_MS;
  ledger.add(use('b', ANN), tokens(2));
  ledger.add(use('b', ANN, 'chat', 'small'), tokens(1));
  ledger.add(use('c', BOB), tokens(4));
  const both = [
    [ANN, 'large', 9],
    [ANN, 'small', 1],
    [BOB, 'large', 4],
  ];
  expect(summed()).toEqual(both);
  await ledger.flush();
  expect(summed(open())).toEqual(both);
  now = ledger.monthEndMs - 1;
  expect(summed()).toEqual(both);
  now++;
  expect([ledger.month, summed(), summed(open())]).toEqual(['2026-12', [], []]);
  ledger.add(use('a', ANN), tokens(3));
  expect(summed()).toEqual([[ANN, 'large', 3]]);
});

it('is there again after a restart, as it was written', async () => {
  ledger.add(use('a', ANN), tokens(7));
  await ledger.flush();
  await ledger.flush();
  expect(commits).toBe(1);
  ledger.add(use('a', ANN), tokens(1));
  expect(open().usedToday(ANN)).toBe(7);
  await ledger.flush();
  const again = open();
  expect([again.usedToday(ANN), all(again)]).toEqual([8, all()]);
});

it('writes again what could not be written', async () => {
  ledger.add(use('a', ANN), tokens(7));
  const { commit } = graph.writer;
  graph.writer.commit = () => Promise.reject(new Error('no room'));
  await expect(ledger.flush()).rejects.toThrow('no room');
  graph.writer.commit = commit;
  await ledger.flush();
  expect(open().usedToday(ANN)).toBe(7);
});

it('forgets what is too old', async () => {
  ledger.add(use('a', ANN), tokens(7));
  await ledger.flush();
  now += LLM_USAGE_DAYS_MAX * DAY_MS;
  ledger.add(use('a', ANN), tokens(1));
  await ledger.flush();
  expect(all()).toMatchObject({ total: 1, items: [{ inputTokens: 1 }] });
  graph.reader.refresh();
  expect(readSetting(graph.reader, 'llm.usage.2026-11-21')).toBeUndefined();
});
