import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSetting } from '#access/settings.ts';
import { LLM_USAGE_DAYS_MAX } from '#base/llm-limits.ts';
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

const tokens = (inputTokens: number, outputTokens = 0) => ({ inputTokens, outputTokens });
const all = (of = ledger) => of.list({ skip: 0, take: 1_000 });

it('adds up by day and token, and by user', () => {
  ledger.add('a', ANN, tokens(1, 2));
  ledger.add('b', ANN, tokens(10, 20));
  ledger.add('a', ANN, tokens(100, 200));
  ledger.add('c', BOB, tokens(5));
  expect([ledger.usedToday(ANN), ledger.usedToday(BOB)]).toEqual([333, 5]);
  const day = '2026-11-21';
  expect(all().items).toEqual([
    { day, token: 'a', user: ANN, calls: 2, inputTokens: 101, outputTokens: 202 },
    { day, token: 'b', user: ANN, calls: 1, inputTokens: 10, outputTokens: 20 },
    { day, token: 'c', user: BOB, calls: 1, inputTokens: 5, outputTokens: 0 },
  ]);
  expect(ledger.list({ skip: 1, take: 1 })).toMatchObject({ items: [{ token: 'b' }], total: 3 });
});

it('begins anew with each day', () => {
  ledger.add('a', ANN, tokens(7));
  expect(ledger.restOfDayMs()).toBe(3_600_000);
  now += ledger.restOfDayMs();
  expect(ledger.usedToday(ANN)).toBe(0);
  ledger.add('a', ANN, tokens(1));
  expect(all().items.map(({ day }) => day)).toEqual(['2026-11-22', '2026-11-21']);
});

it('is there again after a restart, as it was written', async () => {
  ledger.add('a', ANN, tokens(7));
  await ledger.flush();
  await ledger.flush();
  expect(commits).toBe(1);
  ledger.add('a', ANN, tokens(1));
  expect(open().usedToday(ANN)).toBe(7);
  await ledger.flush();
  const again = open();
  expect([again.usedToday(ANN), all(again)]).toEqual([8, all()]);
});

it('writes again what could not be written', async () => {
  ledger.add('a', ANN, tokens(7));
  const { commit } = graph.writer;
  graph.writer.commit = () => Promise.reject(new Error('no room'));
  await expect(ledger.flush()).rejects.toThrow('no room');
  graph.writer.commit = commit;
  await ledger.flush();
  expect(open().usedToday(ANN)).toBe(7);
});

it('forgets what is too old', async () => {
  ledger.add('a', ANN, tokens(7));
  await ledger.flush();
  now += LLM_USAGE_DAYS_MAX * DAY_MS;
  ledger.add('a', ANN, tokens(1));
  await ledger.flush();
  expect(all()).toMatchObject({ total: 1, items: [{ inputTokens: 1 }] });
  graph.reader.refresh();
  expect(readSetting(graph.reader, 'llm.usage.2026-11-21')).toBeUndefined();
});
