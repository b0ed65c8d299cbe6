import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { says } from '../support/llm-server.ts';
import { LlmWorkspace } from '../support/llm-workspace.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

let at: LlmWorkspace;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  at = await LlmWorkspace.start();
  await at.use('openai-compatible');
  for (const agent of [
    { name: 'greeter', instructions: 'Greet in ${TONGUE:-English}.', description: 'Greets.' },
    { name: 'lost', instructions: 'Be there.', model: 'none' },
  ]) {
    const { status, text } = await at.people.as('admin', 'POST', '/api/chatai/agents', agent);
    if (status !== 201) throw new Error(text);
  }
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const run = (args: readonly string[], input?: string) =>
  runTrellis(['agent', ...args], {
    home: folder.path,
    server: at.people.workspace.server.url,
    token: at.people.token('ann'),
    input,
  });

test('agents are listed', async () => {
  const { code, stdout } = await run(['list']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/greeter +users +TONGUE +Greets\./)]);
});

test('an agent runs, and says what came of it', async () => {
  at.provider.script.turn = () => says('Goedendag!');
  const greeted = await run(['run', 'greeter', 'Hello', '--var', 'TONGUE=Dutch']);
  expect([greeted.code, greeted.stdout]).toEqual([0, 'Goedendag!\n']);
  expect(JSON.stringify(at.provider.last.body)).toContain('Greet in Dutch.');
  const piped = await run(['run', 'greeter', '--json'], 'Hello again');
  expect([piped.code, JSON.parse(piped.stdout)]).toMatchObject([
    0,
    { status: 'Completed', message: 'Hello again', result: 'Goedendag!' },
  ]);
});

test('a run that fails is told, with an exit code', async () => {
  const lost = await run(['run', 'lost', 'Hello']);
  expect([lost.code, lost.stdout]).toEqual([1, '']);
  expect(lost.stderr).toContain('There is no model "none" here.');
  const wrong = await run(['run', 'greeter', 'Hello', '--var', 'TONGUE']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('NAME=value')]);
  expect((await run(['run', 'nobody', 'Hello'])).code).toBe(1);
});
