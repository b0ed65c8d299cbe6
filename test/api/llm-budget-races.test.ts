import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LlmBudgets, MonthBudget } from '@trellis/contract/shapes/llm-budget.ts';
import type { LlmBudget } from '@trellis/contract/shapes/llm.ts';
import { LlmWorkspace, MODEL, thrown } from '../support/llm-workspace.ts';
import { says } from '../support/llm-server.ts';

const AT_ONCE = 100;
/** What the scripted provider counts of each answer. */
const USED = { inputTokens: 11, outputTokens: 5 };
const SMALL = 'small';

let at: LlmWorkspace;
let inner: string;
let outer: string;

beforeAll(async () => {
  at = await LlmWorkspace.start();
  await at.use('openai-compatible', { models: [MODEL, SMALL] });
  for (const user of ['bob', 'cid']) {
    await at.people.add(user);
    await at.addToken(`openai of ${user}`, 'llm-openai', user);
    await at.addToken(`anthropic of ${user}`, 'llm-anthropic', user);
  }
  inner = await teamOf('Inner', { add: [at.people.uid('ann')] });
  outer = await teamOf('Outer', { add: [at.people.uid('bob'), inner] });
});
afterAll(() => at[Symbol.asyncDispose]());
beforeEach(() => at.provider.reset());

async function ok(who: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const { status, text, json } = await at.people.as(who, method, path, body);
  expect(status, text).toBeLessThan(300);
  return json;
}

async function teamOf(name: string, members: object): Promise<string> {
  const { UID } = Object(await ok('admin', 'PUT', '/api/groups/group', { name }));
  await ok('admin', 'PUT', `/api/groups/group/${UID}/users`, members);
  return String(UID);
}

const put = async (change: object): Promise<readonly MonthBudget[]> =>
  ((await ok('admin', 'PUT', '/api/llm/budgets', change)) as LlmBudgets).budgets;
const read = async (): Promise<readonly MonthBudget[]> =>
  ((await ok('admin', 'GET', '/api/llm/budgets')) as LlmBudgets).budgets;

interface Call {
  readonly user: 'ann' | 'bob' | 'cid';
  readonly model: string;
}

/** One of the ways to ask a model, each for another number. */
function ask({ user, model }: Call, i: number): Promise<unknown> {
  const messages = [{ role: 'user' as const, content: `Hello for time ${i}?` }];
  const body = { model, max_tokens: USED.outputTokens, messages };
  const [openAi, anthropic] =
    user === 'ann' ? [undefined, undefined] : [`openai of ${user}`, `anthropic of ${user}`];
  switch (i % 4) {
    case 0:
      return thrown(at.openAi(openAi).chat.completions.create(body));
    case 1:
      return thrown(
        at
          .openAi(openAi)
          .chat.completions.create({ ...body, stream: true })
          .then((events) => Array.fromAsync(events)),
      );
    case 2:
      return thrown(at.anthropic(anthropic).messages.create(body));
    default:
      return thrown(at.anthropic(anthropic).messages.stream(body).finalText());
  }
}

/**
 * The codes of those of a hundred calls at once that failed. Nothing is answered before each is
 * refused, or under way.
 */
async function race(call: (i: number) => Call): Promise<readonly string[]> {
  const decided = Promise.withResolvers<void>();
  let left = AT_ONCE;
  const decide = (): void => {
    if (--left === 0) decided.resolve();
  };
  at.provider.script.turn = () => {
    decide();
    return { gate: decided.promise };
  };
  const errors = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, i) => {
      const error = await ask(call(i), i);
      if (error !== undefined) decide();
      return error;
    }),
  );
  at.provider.script.turn = () => ({});
  return errors.filter((error) => error !== undefined).map(codeOf);
}

function codeOf(error: unknown): string {
  const { code, error: inside } = Object(error);
  return String(code ?? Object(inside?.error ?? inside).code ?? error);
}

/** Races again and again, until the budget takes nothing more. */
async function spend(call: (i: number) => Call, check: (all: readonly MonthBudget[]) => void) {
  const over = new AbortController();
  const watched = (async () => {
    while (!over.signal.aborted) check(await read());
  })();
  try {
    for (let exceeded = 0; exceeded < AT_ONCE;) {
      const codes = await race(call);
      const others = new Set(codes).difference(
        new Set(['llm_quota_exceeded', 'too_many_requests']),
      );
      expect([...others]).toEqual([]);
      exceeded = codes.filter((code) => code === 'llm_quota_exceeded').length;
    }
  } finally {
    over.abort();
    await watched;
  }
  check(await read());
}

