import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LlmUsageList } from '@trellis/contract/shapes/llm.ts';
import { says } from '../support/llm-server.ts';
import { LlmWorkspace, MODEL, PROVIDER_KEY, thrown } from '../support/llm-workspace.ts';

const TOKENS_PER_DAY = 20_000;
const AI = 'export default async ({ ai }: Scope) => (await ai.complete("A tree is")).text;';

let at: LlmWorkspace;
beforeAll(async () => {
  at = await LlmWorkspace.start();
  // Nothing is limited as long as there is no provider.
  expect((await usage('ann')).budget).toMatchObject({ tokensPerDay: null, tokensLeft: null });
  await at.use('openai-compatible', {
    tokensPerUserAndDay: TOKENS_PER_DAY,
    models: [MODEL, 'small'],
  });
  const baseUrl = at.provider.url;
  const embeddings = {
    provider: 'openai-compatible',
    baseUrl,
    model: 'vectors',
    apiKey: PROVIDER_KEY,
  };
  await ok('admin', 'PUT', '/api/chatai/providers', { embeddings });
  await at.people.add('bob');
  await at.people.add('gus', { isGuest: true });
  await ok('admin', 'POST', '/api/endpoints/create', { name: 'ai', code: AI, isReadOnly: true });
  await ok('admin', 'POST', '/api/chatai/agents', { name: 'reader', instructions: 'Be short.' });
});
afterAll(() => at[Symbol.asyncDispose]());
beforeEach(() => at.provider.reset());

async function ok(who: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const { status, text, json } = await at.people.as(who, method, path, body);
  expect(status, text).toBeLessThan(300);
  return json;
}
const usage = async (who: string, query = ''): Promise<LlmUsageList> =>
  Object(await ok(who, 'GET', `/api/llm/usage${query}`));
const asks = (model = MODEL) =>
  at.openAi().chat.completions.create({ model, messages: [{ role: 'user', content: 'Hello?' }] });

const all = (list: LlmUsageList) =>
  list.budget.split.map(({ feature, model, calls }) => [feature, model, calls]).toSorted();

test('people see their own use by feature and model, and nobody else', async () => {
  expect((await usage('ann')).budget).toMatchObject({
    user: at.people.uid('ann'),
    tokensPerDay: TOKENS_PER_DAY,
    tokensUsed: 0,
    tokensLeft: TOKENS_PER_DAY,
    requestsAtOnceMax: 64,
    requestsPerMinuteMax: 1_000,
    tokens: [],
    split: [],
  });
  await asks();
  await asks('small');
  await at.openAi().embeddings.create({ model: 'vectors', input: 'tree' });
  await ok('ann', 'POST', '/api/chatai/chat', { message: 'Hello?' });
  await ok('ann', 'POST', '/api/cce/ai', {});
  await ok('bob', 'POST', '/api/chatai/agents/reader/run', { message: 'Hello?' });
  const session = Object(await ok('admin', 'POST', '/api/admin-agent/sessions', {}));
  const path = `/api/admin-agent/sessions/${session.id}/messages`;
  await ok('admin', 'POST', path, { message: 'Hello?' });

  const [ann, bob, admin] = [await usage('ann'), await usage('bob'), await usage('admin')];
  expect(all(ann)).toEqual([
    ['chat', MODEL, 1],
    ['embeddings', 'vectors', 1],
    ['endpoints', MODEL, 1],
    ['router', MODEL, 1],
    ['router', 'small', 1],
  ]);
  expect(all(bob)).toEqual([['agents', MODEL, 1]]);
  expect(all(admin)).toEqual([['admin-agent', MODEL, 1]]);

  for (const [who, list] of [
    ['ann', ann],
    ['bob', bob],
  ] as const) {
    const uid = at.people.uid(who);
    expect(new Set(list.items.map(({ user }) => user))).toEqual(new Set([uid]));
    expect(list.items).toEqual(admin.items.filter(({ user }) => user === uid));
    expect(list.total).toBe(list.items.length);
    const used = list.items.reduce((sum, row) => sum + row.inputTokens + row.outputTokens, 0);
    const split = list.budget.split.reduce(
      (sum, row) => sum + row.inputTokens + row.outputTokens,
      0,
    );
    expect(list.budget).toMatchObject({
      tokensUsed: used,
      tokensReserved: 0,
      tokensLeft: TOKENS_PER_DAY - used,
    });
    expect(split).toBe(used);
  }
  expect(new Set(admin.items.map(({ user }) => user)).size).toBe(3);
  expect((await usage('ann', '?skip=1&take=1')).items).toEqual(ann.items.slice(1, 2));
  expect(await usage('gus')).toMatchObject({ items: [], total: 0, budget: { tokensUsed: 0 } });
});

test('what is under way is reserved, and what is left is what may still be asked', async () => {
  const before = (await usage('ann')).budget;
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  at.provider.script.turn = () => {
    begun.resolve();
    return { ...says('Yes.'), gate: held.promise };
  };
  const asked = asks();
  await begun.promise;
  const { budget } = await usage('ann');
  expect(budget.tokensReserved).toBeGreaterThan(8_000);
  expect(budget.tokensLeft).toBe(TOKENS_PER_DAY - budget.tokensUsed - budget.tokensReserved);
  const router = budget.tokens.filter(({ requestsUnderWay }) => requestsUnderWay === 1);
  expect(router).toMatchObject([{ requestsBegun: expect.any(Number) }]);
  // It is of a user: others have all that they had.
  expect((await usage('bob')).budget).toMatchObject({ tokensReserved: 0 });
  expect((await usage('bob')).budget.tokens.map(({ token }) => token)).not.toContain(
    router[0]?.token,
  );
  held.resolve();
  await asked;
  const after = (await usage('ann')).budget;
  expect(after).toMatchObject({ tokensReserved: 0 });
  expect(after.tokensUsed).toBe(before.tokensUsed + 16);
  expect(after.tokensLeft).toBe(TOKENS_PER_DAY - after.tokensUsed);
});

test('when nothing is left, it is said before it is refused', async () => {
  at.provider.script.turn = () => says('Much.', { outputTokens: TOKENS_PER_DAY });
  await asks();
  expect((await usage('ann')).budget.tokensLeft).toBe(0);
  expect(await thrown(asks())).toMatchObject({ status: 429, code: 'llm_quota_exceeded' });
  expect((await usage('bob')).budget.tokensLeft).toBeGreaterThan(0);
});

test('tokens may not ask for it, nor who is nobody', async () => {
  for (const [who, status] of [
    ['llm-openai', 403],
    ['', 401],
  ] as const) {
    expect((await at.people.as(who, 'GET', '/api/llm/usage')).status).toBe(status);
  }
});
