import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CHAT, ChatScene } from '../support/chat-scene.ts';
import { calls, inTurn, says } from '../support/llm-server.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { items } from '../support/people.ts';
import { phaseOf } from '../support/researched-library.ts';

const INPUT = 'export const input = z.object({});\n';
const WRITER = `${INPUT}export default async ({ graph }: Scope<typeof input>) => {
  await graph.addOrUpdate('Note', 'written');
  return 'written';
};`;
const READER = `${INPUT}export default async ({ runOnPrimary }: Scope<typeof input>) => runOnPrimary('writer', {});`;
const NESTED = `${INPUT}export default async ({ run }: Scope<typeof input>) => run('reader', {});`;
const PLAIN = `${INPUT}export default async () => 1;`;
/** The same without its name. */
const HIDDEN = `${INPUT}export default async (scope: Scope<typeof input>) => {
  const call = Reflect.get(scope, ['runOn', 'Primary'].join(''));
  return call('writer', {});
};`;
const REFUSED = 'runOnPrimary() is refused';

let at: ChatScene;
beforeAll(async () => {
  at = await ChatScene.start();
  await at.endpoint('writer', WRITER);
  for (const [name, code] of Object.entries({
    reader: READER,
    nested: NESTED,
    plain: PLAIN,
    hidden: HIDDEN,
  })) {
    await at.endpoint(name, code, { isReadOnly: true });
  }
});
afterAll(() => at[Symbol.asyncDispose]());
beforeEach(() => at.provider.reset());

const isWritten = async (): Promise<boolean> => (await notes()).includes('written');
async function notes(): Promise<string[]> {
  return items(await at.people.as('admin', 'POST', '/api/node/query', { type: 'Note' })).map(
    ({ Id }) => String(Id),
  );
}
const told = (): string => JSON.stringify(at.provider.requests.map(({ body }) => body));

test.each(['reader', 'nested'])('in the chat a reader only reads: %s', async (name) => {
  at.script(calls([name, {}]), says('Done.'));
  const { toolCalls } = await at.answered('ann', { message: 'Write.' });
  expect(toolCalls).toMatchObject([{ tool: name, error: { code: expect.any(String) } }]);
  expect(await isWritten()).toBe(false);
});

test('in a research a reader only reads', async () => {
  const { chatUID } = await at.answered('ann', { message: 'Hello' });
  at.provider.reset();
  at.provider.script.turn = (request) => {
    if (phaseOf(request) === 'plan') return says('[{"researcher":"Facts","question":"one"}]');
    if (phaseOf(request) === 'report') return says('Nothing.');
    const isTold = JSON.stringify(request.body).includes('"role":"tool"');
    return isTold ? says('Nothing.') : calls(['reader', {}], ['nested', {}]);
  };
  const ann = new TrellisClient({
    baseUrl: at.people.workspace.server.url,
    token: at.people.token('ann'),
  });
  const { id } = await ann.deepResearch.start({ chatUID, question: 'one' });
  for await (const _ of ann.jobs.watch(id));
  expect(await ann.jobs.get(id)).toMatchObject({ state: 'succeeded' });
  expect(told()).toContain('endpoint_failed');
  expect(told()).not.toContain('"written\\"');
  expect(await isWritten()).toBe(false);
});

test('what was offered as a reader stays one when its endpoint becomes a writer on the way', async () => {
  await at.endpoint('turns', PLAIN, { isReadOnly: true });
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  at.provider.script.turn = inTurn({ ...calls(['turns', {}]), gate: held.promise }, says('Done.'));
  const next = at.provider.script.turn;
  at.provider.script.turn = (request) => {
    begun.resolve();
    return next(request);
  };
  const answering = at.people.as('ann', 'POST', CHAT, { message: 'Write.' });
  await begun.promise;
  await at.ok('admin', 'PUT', '/api/endpoints/turns', { code: WRITER, isReadOnly: false });
  held.resolve();
  const { status, json } = await answering;
  expect([status, Object(json).toolCalls]).toMatchObject([200, [{ error: {} }]]);
  expect(await isWritten()).toBe(false);
});

test('the lists say which endpoints may, and others are refused it', async () => {
  const endpoints = items(await at.people.as('admin', 'GET', '/api/endpoints?take=1000'));
  const catalog = items(await at.people.as('admin', 'GET', '/api/build/catalog'));
  for (const list of [endpoints, catalog]) {
    const may = list.filter(({ mayRunOnPrimary }) => mayRunOnPrimary === true);
    expect(may.map(({ name }) => name)).toEqual(['reader']);
    const not = list.find(({ name }) => name === 'hidden');
    expect(not).toMatchObject({ mayRunOnPrimary: false });
  }
  const tool = { name: 'reads', endpoint: 'reader', description: 'Reads.' };
  expect(await at.ok('admin', 'POST', '/api/chatai/tools', tool)).toMatchObject({
    isReadOnly: true,
    mayRunOnPrimary: true,
  });
  const { url } = at.people.workspace.server;
  await using mcp = await connectMcp(url, at.people.token('ann'));
  const { tools } = await mcp.client.listTools();
  const meta = Object.fromEntries(tools.map(({ name, _meta }) => [name, _meta]));
  expect(meta['reads']).toEqual({ 'trellis/mayRunOnPrimary': true });
  expect(meta['hidden']).toBeUndefined();

  const hidden = await at.people.as('admin', 'POST', '/api/cce/hidden', {});
  expect([hidden.status, hidden.text]).toEqual([
    500,
    expect.stringContaining(REFUSED.slice(0, 12)),
  ]);
  expect(await isWritten()).toBe(false);
  // By itself, the one that is listed may.
  expect(await at.people.as('ann', 'POST', '/api/cce/reader', {})).toMatchObject({
    json: 'written',
  });
  expect(await isWritten()).toBe(true);
  // A new version is listed as it is.
  const changed = await at.ok('admin', 'PUT', '/api/endpoints/reader', { code: PLAIN });
  expect(changed).toMatchObject({ mayRunOnPrimary: false });
});
