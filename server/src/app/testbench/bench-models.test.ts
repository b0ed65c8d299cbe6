import type { Scope } from '@trellis/endpoint/scope.ts';
import { expect, it } from 'vitest';
import { openTestWorkspace } from './open-test-workspace.ts';

it('has models and agents that the test stands for, for users', async () => {
  await using workspace = await openTestWorkspace({
    users: [{ name: 'ada' }],
    ai: {
      complete: ({ prompt }) => `You said ${String(prompt)}.`,
      embed: (texts) => texts.map((text) => [text.length]),
      agents: {
        adder: (message, { by }) => Number(message) + Number(by),
        lazy: () => {
          throw new Error('not today');
        },
      },
    },
  });
  const ask = async ({ ai }: Scope) => {
    const { text } = await ai.complete('yes');
    const added = await ai.runAgent('adder', '1', { by: '2' });
    const { status, result, error } = await ai.runAgent('lazy', '1');
    const code = await ai.runAgent('nobody', '1').catch((thrown: { code: string }) => thrown.code);
    return [text, await ai.embed(['abc']), added.result, status, result, error?.message, code];
  };
  const { body } = await workspace.run(ask, { user: 'ada' });
  expect(body).toEqual(['You said yes.', [[3]], 3, 'Failed', null, 'not today', 'agent_not_found']);
  const nobody: unknown = await workspace
    .run(({ ai }: Scope) => ai.embed(['a']))
    .catch((thrown: unknown) => thrown);
  expect(Object(nobody).cause).toMatchObject({ code: 'ai_needs_user' });
});