/** Within each limit, with what is under way. */
function expectWithin(budgets: readonly MonthBudget[]): void {
  for (const one of budgets) {
    if (one.tokens !== null) {
      expect(one.tokensUsed + one.tokensReserved).toBeLessThanOrEqual(one.tokens);
    }
    if (one.money !== null) {
      expect(one.moneyUsed + one.moneyReserved).toBeLessThanOrEqual(one.money + ROUNDING);
    }
  }
}

/** Sums of money are of binary fractions. */
const ROUNDING = 1e-9;

test('members of nested teams never go over the budget of either together', async () => {
  const none = await put({
    budgets: [
      { team: { uid: inner }, tokens: 0 },
      { team: { uid: outer }, tokens: 0 },
    ],
  });
  const used = (team: string) => none.find((one) => one.team === team)!.tokensUsed;
  await put({
    budgets: [
      { team: { uid: inner }, tokens: used(inner) + 3_000 },
      { team: { uid: outer }, tokens: used(outer) + 5_000 },
    ],
  });
  const users = ['ann', 'bob', 'ann'] as const;
  await spend((i) => ({ user: users[i % 3]!, model: MODEL }), expectWithin);
  for (const one of await read()) {
    expect(one.tokensReserved).toBe(0);
    expect(one.tokensUsed).toBeGreaterThan(used(String(one.team)));
  }
  // Who is in neither team asks on.
  expect(await ask({ user: 'cid', model: MODEL }, 0)).toBeUndefined();
});

test('money is never spent twice, whatever the models cost', async () => {
  const prices = {
    [MODEL]: { inputPerMillion: 333_333.3, outputPerMillion: 777_777.7 },
    [SMALL]: { inputPerMillion: 100_000, outputPerMillion: 100_000 },
  };
  const [free] = await put({ prices, budgets: [{ team: null, money: 0 }] });
  const { moneyUsed } = free!;
  const perCall = (USED.inputTokens * 333_333.3 + USED.outputTokens * 777_777.7) / 1_000_000;
  await put({ budgets: [{ team: null, money: moneyUsed + 60 * perCall }] });
  const users = ['ann', 'bob', 'cid'] as const;
  await spend((i) => ({ user: users[i % 3]!, model: i % 5 === 0 ? SMALL : MODEL }), expectWithin);
  const [spent] = await read();
  expect(spent).toMatchObject({ moneyReserved: 0, tokens: null });
  expect(spent!.moneyUsed).toBeGreaterThan(moneyUsed);
  await put({ prices: {}, budgets: [] });
});

test('answers that are larger than asked for are counted, and then no more is begun', async () => {
  const [none] = await put({ budgets: [{ team: null, tokens: 0 }] });
  const limit = none!.tokensUsed + 4_000;
  await put({ budgets: [{ team: null, tokens: limit }] });
  // A provider that does not keep to `max_tokens`.
  at.provider.script.turn = () => says('More than was asked for.', { outputTokens: 9_000 });
  expect(await ask({ user: 'ann', model: MODEL }, 0)).toBeUndefined();
  const codes = await race(() => ({ user: 'ann', model: MODEL }));
  expect(new Set(codes)).toEqual(new Set(['llm_quota_exceeded']));
  expect(codes).toHaveLength(AT_ONCE);
  expect(at.provider.requests).toHaveLength(1);
});

test('a soft budget refuses none of a hundred at once, and tells when it is spent', async () => {
  const soft = { isHard: false, softPercent: 50 };
  const teamed = { team: { uid: outer }, tokens: 0 };
  const [begun] = await put({ budgets: [{ ...soft, ...teamed }] });
  const before = begun!.tokensUsed;
  const perCall = USED.inputTokens + USED.outputTokens;
  // Half of it is reached by the race, and the whole by the next one.
  const tokens = Math.max(before * 2 + perCall, before + AT_ONCE * perCall + perCall);
  const [ready] = await put({ budgets: [{ ...soft, ...teamed, tokens }] });
  expect(ready).toMatchObject({ state: 'ok', isHard: false });
  const call = (i: number): Call => ({ user: i % 2 === 0 ? 'ann' : 'bob', model: MODEL });
  const stateFor = async (user: string) =>
    (Object(await ok(user, 'GET', '/api/llm/usage')).budget as LlmBudget).months[0]?.state;
  const seen = new Set<unknown>([await stateFor('ann')]);
  while (!seen.has('spent')) {
    // Beside the budget there is only the pace of each token.
    const codes = new Set(await race(call));
    codes.delete('too_many_requests');
    expect([...codes]).toEqual([]);
    seen.add(await stateFor('ann'));
  }
  expect([...seen].at(-1)).toBe('spent');
  expect(await ask(call(0), 0)).toBeUndefined();
  expect(await stateFor('bob')).toBe('spent');
  expect((await read())[0]!.tokensUsed).toBeGreaterThanOrEqual(tokens);
});
