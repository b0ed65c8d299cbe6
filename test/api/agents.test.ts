import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { calls, inTurn, says } from '../support/llm-server.ts';
import { LlmWorkspace } from '../support/llm-workspace.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const AGENTS = '/api/chatai/agents';
const RUNS = '/api/chatai/agent-runs';
const ECHO = `export const input = z.object({ word: z.string() });
export default async ({ body, CurrentUser }: Scope<typeof input>) =>
  ({ word: body.word, as: CurrentUser?.UserName });
`;
const RUNS_AGENT = `export const input = z.object({ agent: z.string() });
export default async ({ body, ai }: Scope<typeof input>) =>
  ai.runAgent(body.agent, 'Hello').catch(({ code }) => ({ code }));
`;
const WRITES = `export const input = z.object({ isbn: z.string() });
export default async function ({ body, graph }: Scope<typeof input>) {
  await graph.addOrUpdate('Book', body.isbn, { Title: 'By an agent' });
  return 'written';
}
`;
const never = Promise.withResolvers<void>().promise;

let at: LlmWorkspace;
beforeAll(async () => {
  at = await LlmWorkspace.start();
  for (const user of ['bob', 'rita']) await at.people.add(user);
  await at.use('openai-compatible');
  await ok('PUT', '/api/schema', LIBRARY_SCHEMA);
  await create('echo', ECHO, { isReadOnly: true });
  await create('nested', RUNS_AGENT, { isReadOnly: true });
  await create('writes', WRITES, {});
  await ok('POST', '/api/chatai/tools', {
    name: 'writer',
    description: 'Writes.',
    endpoint: 'writes',
  });
});
afterAll(() => at[Symbol.asyncDispose]());
beforeEach(() => at.provider.reset());

async function create(name: string, code: string, more: object): Promise<void> {
  const made = await ok('POST', '/api/endpoints/create', { name, code, ...more });
  expect(made.diagnostics).toEqual([]);
}

type Json = ReturnType<typeof JSON.parse>;

async function ok(method: string, path: string, body?: unknown, who = 'admin'): Promise<Json> {
  const { status, text, json } = await at.people.as(who, method, path, body);
  expect(status, text).toBeLessThan(300);
  return json;
}

const refused = (who: string, method: string, path: string, body?: unknown) =>
  at.people.outcome(who, method, path, body);
const agent = (name: string, more: object = {}) =>
  ok('POST', AGENTS, { name, instructions: 'Be short.', ...more });
const run = (name: string, more: object = {}, who = 'ann') =>
  ok('POST', `${AGENTS}/${name}/run`, { message: 'What is a tree?', ...more }, who);
const sent = () => JSON.stringify(at.provider.last.body);

