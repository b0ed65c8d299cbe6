import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { LlmWorkspace, MODEL, PROVIDER_KEY, thrown } from '../support/llm-workspace.ts';
import { TrellisProcess } from '../support/trellis-process.ts';

let at: LlmWorkspace;
beforeAll(async () => {
  at = await LlmWorkspace.start();
  await at.use('openai-compatible');
});
afterAll(() => at[Symbol.asyncDispose]());

const ASKED = { model: MODEL, messages: [{ role: 'user' as const, content: 'Hello?' }] };
const MESSAGE = { ...ASKED, max_tokens: 100 };

const usage = async (): Promise<readonly Record<string, unknown>[]> => {
  const { json } = await at.people.as('admin', 'GET', '/api/llm/usage');
  return Object(json).items as Record<string, unknown>[];
};

describe('a token', () => {
  test.each(['llm-anthropic', 'admin'])('of another kind is refused: %s', async (token) => {
    const refused = await thrown(at.openAi(token).chat.completions.create(ASKED));
    expect(refused).toBeInstanceOf(OpenAI.PermissionDeniedError);
    expect(refused).toMatchObject({ code: 'forbidden', type: 'permission_error' });
  });

  test.each(['llm-openai', 'admin'])(
    'of another kind is refused by Anthropic: %s',
    async (token) => {
      const refused = await thrown(at.anthropic(token).messages.create(MESSAGE));
      expect(refused).toBeInstanceOf(Anthropic.PermissionDeniedError);
      expect(refused).toMatchObject({ type: 'permission_error' });
    },
  );

  test('may come in the other header, on the base of Anthropic only', async () => {
    const authToken = at.people.token('llm-anthropic');
    const baseURL = `${at.address}/anthropic`;
    const bearer = new Anthropic({ authToken, apiKey: null, baseURL, maxRetries: 0 });
    expect((await bearer.messages.create(MESSAGE)).role).toBe('assistant');
    const headers = { 'x-api-key': at.people.token('llm-openai') };
    const answer = await fetch(`${at.address}/openai/v1/models`, { headers });
    expect(answer.status).toBe(401);
    const session = { 'x-api-key': at.people.token('admin') };
    const elsewhere = await fetch(`${at.people.workspace.server.url}/api/login/check`, {
      headers: session,
    });
    expect(elsewhere.status).toBe(401);
  });

  test('is in no query', async () => {
    const token = at.people.token('llm-anthropic');
    const path = `${at.address}/anthropic/v1/models?token=${token}`;
    expect((await fetch(path)).status).toBe(401);
    const beside = await fetch(path, { headers: { 'x-api-key': token } });
    expect(await beside.json()).toMatchObject({ error: { code: 'token_in_query' } });
  });

  test('that is none is not authenticated', async () => {
    const client = new Anthropic({
      apiKey: 'no.token.here',
      baseURL: `${at.address}/anthropic`,
      maxRetries: 0,
    });
    const refused = await thrown(client.messages.create(MESSAGE));
    expect(refused).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(refused).toMatchObject({ error: { error: { code: 'invalid_token' } } });
  });

  test('is refused once its user is deactivated', async () => {
    await at.people.add('bob');
    await at.addToken('bob-llm', 'llm-openai', 'bob');
    await at.openAi('bob-llm').chat.completions.create(ASKED);
    const path = `/api/users/user/${at.people.uid('bob')}/deactivate`;
    expect((await at.people.as('admin', 'POST', path)).status).toBe(204);
    const refused = await thrown(at.openAi('bob-llm').chat.completions.create(ASKED));
    expect(refused).toBeInstanceOf(OpenAI.AuthenticationError);
  });
});

