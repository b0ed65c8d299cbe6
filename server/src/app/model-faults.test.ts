import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LLM_ANSWER_BYTES_MAX } from '#base/assistant-limits.ts';
import { problemOf } from '#graph/testing/test-graph.ts';
import { calls, inTurn, says } from '../../../test/support/llm-server.ts';
import { LIMITS, ModelScene, request, toolOf, USER } from './testing/model-scene.ts';

const never = Promise.withResolvers<never>().promise;

let scene: ModelScene;
beforeEach(async () => {
  scene = await ModelScene.open();
});
afterEach(() => scene[Symbol.asyncDispose]());

describe.each(['openai-compatible', 'anthropic'] as const)('a model of %s', (kind) => {
  it.each([
    ['sends no JSON', { raw: ['data: {"a\n\n'] }, 'llm_misconfigured'],
    [
      'sends what is not its protocol',
      { raw: ['data: {"choices":7,"type":"x"}\n\ndata: [DONE]\n\n'] },
      'llm_misconfigured',
    ],
    [
      'says that it fails',
      { raw: ['data: {"type":"error","error":{"message":"no"}}\n\n'] },
      'llm_unavailable',
    ],
    ['breaks off', { cutAfter: 4 }, 'llm_unavailable'],
    [
      'breaks off after its first words',
      { cutAfter: 4, beforeEvent: async () => void (await nextTurn()) },
      'llm_unavailable',
    ],
    ['ends early', { raw: [] }, 'llm_unavailable'],
    [
      'refuses',
      { fault: { status: 400, body: '{"error":{"message":"no"}}' } },
      'llm_misconfigured',
    ],
    ['fails', { fault: { status: 500, body: '{}' } }, 'llm_unavailable'],
    ['sends one huge event', { raw: huge() }, 'llm_misconfigured'],
  ])('that %s ends the run with %s', async (_what, turn, code) => {
    scene.server.script.turn = inTurn(turn);
    expect((await problemOf(() => scene.runner(kind).run(request()))).code).toBe(code);
    expect(scene.server.requests).toHaveLength(1);
    expect(scene.state.isFailing).toBe(true);
  });

  it('that talks without end is cut off', async () => {
    const word = 'x'.repeat(LLM_ANSWER_BYTES_MAX / 64);
    scene.server.script.turn = () => says(`${word} `.repeat(128));
    expect((await problemOf(() => scene.runner(kind).run(request()))).code).toBe(
      'llm_misconfigured',
    );
    await scene.server.left(1);
  });

  it('that hangs is left alone', async () => {
    scene.server.script.gate = never;
    const late = { headMs: 20, idleMs: 20 };
    expect(
      (await problemOf(() => scene.runner(kind, { timeouts: late }).run(request()))).code,
    ).toBe('llm_unavailable');
    const limits = { ...LIMITS, timeoutMs: 20 };
    expect((await problemOf(() => scene.runner(kind).run(request({ limits })))).code).toBe(
      'llm_timeout',
    );
    await scene.server.left(2);
  });

  it('is left when nobody wants the answer any more', async () => {
    const leaver = new AbortController();
    scene.server.script.beforeEvent = (index) => (index < 4 ? undefined : never);
    const running = scene
      .runner(kind)
      .run(request({ signal: leaver.signal, onEvent: () => leaver.abort(new Error('gone')) }));
    await expect(running).rejects.toThrow('gone');
    await scene.server.left(1);
    expect(scene.ledger.usedToday(USER)).toBeGreaterThan(0);
  });

  it('is not waited for by a tool that is under way when nobody wants the answer any more', async () => {
    const leaver = new AbortController();
    scene.server.script.turn = inTurn(calls(['lookup', {}]), says('Never said.'));
    const tool = toolOf((_input, signal) => {
      leaver.abort(new Error('gone'));
      expect(signal.aborted).toBe(true);
      return never.then(() => ({ text: '', output: null }));
    });
    const running = scene.runner(kind).run(request({ tools: [tool], signal: leaver.signal }));
    await expect(running).rejects.toThrow('gone');
    expect(scene.server.requests).toHaveLength(1);
  });
});

/** One event of ten megabytes. */
function huge(): string[] {
  return ['data: {"x":"', 'x'.repeat(10 * 1024 * 1024), '"}\n\n'];
}
