import { expect, test } from 'vitest';
import { says } from '../support/llm-server.ts';
import { LlmWorkspace, MODEL, thrown } from '../support/llm-workspace.ts';

const TOKENS_PER_DAY = 30_000;
/** Tokens of one answer, which may have 8,192. */
const OUTPUT_TOKENS = 8_000;
const AT_ONCE = 40;

test('requests that come at once do not use the day of a user many times', async () => {
  await using at = await LlmWorkspace.start();
  await at.use('openai-compatible', { tokensPerUserAndDay: TOKENS_PER_DAY });
  const held = Promise.withResolvers<void>();
  const turn = { ...says('A long answer.', { outputTokens: OUTPUT_TOKENS }), gate: held.promise };
  at.provider.script.turn = () => turn;
  const messages = [{ role: 'user' as const, content: 'Talk at length.' }];
  const ask = (i: number) => {
    const body = { model: MODEL, messages };
    return i % 2 === 0
      ? thrown(at.openAi().chat.completions.create(body))
      : thrown(at.anthropic().messages.create({ ...body, max_tokens: 8_192 }));
  };
  let refused = 0;
  const settled = Promise.withResolvers<void>();
  const asked = Array.from({ length: AT_ONCE }, async (_, i) => {
    const error = await ask(i);
    // What is refused is so while the others are under way.
    if (error !== undefined && ++refused === AT_ONCE - 3) settled.resolve();
    return error;
  });
  await settled.promise;
  held.resolve();
  const errors = (await Promise.all(asked)).filter((error) => error !== undefined);
  for (const error of errors) expect(error).toMatchObject({ status: 429 });
  expect(at.provider.requests).toHaveLength(3);
  const { items } = Object((await at.people.as('admin', 'GET', '/api/llm/usage')).json);
  const used = items.reduce(
    (sum: number, row: { inputTokens: number; outputTokens: number }) =>
      sum + row.inputTokens + row.outputTokens,
    0,
  );
  expect(used).toBeLessThanOrEqual(TOKENS_PER_DAY);
  // What was reserved is free again.
  expect(await ask(0)).toBeUndefined();
});
