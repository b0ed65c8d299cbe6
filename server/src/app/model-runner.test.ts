import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelEvent, ModelOutcome, ModelTool } from '#assistant/model/model-run.ts';
import { MODEL_TOOLS_AT_A_TIME } from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import { problemOf } from '#graph/testing/test-graph.ts';
import { calls, inTurn, says } from '../../../test/support/llm-server.ts';
import { KEY, LIMITS, ModelScene, request, toolOf, USER } from './testing/model-scene.ts';

const never = Promise.withResolvers<never>().promise;

let scene: ModelScene;
beforeEach(async () => {
  scene = await ModelScene.open();
});
afterEach(() => scene[Symbol.asyncDispose]());

/** Tools, instructions and messages, in the order in which providers read them, without marks. */
function beginningOf({ tools, system, messages }: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify([tools, system, messages], (name, value: unknown) => {
    if (name === 'cache_control') return undefined;
    // A text, and a list of it as its only block, are the same to the provider.
    return name === 'content' && typeof value === 'string'
      ? [{ type: 'text', text: value }]
      : value;
  });
  return text.slice(0, -1);
}

const lastError = ({ toolCalls }: ModelOutcome) => toolCalls.at(-1)?.error?.code;

describe.each(['openai-compatible', 'anthropic'] as const)('a model of %s', (kind) => {
  it('calls a tool, reads what it gives, and answers', async () => {
    scene.server.script.turn = inTurn(
      {
        said: {
          ...says('Let me see.').said!,
          ...calls(['lookup', { word: 'tree' }]).said!,
          text: 'Let me see.',
        },
      },
      says('A tree.'),
    );
    const events: ModelEvent[] = [];
    const outcome = await scene
      .runner(kind)
      .run(request({ onEvent: (event) => events.push(event) }));
    const call = { tool: 'lookup', input: { word: 'tree' }, output: { word: 'tree' } };
    expect(outcome).toEqual({
      text: 'Let me see.\n\nA tree.',
      toolCalls: [{ ...call, ms: expect.any(Number) }],
      usage: { inputTokens: 22, outputTokens: 10 },
      model: 'large',
      ended: 'answer',
    });
    const texts = events.flatMap((event) => (event.kind === 'text' ? [event.text] : []));
    expect(texts.join('')).toBe(outcome.text);
    expect(events.map(({ kind: what }) => what).filter((what) => what !== 'text')).toEqual([
      'tool-call',
      'tool-result',
    ]);
    expect(scene.sent(1)).toContain('tree is a word');
    expect(scene.ledger.list({ skip: 0, take: 9 }).items).toMatchObject([
      { token: 'session-1', user: USER, calls: 2, inputTokens: 22, outputTokens: 10 },
    ]);
    expect(scene.state).toMatchObject({ isFailing: false, lastError: null });
    const { headers, body } = scene.server.last;
    expect(headers['x-api-key'] ?? headers.authorization).toContain(KEY);
    expect(body['max_tokens'] ?? body['max_completion_tokens']).toBe(500);
  });

  it('is told of what goes wrong with a tool', async () => {
    const rows: [ModelTool['call'], string][] = [
      [() => Promise.reject(new Problem('not_found', 'No such word.')), 'not_found: No such word.'],
      [() => Promise.reject(new Error('secret')), 'internal_error: The tool failed.'],
      [() => never, 'tool_timeout: The tool'],
    ];
    for (const [call, told] of rows) {
      scene.server.reset();
      scene.server.script.turn = inTurn(calls(['lookup', {}]), says('Nothing.'));
      const tools = [toolOf(call as ModelTool['call'])];
      const limits = { ...LIMITS, toolTimeoutMs: 20 };
      const outcome = await scene.runner(kind).run(request({ tools, limits }));
      expect(outcome).toMatchObject({ text: 'Nothing.', ended: 'answer' });
      expect(scene.sent(1)).toContain(told);
      expect(lastError(outcome)).toBe(told.split(':')[0]);
    }
    expect(scene.faults).toEqual([new Error('secret')]);
  });

  it('that invents a tool is told so, and answers', async () => {
    scene.server.script.turn = inTurn(calls(['no_such_tool', { a: 1 }]), says('Without it.'));
    const outcome = await scene.runner(kind).run(request());
    expect(outcome).toMatchObject({ text: 'Without it.', ended: 'answer' });
    expect(outcome.toolCalls).toMatchObject([{ tool: 'no_such_tool', input: { a: 1 } }]);
    expect(lastError(outcome)).toBe('tool_not_found');
    // In our words, not in those of a library.
    expect(scene.sent(1)).toContain('tool_not_found: There is no such tool.');
    expect(scene.sent(1)).not.toMatch(/unavailable tool|Available tools/i);
  });

  it('keeps the beginning of its requests, so that a provider need not read it again', async () => {
    scene.server.script.turn = inTurn(
      calls(['lookup', { word: 'tree' }]),
      calls(['lookup', { word: 'leaf' }]),
      says('Done.'),
    );
    await scene.runner(kind).run(request());
    const bodies = scene.server.requests.map(({ body }) => body);
    const isMarked = (body: unknown) => JSON.stringify(body).includes('cache_control');
    expect(bodies.map(isMarked)).toEqual(bodies.map(() => kind === 'anthropic'));
    // A server that only speaks OpenAI's protocol may refuse what it does not know.
    for (const body of bodies) expect(body).not.toHaveProperty('prompt_cache_key');
    const plain = bodies.map((body) => beginningOf(body));
    for (const [at, next] of plain.slice(1).entries()) {
      // All but the end of the list of messages is the same text.
      expect(next.startsWith(plain[at]!.slice(0, -1))).toBe(true);
    }
    const all = plain.reduce((sum, text) => sum + text.length, 0);
    const read = plain.slice(0, -1).reduce((sum, text) => sum + text.length, 0);
    // So nearly half of what three steps send needs no second reading; of ten, far more.
    expect(read / all).toBeGreaterThan(0.4);
  });

  it('that asks for the same tool for ever is asked for an answer at last', async () => {
    scene.server.script.turn = ({ body }) => {
      const mayCall = Array.isArray(body['tools']) && Object(body['tool_choice']).type !== 'none';
      return mayCall ? calls(['lookup', { word: 'tree' }]) : says('At last.');
    };
    const bySteps = await scene.runner(kind).run(request());
    expect(bySteps).toMatchObject({ text: 'At last.', ended: 'steps' });
    expect([bySteps.toolCalls.length, scene.server.requests.length]).toEqual([5, 6]);
    scene.server.requests.length = 0;
    const limits = { ...LIMITS, toolCallsMax: 2 };
    const byCalls = await scene.runner(kind).run(request({ limits }));
    expect(byCalls).toMatchObject({ text: 'At last.', ended: 'tool-calls' });
    expect([byCalls.toolCalls.length, scene.server.requests.length]).toEqual([2, 3]);
  });

  it('that calls tools whatever it is told comes to an end', async () => {
    scene.server.script.turn = () => calls(['lookup', { word: 'tree' }]);
    const limits = { ...LIMITS, toolCallsMax: 2 };
    const outcome = await scene.runner(kind).run(request({ limits }));
    expect(outcome).toMatchObject({ text: '', ended: 'tool-calls' });
    expect(scene.server.requests).toHaveLength(3);
  });

  it('calls tools in parallel, four at a time, and no more than it may', async () => {
    let running = 0;
    let most = 0;
    const started: (() => void)[] = [];
    const tool = toolOf(async () => {
      most = Math.max(most, ++running);
      const { promise, resolve } = Promise.withResolvers<void>();
      started.push(resolve);
      // The first few go on together, the others one after the other.
      if (started.length >= MODEL_TOOLS_AT_A_TIME) for (const go of started.splice(0)) go();
      if (most < MODEL_TOOLS_AT_A_TIME || running === MODEL_TOOLS_AT_A_TIME) await promise;
      running--;
      return { text: 'done', output: null };
    });
    const names = Array.from({ length: 8 }, (_, i) => ['lookup', { word: String(i) }] as const);
    scene.server.script.turn = inTurn(calls(...names), says('All.'));
    const limits = { ...LIMITS, toolCallsMax: 6 };
    const outcome = await scene.runner(kind).run(request({ tools: [tool], limits }));
    expect(most).toBe(MODEL_TOOLS_AT_A_TIME);
    expect(outcome).toMatchObject({ text: 'All.', ended: 'tool-calls' });
    const errors = outcome.toolCalls.filter(({ error }) => error?.code === 'too_many_requests');
    expect([outcome.toolCalls.length, errors.length]).toEqual([8, 2]);
  });

  it('answers with what it knows when its tokens are used up', async () => {
    scene.server.script.turn = ({ body }) => {
      const mayCall = Array.isArray(body['tools']) && Object(body['tool_choice']).type !== 'none';
      return mayCall ? calls(['lookup', { word: 'tree' }]) : says('What I know.');
    };
    // Each step takes 16: after the second, a third would be the last that fits.
    const limits = { ...LIMITS, tokensMax: 48 };
    const outcome = await scene.runner(kind).run(request({ limits }));
    expect(outcome).toMatchObject({ text: 'What I know.', ended: 'tokens' });
    expect(outcome.usage).toEqual({ inputTokens: 33, outputTokens: 15 });
    scene.server.requests.length = 0;
    // Also where the first step has taken more than there is.
    const few = await scene.runner(kind).run(request({ limits: { ...LIMITS, tokensMax: 1 } }));
    expect(few).toMatchObject({ text: 'What I know.', ended: 'tokens' });
    expect(scene.server.requests).toHaveLength(2);
  });

  it('says where an answer was cut', async () => {
    scene.server.script.turn = () => says('And so', { stop: 'length' });
    expect(await scene.runner(kind).run(request())).toMatchObject({
      text: 'And so',
      ended: 'length',
    });
  });

  it('that is busy for a moment is asked once more', async () => {
    const busy = { fault: { status: 429, headers: { 'retry-after': '0' }, body: '{}' } };
    scene.server.script.turn = inTurn(busy, says('Now.'));
    expect(await scene.runner(kind).run(request())).toMatchObject({ text: 'Now.' });
    scene.server.script.turn = inTurn(busy, busy, says('Too late.'));
    expect((await problemOf(() => scene.runner(kind).run(request()))).code).toBe('llm_busy');
    const later = { fault: { status: 429, headers: { 'retry-after': '60' }, body: '{}' } };
    scene.server.requests.length = 0;
    scene.server.script.turn = inTurn(later, says('Too late.'));
    const problem = await problemOf(() => scene.runner(kind).run(request()));
    expect([problem.code, problem.details]).toEqual(['llm_busy', { retryAfterSeconds: 60 }]);
    expect(scene.server.requests).toHaveLength(1);
  });
});

