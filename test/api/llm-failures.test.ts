import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LlmServer } from '../support/llm-server.ts';
import {
  LlmWorkspace,
  MODEL,
  PROVIDER_KEY,
  thrown,
  type ProviderKind,
} from '../support/llm-workspace.ts';

let at: LlmWorkspace;
beforeAll(async () => {
  at = await LlmWorkspace.start();
});
afterAll(() => at[Symbol.asyncDispose]());

const PROVIDERS: readonly ProviderKind[] = ['openai-compatible', 'anthropic'];
const ASKED = { model: MODEL, messages: [{ role: 'user' as const, content: 'Hello?' }] };
const MESSAGE = { ...ASKED, max_tokens: 100 };
const TEN_MEGABYTES = 10 * 1024 * 1024;

/** What both official clients make of a refusal. */
async function failures(): Promise<{ readonly openAi: OpenAiError; readonly anthropic: unknown }> {
  const openAi = await thrown(at.openAi().chat.completions.create(ASKED));
  const anthropic = await thrown(at.anthropic().messages.create(MESSAGE));
  if (!(openAi instanceof OpenAI.APIError)) throw new Error('no error', { cause: openAi });
  if (!(anthropic instanceof Anthropic.APIError)) throw new Error('no error', { cause: anthropic });
  const body = anthropic.error as { error: { code: string; type: string } };
  // Both read the same.
  expect(body.error).toMatchObject({ code: openAi.code, type: openAi.type });
  expect(anthropic.type).toBe(openAi.type);
  expect(anthropic.requestID).toEqual(expect.any(String));
  expect(JSON.stringify([openAi, anthropic, openAi.message])).not.toContain(PROVIDER_KEY);
  return { openAi, anthropic };
}

type OpenAiError = InstanceType<typeof OpenAI.APIError>;

async function state(): Promise<unknown> {
  return (await at.people.as('admin', 'GET', '/api/llm/state')).json;
}

test('without a provider a client is told how to add one', async () => {
  expect(await state()).toMatchObject({ status: 'off' });
  const { openAi } = await failures();
  expect(openAi).toMatchObject({ status: 409, code: 'llm_not_configured' });
  expect(openAi.error).toMatchObject({ hint: expect.stringContaining('/api/chatai/providers') });
  expect(openAi.headers?.get('x-should-retry')).toBe('false');
  expect(await thrown(at.openAi().models.list())).toMatchObject({ code: 'llm_not_configured' });
});

describe.each(PROVIDERS)('a provider that speaks %s', (provider) => {
  beforeAll(() => at.use(provider));
  beforeEach(() => at.provider.reset());

  test.each([
    [400, 'llm_request_refused', 400],
    [422, 'llm_request_refused', 400],
    [401, 'llm_misconfigured', 502],
    [403, 'llm_misconfigured', 502],
    [404, 'llm_misconfigured', 502],
    [307, 'llm_misconfigured', 502],
    [429, 'llm_busy', 429],
    [500, 'llm_unavailable', 503],
    [529, 'llm_unavailable', 503],
  ])('and answers %i: %s', async (status, code, expected) => {
    const message = `Not with ${PROVIDER_KEY}!`;
    const headers = { location: `${at.provider.url}/elsewhere` };
    at.provider.script.fault = { status, headers, body: JSON.stringify({ error: { message } }) };
    const { openAi } = await failures();
    expect(openAi).toMatchObject({ status: expected, code });
    const said = openAi.message.includes('Not with [key]!');
    expect(said).toBe(![401, 403].includes(status));
    // Neither followed nor repeated.
    expect(at.provider.requests).toHaveLength(2);
  });

  test('and says when to come back is heard', async () => {
    at.provider.script.fault = { status: 429, headers: { 'retry-after': '17' } };
    const { openAi } = await failures();
    expect(openAi.headers?.get('retry-after')).toBe('17');
    expect(openAi.headers?.get('x-should-retry')).toBe('true');
  });

  test.each([
    ['no JSON', ['<html>']],
    ['JSON of something else', ['{"error":{"message":"no"}}']],
    ['null', ['null']],
    ['nothing', []],
    [
      '10 MiB',
      ['{"content":[],"choices":[{"message":{"content":"', 'x'.repeat(TEN_MEGABYTES), '"}}]}'],
    ],
  ])('and answers with %s is not set up as it should be', async (_name, raw) => {
    at.provider.script.raw = raw;
    const { openAi } = await failures();
    expect(openAi).toMatchObject({ status: 502, code: 'llm_misconfigured' });
    expect(await state()).toMatchObject({ status: 'failing', lastError: expect.any(String) });
    at.provider.reset();
    await at.openAi().chat.completions.create(ASKED);
    expect(await state()).toMatchObject({ status: 'ok' });
  });

  test.each([
    ['cuts the connection', { cutAfter: 4 }, 'llm_unavailable'],
    ['ends too early', { raw: ['data: {"type":"ping"}\n\n'] }, 'llm_unavailable'],
    [
      'sends half an event',
      { raw: ['data: {"type":"ping"}\n\nda', 'ta: {"ty'] },
      'llm_unavailable',
    ],
    [
      'streams no JSON',
      { raw: ['data: {"type":"ping"}\n\n', 'data: {"no\n\n'] },
      'llm_misconfigured',
    ],
    ['streams a number', { raw: ['data: 7\n\n'] }, 'llm_misconfigured'],
    ['streams 10 MiB', { raw: ['data: "', 'x'.repeat(TEN_MEGABYTES)] }, 'llm_misconfigured'],
    [
      'says what went wrong',
      { raw: [`data: {"type":"error","error":{"message":"Busy ${PROVIDER_KEY}"}}\n\n`] },
      'llm_unavailable',
    ],
  ])('and %s in the middle of a stream ends it with an error', async (name, change, code) => {
    Object.assign(at.provider.script, change);
    const openAi = await thrown(readOpenAi());
    expect(openAi).toBeInstanceOf(OpenAI.APIError);
    expect(openAi).toMatchObject({ code });
    const anthropic = await thrown(at.anthropic().messages.stream(MESSAGE).finalMessage());
    expect(anthropic).toBeInstanceOf(Anthropic.APIError);
    expect(anthropic).toMatchObject({ error: { type: 'error', error: { code } } });
    const all = JSON.stringify([openAi, anthropic]);
    expect(all).not.toContain(PROVIDER_KEY);
    if (name === 'says what went wrong') expect(all).toContain('Busy [key]');
  });

  test('and answers a stream with no stream', async () => {
    const { said } = at.provider.script;
    at.provider.script.fault = { status: 200, body: JSON.stringify({ text: said.text }) };
    expect(await thrown(readOpenAi())).toMatchObject({ status: 502, code: 'llm_misconfigured' });
  });
});

