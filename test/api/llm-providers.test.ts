import { afterAll, beforeAll, expect, test } from 'vitest';
import { LlmServer } from '../support/llm-server.ts';
import { LlmWorkspace, MODEL, PROVIDER_KEY } from '../support/llm-workspace.ts';

const OTHER_KEY = 'sk-of-the-other-provider';

let at: LlmWorkspace;
let other: LlmServer;
beforeAll(async () => {
  at = await LlmWorkspace.start();
  other = await LlmServer.start();
  other.script.key = OTHER_KEY;
  await at.use('openai-compatible');
});
afterAll(async () => {
  await other[Symbol.asyncDispose]();
  await at[Symbol.asyncDispose]();
});

const ask = (model: string) =>
  at.openAi().chat.completions.create({ model, messages: [{ role: 'user', content: 'Hello?' }] });
const put = (furtherChat: readonly object[]) =>
  at.people.as('admin', 'PUT', '/api/chatai/providers', { furtherChat });
const state = async (): Promise<unknown> =>
  (await at.people.as('admin', 'GET', '/api/llm/state')).json;

const provider = () => ({
  name: 'other',
  provider: 'anthropic',
  baseUrl: other.url,
  models: ['wise', 'witty'],
  apiKey: OTHER_KEY,
});

test('each model is asked of the provider that has it, with the key of that one', async () => {
  const answer = await put([provider()]);
  expect([answer.status, answer.text.includes(OTHER_KEY)]).toEqual([200, false]);
  await ask(MODEL);
  await ask('witty');
  expect(at.provider.requests.map(({ body }) => body['model'])).toEqual([MODEL]);
  expect(other.requests.map(({ path, body }) => [path, body['model']])).toEqual([
    ['/v1/messages', 'witty'],
  ]);
  const models = await at.openAi().models.list();
  expect(models.data.map(({ id }) => id)).toEqual([MODEL, 'wise', 'witty']);
});

test('one that is down does not keep the others from answering, and its state says so', async () => {
  await put([provider()]);
  other.script.fault = { status: 500 };
  await expect(ask('wise')).rejects.toMatchObject({ code: 'llm_unavailable' });
  await ask(MODEL);
  expect(await state()).toMatchObject({
    status: 'ok',
    further: [{ name: 'other', status: 'failing', lastError: expect.any(String) }],
  });
  other.script.fault = undefined;
  await ask('wise');
  expect(await state()).toMatchObject({ further: [{ name: 'other', status: 'ok' }] });
});

test('a model is of one provider, and a key stays with its server', async () => {
  await put([provider()]);
  const twice = await put([{ ...provider(), models: [MODEL] }]);
  expect([twice.status, twice.text]).toEqual([
    400,
    expect.stringContaining('furtherChat.0.models'),
  ]);
  const { apiKey: _key, ...without } = provider();
  const moved = await put([{ ...without, baseUrl: at.provider.url }]);
  expect([moved.status, moved.text]).toEqual([400, expect.stringContaining('chat/other.apiKey')]);
  await ask('wise');
  expect(
    at.provider.requests.every(({ headers }) => !JSON.stringify(headers).includes(OTHER_KEY)),
  ).toBe(true);
  expect(JSON.stringify(at.provider.requests)).not.toContain(`${PROVIDER_KEY}${OTHER_KEY}`);
});

test('without it its models are unknown', async () => {
  await put([]);
  await expect(ask('wise')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
});
