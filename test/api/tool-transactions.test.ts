import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConflictScene, PAUSE } from '../support/conflict-scene.ts';
import { calls, says, type LlmServerRequest } from '../support/llm-server.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';

const CALLS_OF_A_TURN = 5;
const now = Promise.resolve();

const ASKS_OUTSIDE = `export const input = z.object({ key: z.string() });
export default async ({ body, graph, ai }: Scope<typeof input>) => {
  const { Value = 0 } = await graph.get('Counter', body.key);
  await graph.addOrUpdate('Counter', 'half', { Value: 1 });
  await ai.embed(['outside']);
  await graph.update('Counter', body.key, { Value: Value + 1 });
};
`;
const INSISTS = `export const input = z.object({ key: z.string() });
export default async ({ body, graph, search }: Scope<typeof input>) => {
  const { Value = 0 } = await graph.get('Counter', body.key);
  await graph.addOrUpdate('Counter', 'half', { Value: 1 });
  ${PAUSE}
  await graph.update('Counter', body.key, { Value: Value + 1 });
  return Value + 1;
};
`;

let at: ConflictScene;
beforeAll(async () => {
  at = await ConflictScene.start();
  await at.endpoint('insists', INSISTS);
  await at.endpoint('asks-outside', ASKS_OUTSIDE);
  for (const [name, endpoint] of [
    ['count_up', 'count'],
    ['insist', 'insists'],
    ['ask_outside', 'asks-outside'],
  ]) {
    await at.ok('POST', '/api/chatai/tools', { name, endpoint, description: 'Counts.' });
  }
  const tools = ['count_up', 'insist', 'ask_outside'];
  await at.ok('POST', '/api/chatai/agents', { name: 'counter', instructions: 'Count.', tools });
});
afterAll(() => at[Symbol.asyncDispose]());
beforeEach(() => at.provider.reset());

/** Each run asks twice: first the model calls tools, as often as it says, and then it has ended. */
function eachCalls(tool: string, key: string, times: number): void {
  const tools = Array.from({ length: times }, () => [tool, { key }] as const);
  const isFirst = ({ body }: LlmServerRequest) => !JSON.stringify(body).includes('"role":"tool"');
  at.provider.script.turn = (request) => ({
    ...(isFirst(request) ? calls(...tools) : says('Done.')),
    gate: now,
  });
}

interface ToolCall {
  readonly tool: string;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A chat calls no tools that write; agents do. */
async function run(as: string): Promise<ToolCall[]> {
  const path = '/api/chatai/agents/counter/run';
  const { transcript } = Object(await at.ok('POST', path, { message: 'Count.' }, as));
  return transcript.filter(({ role }: { role: string }) => role === 'tool');
}

/** What the model was told of its last tool. */
function toldLast(): string {
  const { messages } = at.provider.last.body as { messages: { role: string; content: string }[] };
  return messages.findLast(({ role }) => role === 'tool')?.content ?? '';
}

describe('tools that agents call', () => {
  test('all at once, of several users, and beside callers of their endpoint, count each call', async () => {
    await at.set('hits', 0);
    eachCalls('count_up', 'hits', CALLS_OF_A_TURN);
    const beside = Array.from({ length: CALLS_OF_A_TURN }, () =>
      at.ok('POST', '/api/endpoints/run/count', { key: 'hits' }),
    );
    const told = (await Promise.all([run('ann'), run('admin')])).flat();
    const outputs = [...told.map(({ output }) => output), ...(await Promise.all(beside))];
    expect(outputs.map(Number).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 3 * CALLS_OF_A_TURN }, (_, i) => i + 1),
    );
    expect(await at.valueOf('hits')).toBe(3 * CALLS_OF_A_TURN);
  });

  test('run again when somebody writes what they have read', async () => {
    await at.set('read', 0);
    eachCalls('insist', 'read', 1);
    const told = await at.during(
      () => run('ann'),
      () => at.set('read', 5),
    );
    expect(told).toMatchObject([{ output: 6 }]);
    expect(await at.valueOf('read')).toBe(6);
  });

  test.each([
    ['insist', 6],
    ['ask_outside', 1],
  ])('in a conflict that lasts tell the model so, and write nothing: %s', async (tool, changes) => {
    await at.set('busy', 0);
    await at.set('half', 0);
    eachCalls(tool, 'busy', 1);
    const told = await at.during(
      () => run('ann'),
      ...Array.from({ length: changes }, (_, i) => () => at.set('busy', i + 10)),
    );
    expect(told).toMatchObject([{ tool, error: { code: 'write_conflict' } }]);
    expect(toldLast()).toMatch(/write_conflict.*othing.*was written/s);
    expect([await at.valueOf('busy'), await at.valueOf('half')]).toEqual([changes + 9, 0]);
  });
});

test('a tool of an MCP client in a conflict that lasts says so, and writes nothing', async () => {
  await at.set('busy', 0);
  await at.set('half', 0);
  const { url } = at.people.workspace.server;
  await using client = await connectMcp(url, at.people.token('ann'));
  const { value } = await at.during(
    () => callTool(client, 'ask_outside', { key: 'busy' }),
    () => at.set('busy', 5),
  );
  expect(value).toMatchObject({
    error: { code: 'write_conflict', hint: expect.stringContaining('Nothing was written') },
  });
  expect([await at.valueOf('busy'), await at.valueOf('half')]).toEqual([5, 0]);
});