describe('a provider that is not there', () => {
  beforeAll(async () => {
    const gone = await LlmServer.start();
    await at.use('openai-compatible', { baseUrl: gone.url });
    await gone[Symbol.asyncDispose]();
  });

  test('is told to administrators with what the network says, to others without', async () => {
    const { openAi } = await failures();
    expect(openAi).toMatchObject({ status: 503, code: 'llm_unavailable' });
    expect(openAi.headers?.get('retry-after')).toBe('5');
    expect(openAi.message).not.toContain('127.0.0.1');
    expect(await state()).toMatchObject({
      status: 'failing',
      lastError: expect.stringContaining('127.0.0.1'),
    });
    expect(JSON.stringify(await state())).not.toContain(PROVIDER_KEY);
  });
});

describe('what has no words in the protocol of the provider', () => {
  beforeEach(() => at.provider.reset());

  test.each([
    ['n', { n: 2 }],
    ['response_format', { response_format: { type: 'json_object' as const } }],
    ['logprobs', { logprobs: true }],
  ])('is refused: %s', async (name, more) => {
    await at.use('anthropic');
    const refused = await thrown(at.openAi().chat.completions.create({ ...ASKED, ...more }));
    expect(refused).toMatchObject({ status: 400, code: 'llm_request_refused' });
    expect(String(refused)).toContain(name);
    expect(at.provider.requests).toHaveLength(0);
  });

  test('is refused: tools that the provider of the other protocol runs itself', async () => {
    await at.use('openai-compatible');
    const tools = [{ type: 'web_search_20250305' as const, name: 'web_search' as const }];
    const refused = await thrown(at.anthropic().messages.create({ ...MESSAGE, tools }));
    expect(refused).toMatchObject({
      status: 400,
      error: { error: { code: 'llm_request_refused' } },
    });
  });
});

describe('a request', () => {
  const send = (path: string, body: unknown, token = 'llm-openai') =>
    at.people.as(token, 'POST', path, body);

  test.each([
    ['without a model', { messages: ASKED.messages }],
    ['without messages', { model: MODEL, messages: [] }],
    ['with a stream that is none', { ...ASKED, stream: 'yes' }],
  ])('%s is not valid', async (_name, body) => {
    const { status, json } = await send('/api/llm/openai/v1/chat/completions', body);
    expect([status, Object(json).error]).toMatchObject([
      400,
      { code: 'invalid_request', type: 'invalid_request_error' },
    ]);
  });

  test('of Anthropic needs max_tokens', async () => {
    const answer = await send('/api/llm/anthropic/v1/messages', ASKED, 'llm-anthropic');
    expect(answer.json).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', details: { fields: [{ path: 'max_tokens' }] } },
      traceId: answer.headers.get('x-request-id'),
    });
  });
});

test('the key of the provider is in no log', () => {
  expect(at.people.workspace.server.stderr).not.toContain(PROVIDER_KEY);
});

async function readOpenAi(): Promise<void> {
  const stream = await at.openAi().chat.completions.create({ ...ASKED, stream: true });
  for await (const chunk of stream) expect(chunk).toBeDefined();
}