describe('agents', () => {
  test('are made, listed by those who may run them, changed and deleted by administrators', async () => {
    const made = await agent('first', { instructions: 'Speak ${TONGUE:-English} to ${WHOM}.' });
    const limits = { steps: 16, toolCalls: 32, tokens: 200_000, seconds: 300 };
    expect(made).toMatchObject({ name: 'first', access: 'users', tools: [], model: null, limits });
    await agent('secret', { access: 'admins' });
    const listed = async (who: string) => {
      const { items } = await ok('GET', AGENTS, undefined, who);
      return items.filter(({ name }: Json) => ['first', 'secret'].includes(name));
    };
    expect(await listed('ann')).toMatchObject([{ name: 'first', variables: ['TONGUE', 'WHOM'] }]);
    expect(Object.keys((await listed('ann'))[0])).not.toContain('instructions');
    expect(await listed('admin')).toHaveLength(2);
    const changed = await ok('PUT', `${AGENTS}/first`, { limits: { steps: 3 }, model: 'large' });
    expect(changed).toMatchObject({ limits: { ...limits, steps: 3 }, model: 'large' });
    expect(await ok('GET', `${AGENTS}/first`)).toEqual(changed);
    expect(await refused('admin', 'POST', AGENTS, { name: 'first', instructions: 'x' })).toEqual([
      409,
      'agent_exists',
    ]);
    expect(await refused('ann', 'POST', `${AGENTS}/secret/run`, { message: 'x' })).toEqual([
      404,
      'agent_not_found',
    ]);
    expect(await refused('ann', 'GET', `${AGENTS}/first`)).toEqual([403, 'forbidden']);
    const schema = { type: 'object', not: { type: 'string' } };
    expect(await refused('admin', 'PUT', `${AGENTS}/first`, { outputSchema: schema })).toEqual([
      400,
      'invalid_request',
    ]);
    const { status } = await at.people.as('admin', 'DELETE', `${AGENTS}/first`);
    expect(status).toBe(204);
    expect(await refused('admin', 'DELETE', `${AGENTS}/first`)).toEqual([404, 'agent_not_found']);
    const { items } = await ok('GET', '/api/audit?take=50');
    const actions = items.map(({ action, target }: Json) => [action, target?.id]);
    expect(actions).toEqual(
      expect.arrayContaining(
        ['created', 'changed', 'deleted'].map((done) => [`agent.${done}`, 'first']),
      ),
    );
  });

  test('run as their user, with tools and variables, and are kept for that user', async () => {
    await agent('speaker', {
      instructions: 'Speak ${TONGUE:-English} to ${WHOM:-all}, ${NOBODY}.',
      tools: ['echo', 'no_such_tool'],
    });
    at.provider.script.turn = inTurn(calls(['echo', { word: 'tree' }]), says('It is tall.'));
    const done = await run('speaker', { variables: { TONGUE: 'Dutch', OTHER: 'x' } });
    const tool = { role: 'tool', tool: 'echo', input: { word: 'tree' } };
    expect(done).toMatchObject({
      agent: 'speaker',
      status: 'Completed',
      result: 'It is tall.',
      error: null,
      usage: { inputTokens: 22, outputTokens: 10 },
      transcript: [
        { role: 'user', text: 'What is a tree?' },
        { ...tool, output: { word: 'tree', as: 'ann' } },
        { role: 'assistant', text: 'It is tall.' },
      ],
    });
    expect(JSON.stringify(at.provider.requests[0]?.body)).toContain(
      'Speak Dutch to all, ${NOBODY}.',
    );
    expect(at.provider.requests[0]?.body['tools']).toHaveLength(1);
    const path = `${RUNS}/${done.UID}`;
    for (const who of ['ann', 'admin']) expect(await ok('GET', path, undefined, who)).toEqual(done);
    expect(await refused('bob', 'GET', path)).toEqual([404, 'agent_run_not_found']);
    expect(await refused('bob', 'POST', `${path}/cancel`)).toEqual([404, 'agent_run_not_found']);
    const listed = (who: string) => ok('GET', `${RUNS}?agent=speaker`, undefined, who);
    expect((await listed('ann')).items).toMatchObject([{ UID: done.UID, status: 'Completed' }]);
    expect((await listed('bob')).total).toBe(0);
    expect((await listed('admin')).total).toBe(1);
    expect(await ok('POST', `${path}/cancel`, undefined, 'ann')).toEqual(done);
  });

  test('answer what their schema says, and are asked again once', async () => {
    const outputSchema = {
      type: 'object',
      properties: { height: { type: 'number' } },
      required: ['height'],
    };
    await agent('measurer', { outputSchema });
    at.provider.script.turn = inTurn(says('```json\n{"height": 12}\n```'));
    expect(await run('measurer')).toMatchObject({ status: 'Completed', result: { height: 12 } });
    at.provider.script.turn = inTurn(says('Very tall.'), says('{"height": 3}'));
    expect(await run('measurer')).toMatchObject({ error: null, result: { height: 3 } });
    expect(sent()).toContain('It is not JSON.');
    at.provider.script.turn = inTurn(says('{"height": "tall"}'), says('{}'));
    expect(await run('measurer')).toMatchObject({
      status: 'Failed',
      result: null,
      error: { code: 'agent_output_invalid', message: expect.stringContaining('height') },
      usage: { inputTokens: 22 },
    });
  });

  test('that fail say why', async () => {
    await agent('failing', { model: 'no-such-model' });
    expect(await run('failing')).toMatchObject({
      status: 'Failed',
      error: { code: 'model_not_found' },
    });
    await agent('hasty', { limits: { seconds: 1 } });
    at.provider.script.turn = () => ({ gate: never });
    expect(await run('hasty')).toMatchObject({ status: 'Failed', error: { code: 'llm_timeout' } });
    await agent('short');
    at.provider.script.turn = () => says('And so', { stop: 'length' });
    expect(await run('short')).toMatchObject({
      status: 'Failed',
      error: { code: 'agent_output_invalid' },
    });
  });

  test('go on by themselves, and are cancelled', async () => {
    await agent('slow');
    at.provider.script.gate = never;
    const { UID, status } = await run('slow', { async: true });
    expect(status).toBe('Running');
    await at.provider.received(1);
    expect(await ok('GET', `${RUNS}/${UID}`, undefined, 'ann')).toMatchObject({
      status: 'Running',
      endedAt: null,
      transcript: [{ role: 'user' }],
    });
    const cancelled = await ok('POST', `${RUNS}/${UID}/cancel`, undefined, 'ann');
    expect(cancelled).toMatchObject({ status: 'Canceled', result: null, error: null });
    await at.provider.left(1);
    const leaver = new AbortController();
    const url = `${at.people.workspace.server.url}${AGENTS}/slow/run`;
    const left = fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${at.people.token('ann')}`,
        'content-type': 'application/json',
      },
      body: '{"message":"Hello"}',
      signal: leaver.signal,
    });
    await at.provider.received(2);
    leaver.abort();
    await expect(left).rejects.toThrow('aborted');
    await at.provider.left(2);
  });

  test('of an endpoint that only reads have tools that only read', async () => {
    await agent('librarian', { tools: ['writer', 'echo'] });
    await ok('POST', '/api/cce/nested', { agent: 'librarian' }, 'ann');
    expect(at.provider.last.body['tools']).toMatchObject([{ function: { name: 'echo' } }]);
    await run('librarian');
    expect(at.provider.last.body['tools']).toHaveLength(2);
  });

  test('run one another three deep, and no deeper', async () => {
    await agent('deep', { tools: ['nested'] });
    at.provider.script.turn = ({ body }) => {
      const isFirst = !JSON.stringify(body).includes('"role":"tool"');
      return isFirst ? calls(['nested', { agent: 'deep' }]) : says('Back.');
    };
    expect(await run('deep')).toMatchObject({ status: 'Completed', result: 'Back.' });
    const { items } = await ok('GET', `${RUNS}?agent=deep`, undefined, 'ann');
    expect(items).toHaveLength(3);
    const deepest = await ok('GET', `${RUNS}/${items[0].UID}`, undefined, 'ann');
    expect(deepest.transcript[1].output).toEqual({ code: 'agent_too_deep' });
  });
});