describe('a model', () => {
  it('that gives a tool arguments which are no JSON is told so', async () => {
    const delta = (tool: object) =>
      `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { tool_calls: [tool] }, finish_reason: null }] })}\n\n`;
    const end = `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })}\n\ndata: [DONE]\n\n`;
    const broken = delta({
      index: 0,
      id: 'c1',
      type: 'function',
      function: { name: 'lookup', arguments: '{"word": tr' },
    });
    const list = delta({
      index: 0,
      id: 'c2',
      type: 'function',
      function: { name: 'lookup', arguments: '[1]' },
    });
    for (const first of [broken, list]) {
      scene.server.script.turn = inTurn({ raw: [first, end] }, says('Sorry.'));
      const outcome = await scene.runner('openai-compatible').run(request());
      expect(outcome).toMatchObject({ text: 'Sorry.', ended: 'answer' });
      expect(lastError(outcome)).toBe('invalid_request');
    }
  });

  it('is one that is allowed, for a user who has tokens left', async () => {
    const unknown = await problemOf(() =>
      scene.runner('anthropic').run(request({ model: 'other' })),
    );
    expect(unknown.code).toBe('model_not_found');
    expect((await scene.runner('anthropic').run(request({ model: 'small' }))).model).toBe('small');
    expect(scene.server.last.body['model']).toBe('small');
    // The first step uses up the day.
    scene.server.script.turn = () => calls(['lookup', {}]);
    const poor = scene.runner('anthropic', { tokensPerDay: 10 });
    expect((await problemOf(() => poor.run(request()))).code).toBe('llm_quota_exceeded');
    expect(scene.server.requests).toHaveLength(2);
  });

  it('may be asked for less than the settings allow', async () => {
    await scene
      .runner('openai-compatible')
      .run(request({ limits: { ...LIMITS, answerTokensMax: 7 } }));
    expect(scene.server.last.body['max_completion_tokens']).toBe(7);
  });
});
