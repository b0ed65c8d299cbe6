import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LlmBudgets, MonthBudget } from '@trellis/contract/shapes/llm-budget.ts';
import type { LlmBudget } from '@trellis/contract/shapes/llm.ts';
import { LlmWorkspace, MODEL, thrown } from '../support/llm-workspace.ts';
import { items } from '../support/people.ts';

const PATH = '/api/llm/budgets';
/** What the scripted provider counts of each answer. */
const USED = { inputTokens: 11, outputTokens: 5 };
const TOKENS = USED.inputTokens + USED.outputTokens;

let at: LlmWorkspace;
let team: string;
beforeAll(async () => {
  at = await LlmWorkspace.start();
  await at.use('openai-compatible', { models: [MODEL, 'small'] });
  await at.people.add('bob');
  const made = Object(await ok('admin', 'PUT', '/api/groups/group', { name: 'Readers' }));
  team = made.UID;
  await ok('admin', 'PUT', `/api/groups/group/${team}/users`, { add: [at.people.uid('bob')] });
});
afterAll(() => at[Symbol.asyncDispose]());
beforeEach(() => at.provider.reset());

async function ok(who: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const { status, text, json } = await at.people.as(who, method, path, body);
  expect(status, text).toBeLessThan(300);
  return json;
}
const put = async (change: object): Promise<LlmBudgets> =>
  (await ok('admin', 'PUT', PATH, change)) as LlmBudgets;
const now = async (): Promise<MonthBudget | undefined> =>
  ((await ok('admin', 'GET', PATH)) as LlmBudgets).budgets[0];
const budgetOf = async (who: string): Promise<LlmBudget> =>
  Object(await ok(who, 'GET', '/api/llm/usage')).budget;
const monthsOf = async (who: string): Promise<readonly MonthBudget[]> =>
  (await budgetOf(who)).months;
const asks = (model = MODEL) =>
  at.openAi().chat.completions.create({
    model,
    max_tokens: USED.outputTokens,
    messages: [{ role: 'user', content: 'Hello?' }],
  });
const refused = async (model = MODEL) => Object(await thrown(asks(model)));

test('budgets are set by administrators alone, and bad ones are refused', async () => {
  const empty = { currency: 'EUR', prices: {}, budgets: [] };
  expect(await ok('admin', 'GET', PATH)).toMatchObject(empty);
  expect((await at.people.as('ann', 'GET', PATH)).status).toBe(403);
  expect((await at.people.as('ann', 'PUT', PATH, { budgets: [] })).status).toBe(403);
  const bad = [
    { budgets: [{ team: null }] },
    { budgets: [{ team: at.people.uid('bob'), tokens: 1 }] },
    { budgets: [{ team: null, tokens: -1 }] },
    { budgets: [{ team: null, tokens: 1, softPercent: 0 }] },
    {
      budgets: [
        { team, tokens: 1 },
        { team: { uid: team }, tokens: 2 },
      ],
    },
    { prices: { [MODEL]: { inputPerMillion: -1, outputPerMillion: 1 } } },
    { currency: 'euro' },
  ];
  for (const change of bad) {
    const { status, text } = await at.people.as('admin', 'PUT', PATH, change);
    expect([status, text]).toEqual([400, expect.stringContaining('invalid_request')]);
  }
  expect(await ok('admin', 'GET', PATH)).toMatchObject(empty);
});

test('a hundred requests at once never go over a budget together', async () => {
  const before = (await put({ budgets: [{ team: null, tokens: 0 }] })).budgets[0]!.tokensUsed;
  const limit = before + 12 * TOKENS;
  await put({ budgets: [{ team: null, tokens: limit }] });
  let last = 0;
  for (let round = 0; last !== 100; round++) {
    const ended = await Promise.all(Array.from({ length: 100 }, () => thrown(asks())));
    const errors = ended.filter((error) => error !== undefined).map((error) => Object(error));
    const codes = new Set(errors.map(({ status, code }) => `${status} ${code}`));
    codes.delete('429 too_many_requests');
    codes.delete('429 llm_quota_exceeded');
    expect([...codes]).toEqual([]);
    const budget = await now();
    expect(budget!.tokensUsed).toBeLessThanOrEqual(limit);
    expect(budget).toMatchObject({ tokensReserved: 0 });
    last = errors.filter(({ code }) => code === 'llm_quota_exceeded').length;
  }
  expect((await now())!.tokensUsed).toBeGreaterThan(before);
  const told = await refused();
  expect(told).toMatchObject({ status: 429, code: 'llm_quota_exceeded' });
  // What everybody uses is not told to everybody.
  expect(told.message).not.toMatch(/has used \d/);
  expect(Number((await refused()).headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a team has its own, which counts what its members use', async () => {
  await put({ budgets: [{ team: { uid: team }, tokens: 0 }] });
  expect(await monthsOf('ann')).toEqual([]);
  expect(await monthsOf('bob')).toMatchObject([
    { team, name: 'Readers', tokens: 0, tokensLeft: 0, state: 'spent' },
  ]);
  await asks();
  const members = { add: [at.people.uid('ann')] };
  await ok('admin', 'PUT', `/api/groups/group/${team}/users`, members);
  const [month] = await monthsOf('ann');
  expect(month?.tokensUsed).toBeGreaterThanOrEqual(TOKENS);
  const error = await refused();
  expect(error).toMatchObject({ code: 'llm_quota_exceeded' });
  expect(error.message).toContain('the team "Readers"');
  expect(at.provider.requests).toHaveLength(1);
});

test('money is counted by the prices of models, and a model without one is refused', async () => {
  const prices = { [MODEL]: { inputPerMillion: 1_000_000, outputPerMillion: 0 } };
  await put({ currency: 'USD', prices, budgets: [{ team: null, money: 1_000_000 }] });
  const before = (await now())!.moneyUsed;
  await asks();
  const { moneyUsed, moneyLeft, tokensLeft } = (await now())!;
  expect(moneyUsed - before).toBe(USED.inputTokens);
  expect([moneyLeft, tokensLeft]).toEqual([1_000_000 - moneyUsed, null]);
  const error = await refused('small');
  expect(error).toMatchObject({ status: 429, code: 'llm_quota_exceeded' });
  expect(error.message).toContain('no price');
  // One price for all others.
  await put({ prices: { ...prices, '*': { inputPerMillion: 0, outputPerMillion: 0 } } });
  await asks('small');
  await put({ budgets: [{ team: null, money: moneyUsed }] });
  expect((await refused()).message).toContain('USD');
});

test('a soft one only tells', async () => {
  const used = (await now())!.tokensUsed;
  const soft = { team: null, isHard: false, softPercent: 50 };
  const told = await put({ budgets: [{ ...soft, tokens: used * 3 }] });
  expect(told.budgets[0]).toMatchObject({ state: 'ok', isHard: false });
  await put({ budgets: [{ ...soft, tokens: Math.floor(used * 1.5) }] });
  expect(await budgetOf('ann')).toMatchObject({ months: [], workspaceMonth: 'soft' });
  expect(await monthsOf('admin')).toMatchObject([{ team: null, state: 'soft' }]);
  await put({ budgets: [{ ...soft, tokens: used }] });
  expect(await budgetOf('ann')).toMatchObject({ months: [], workspaceMonth: 'spent' });
  expect(await monthsOf('admin')).toMatchObject([{ state: 'spent', tokensLeft: 0 }]);
  await asks();
  await put({ budgets: [] });
  const audit = await at.people.as('admin', 'GET', '/api/audit?action=llm.budgets-changed');
  expect(items(audit)[0]).toMatchObject({ details: { changed: ['budgets'] } });
});