describe('what is used', () => {
  beforeAll(async () => {
    at.provider.reset();
    await at.people.add('eve');
    await at.addToken('eve-openai', 'llm-openai', 'eve');
    await at.addToken('eve-anthropic', 'llm-anthropic', 'eve');
  });

  const ofEve = async () => (await usage()).filter(({ user }) => user === at.people.uid('eve'));

  test('is counted by token and user, of streams too', async () => {
    await at.openAi('eve-openai').chat.completions.create(ASKED);
    await at.openAi('eve-openai').chat.completions.stream(ASKED).finalChatCompletion();
    await at.anthropic('eve-anthropic').messages.stream(MESSAGE).finalMessage();
    const day = new Date().toISOString().slice(0, 10);
    const counted = (calls: number) => ({
      day,
      token: expect.any(String),
      user: at.people.uid('eve'),
      calls,
      inputTokens: 11 * calls,
      outputTokens: 5 * calls,
      split: [
        {
          feature: 'router',
          model: MODEL,
          calls,
          inputTokens: 11 * calls,
          outputTokens: 5 * calls,
        },
      ],
    });
    expect(await ofEve()).toEqual([counted(2), counted(1)]);
  });

  test.each(['openai-compatible', 'anthropic'] as const)(
    'is estimated where the client leaves before %s has counted',
    async (provider) => {
      await at.use(provider);
      at.provider.reset();
      const sum = async (name: string): Promise<number> =>
        (await ofEve()).reduce((all, row) => all + Number(row[name]), 0);
      const before = [await sum('calls'), await sum('inputTokens'), await sum('outputTokens')];
      const never = Promise.withResolvers<void>().promise;
      at.provider.script.beforeEvent = (index) => (index < 6 ? undefined : never);
      const stream = at.openAi('eve-openai').chat.completions.stream(ASKED);
      const left = thrown(stream.done());
      stream.once('content', () => stream.abort());
      expect(await left).toBeInstanceOf(OpenAI.APIUserAbortError);
      await at.provider.left(1);
      await expect.poll(() => sum('calls')).toBe(before[0]! + 1);
      expect(await sum('inputTokens')).toBeGreaterThan(before[1]!);
      // More than the one that a provider counts at the beginning.
      expect(await sum('outputTokens')).toBeGreaterThan(before[2]! + 1);
      at.provider.reset();
    },
  );

  test('ends with the day: a user who has used it up is told until when', async () => {
    await at.use('openai-compatible', { tokensPerUserAndDay: 10 });
    const refused = await thrown(at.anthropic('eve-anthropic').messages.create(MESSAGE));
    expect(refused).toBeInstanceOf(Anthropic.RateLimitError);
    expect(refused).toMatchObject({ error: { error: { code: 'llm_quota_exceeded' } } });
    const { headers } = refused as InstanceType<typeof Anthropic.APIError>;
    expect(Number(headers?.get('retry-after'))).toBeGreaterThan(0);
    expect(headers?.get('x-should-retry')).toBe('false');
    expect(at.provider.requests).toHaveLength(0);
    await at.use('openai-compatible');
  });
});

describe('models', () => {
  beforeAll(() => at.use('anthropic', { models: ['small', MODEL] }));
  afterAll(() => at.use('openai-compatible'));

  test('are those that an administrator allows', async () => {
    const models = await at.openAi().models.list();
    expect(models.data.map(({ id }) => id)).toEqual([MODEL, 'small']);
    const others = await at.anthropic().models.list();
    expect(others.data.map(({ id }) => id)).toEqual([MODEL, 'small']);
  });

  test('others are not found', async () => {
    const model = 'gpt-x';
    const refused = await thrown(at.openAi().chat.completions.create({ ...ASKED, model }));
    expect(refused).toBeInstanceOf(OpenAI.NotFoundError);
    expect(refused).toMatchObject({
      status: 404,
      code: 'model_not_found',
      type: 'not_found_error',
    });
    const other = await thrown(at.anthropic().messages.create({ ...MESSAGE, model }));
    expect(other).toBeInstanceOf(Anthropic.NotFoundError);
    expect(other).toMatchObject({ type: 'not_found_error', requestID: expect.any(String) });
  });
});

describe('embeddings', () => {
  beforeEach(() => at.provider.reset());

  test('come of their own provider, with its model only', async () => {
    const embeddings = { provider: 'openai-compatible', baseUrl: at.provider.url, model: 'words' };
    const client = at.openAi();
    const missing = await thrown(client.embeddings.create({ model: 'words', input: 'a' }));
    expect(missing).toMatchObject({ status: 409, code: 'embeddings_not_configured' });
    const body = { embeddings: { ...embeddings, apiKey: PROVIDER_KEY } };
    await at.people.as('admin', 'PUT', '/api/chatai/providers', body);
    const answer = await client.embeddings.create({
      model: 'words',
      input: 'a',
      encoding_format: 'float',
    });
    expect(answer.data[0]?.embedding).toEqual([0.6, 0.8]);
    expect(await thrown(client.embeddings.create({ model: MODEL, input: 'a' }))).toMatchObject({
      code: 'model_not_found',
    });
  });
});

test('what is used is there after a restart', async () => {
  const before = await usage();
  expect(before.length).toBeGreaterThan(0);
  const { server, storage, token } = at.people.workspace;
  expect(await server.stop()).toBe(0);
  await using again = await TrellisProcess.start({ storage });
  const http = new HttpClient(again.url);
  const { json } = await http.send({ method: 'GET', path: '/api/llm/usage', token });
  expect(Object(json).items).toEqual(before);
});
