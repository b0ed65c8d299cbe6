import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { calls, inTurn, says } from '../support/llm-server.ts';
import { LlmWorkspace, PROVIDER_KEY } from '../support/llm-workspace.ts';

const AI = `export const input = z.object({ method: z.enum(['complete', 'embed', 'runAgent']), args: z.array(z.any()) });
export default async ({ body, ai }: Scope<typeof input>) => {
  const [first, second, third] = body.args;
  switch (body.method) {
    case 'complete':
      return ai.complete(first);
    case 'embed':
      return ai.embed(first);
    default:
      return ai.runAgent(first, second, third);
  }
};
`;
const CAUGHT = `export const input = z.object({ request: z.any() });
export default async ({ body, ai }: Scope<typeof input>) =>
  ai.complete(body.request).catch(({ code, message }) => ({ code, message }));
`;
const never = Promise.withResolvers<void>().promise;

let at: LlmWorkspace;
beforeAll(async () => {
  at = await LlmWorkspace.start();
  await at.use('anthropic');
  const { url } = at.provider;
  const embeddings = {
    provider: 'openai-compatible',
    baseUrl: url,
    model: 'vectors',
    apiKey: PROVIDER_KEY,
  };
  await ok('PUT', '/api/chatai/providers', { embeddings });
  for (const [name, code] of [
    ['ai', AI],
    ['caught', CAUGHT],
  ] as const) {
    const made = await ok('POST', '/api/endpoints/create', { name, code, isReadOnly: true });
    expect(made.diagnostics).toEqual([]);
  }
  await at.people.addToken('system', { kind: 'endpoint', name: 'system', path: '' });
});
afterAll(() => at[Symbol.asyncDispose]());
beforeEach(() => at.provider.reset());

async function ok(method: string, path: string, body: unknown, who = 'admin') {
  const { status, text, json } = await at.people.as(who, method, path, body);
  expect(status, text).toBeLessThan(300);
  return json as ReturnType<typeof JSON.parse>;
}
const ai = (method: string, ...args: unknown[]) =>
  ok('POST', '/api/cce/ai', { method, args }, 'ann');
const caught = async (request: unknown, who = 'ann') =>
  (await ok(
    'POST',
    who === 'system' ? '/api/endpoints/token/run/caught' : '/api/cce/caught',
    { request },
    who,
  )) as {
    readonly code: string;
    readonly message: string;
  };
const used = async () => {
  const { items } = await ok('GET', '/api/llm/usage', undefined);
  const own = items.filter(({ user }: { user: string }) => user === at.people.uid('ann'));
  return own.reduce((sum: number, row: { inputTokens: number }) => sum + row.inputTokens, 0);
};

describe('ai', () => {
  test('completes, as the user of the call', async () => {
    const before = await used();
    at.provider.script.turn = () => says('Tall.');
    const answer = { text: 'Tall.', model: 'large', ended: 'answer' };
    expect(await ai('complete', 'A tree is')).toEqual({
      ...answer,
      usage: { inputTokens: 11, outputTokens: 5 },
    });
    const messages = [
      { role: 'user', text: 'A tree?' },
      { role: 'assistant', text: 'Yes.' },
      { role: 'user', text: 'How tall?' },
    ];
    const request = { messages, instructions: 'Be short.', maxTokens: 9 };
    expect(await ai('complete', request)).toMatchObject(answer);
    const { body } = at.provider.last;
    expect([body['max_tokens'], JSON.stringify(body['system'])]).toEqual([
      9,
      expect.stringContaining('Be short.'),
    ]);
    expect(body['messages']).toHaveLength(3);
    expect(body['tools']).toBeUndefined();
    expect(await used()).toBe(before + 22);
  });

  test('makes vectors of texts', async () => {
    expect(await ai('embed', ['tree'])).toEqual([[0.6, 0.8]]);
    expect(at.provider.last.body).toMatchObject({ model: 'vectors', input: ['tree'] });
  });

  test('runs agents', async () => {
    const agent = { name: 'reader', instructions: 'Read ${WHAT}.', tools: ['caught'] };
    await ok('POST', '/api/chatai/agents', agent);
    at.provider.script.turn = inTurn(
      calls(['caught', { request: {} }]),
      says('Read. It is old [7].'),
    );
    const done = await ai('runAgent', 'reader', 'Go', { WHAT: 'this' });
    expect(done).toMatchObject({
      status: 'Completed',
      result: 'Read. It is old [7].',
      error: null,
    });
    expect(done).toMatchObject({
      citations: [],
      support: [
        { sentence: 'Read.', verdict: 'unchecked' },
        { sentence: 'It is old [7].', verdict: 'unsupported', start: 6, end: 20 },
      ],
      supportRate: 0,
      supportJudge: null,
    });
    expect(JSON.stringify(at.provider.requests[0]?.body)).toContain('Read this.');
    const run = await ok('GET', `/api/chatai/agent-runs/${done.UID}`, undefined, 'ann');
    expect(run.transcript[1].output.code).toBe('invalid_request');
  });

  test.each([
    [{}, 'must have either'],
    [{ prompt: 'a', messages: [{ role: 'user', text: 'b' }] }, 'must have either'],
    [{ messages: [{ role: 'assistant', text: 'b' }] }, "messages: must end with a user's"],
    [{ prompt: 7 }, 'prompt: '],
    [{ prompt: 'a', tools: [] }, 'tools'],
    [null, 'ai.complete'],
  ])('says what is wrong with %o', async (request, message) => {
    const { code, message: said } = await caught(request);
    expect([code, said]).toEqual(['invalid_request', expect.stringContaining(message)]);
    expect(at.provider.requests).toHaveLength(0);
  });

  test('is for users: a token of the system has none', async () => {
    expect((await caught('Hello', 'system')).code).toBe('ai_needs_user');
    expect((await caught({ prompt: 'Hello', model: 'other' })).code).toBe('model_not_found');
    at.provider.script.fault = { status: 500, body: '{}' };
    expect((await caught('Hello')).code).toBe('llm_unavailable');
  });

  test('stops when the caller has gone, and when the time is up', async () => {
    at.provider.script.gate = never;
    const leaver = new AbortController();
    const left = fetch(`${at.people.workspace.server.url}/api/cce/ai`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${at.people.token('ann')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ method: 'complete', args: ['Hello'] }),
      signal: leaver.signal,
    });
    await at.provider.received(1);
    leaver.abort();
    await expect(left).rejects.toThrow('aborted');
    await at.provider.left(1);
    await ok('PUT', '/api/endpoints/ai', { timeoutMs: 500 });
    const late = await at.people.outcome('ann', 'POST', '/api/cce/ai', {
      method: 'complete',
      args: ['Hello'],
    });
    expect(late).toEqual([504, 'endpoint_timeout']);
    await at.provider.left(2);
  });
});
