import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ChatScene, eventsOf } from '../support/chat-scene.ts';
import { calls, says } from '../support/llm-server.ts';

/** What is restricted to somebody else, and administrators see. */
const SECRET = '4711';
/**
 * Far more than the second that is promised, and far less than what is cut would take by itself.
 */
const SOON_MS = 10_000;
const ENDLESS = `export const input = z.object({}).optional();
export default async ({ run }: Scope<typeof input>) => { for (;;) await run('tick'); };`;
const LOG_WATCH = '/api/graph/logs/live';

let at: ChatScene;
/** Holds what the provider says back until the test is over. */
let held: PromiseWithResolvers<void>;
let boss = '';
let users = 0;

beforeAll(async () => {
  at = await ChatScene.start();
  await at.endpoint('tick', 'export default async () => 1;', { isReadOnly: true });
  await at.endpoint('endless', ENDLESS, { isReadOnly: true, timeoutMs: 60_000 });
  const pooled = { isReadOnly: true, timeoutMs: 60_000, mode: 'pooling', access: 'admins' };
  await at.endpoint('endless-pool', ENDLESS, pooled);
  const agent = { name: 'reader', instructions: 'Read.', tools: ['find'] };
  await at.ok('admin', 'POST', '/api/chatai/agents', { ...agent, access: 'users' });
});
afterAll(() => at[Symbol.asyncDispose]());
beforeEach(async () => {
  held = Promise.withResolvers();
  boss = `boss${++users}`;
  await at.people.add(boss, { isAdmin: true });
});
afterEach(() => held.resolve());

const demote = () => change({ isAdmin: false });
const change = (rights: object) =>
  at.ok('admin', 'PUT', `/api/users/user/${at.people.uid(boss)}`, rights);

async function send(
  path: string,
  { body, method = 'POST', accept = 'application/json', as = boss, signal }: Request = {},
): Promise<Response> {
  return fetch(new URL(path, at.people.workspace.server.url), {
    method,
    headers: {
      authorization: `Bearer ${at.people.token(as)}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      accept,
    },
    signal: signal ?? AbortSignal.timeout(SOON_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
interface Request {
  readonly body?: object;
  readonly method?: string;
  readonly accept?: string;
  readonly as?: string;
  readonly signal?: AbortSignal;
}

test('a chat turn is cut when its administrator is demoted, before the next tool', async () => {
  at.script({ ...calls(['find', { name: 'pay' }]), gate: held.promise }, says('It is 4711.'));
  const answer = await at.stream(boss, { message: 'What does Bob earn?' });
  await at.provider.received(1);
  await demote();
  const told = [];
  for await (const event of eventsOf(answer)) told.push(event);
  expect(told.map(({ event }) => event)).toEqual(['error', 'done']);
  expect(told[0]?.data).toMatchObject({ error: { code: 'forbidden' } });
  expect(JSON.stringify([told, at.provider.requests])).not.toContain(SECRET);
});

test('a model is asked no further step as somebody who was demoted meanwhile', async () => {
  const beforeEvent = async (i: number) => void (i === 0 && (await demote()));
  at.script({ ...calls(['find', { name: 'pay' }]), beforeEvent });
  const answer = await send('/api/chatai/chat', { body: { message: 'What does Bob earn?' } });
  const text = await answer.text();
  expect([answer.status, Object(JSON.parse(text)).error?.code]).toEqual([403, 'forbidden']);
  expect(text).not.toContain(SECRET);
});

test('a chat turn of a deactivated user ends in the middle of a word', async () => {
  at.script({ ...says('Word by word.'), beforeEvent: (i) => (i > 1 ? held.promise : undefined) });
  const answer = await at.stream(boss, { message: 'Go on.' });
  await at.provider.received(1);
  await at.ok('admin', 'POST', `/api/users/user/${at.people.uid(boss)}/deactivate`);
  const told = [];
  for await (const event of eventsOf(answer)) told.push(event);
  expect(told.at(-2)).toMatchObject({ event: 'error', data: { error: { code: 'invalid_token' } } });
  await at.provider.left(1);
});

test.each([[true], [false]])('a run of an agent ends with its user, async %s', async (async) => {
  at.script({ ...calls(['find', { name: 'pay' }]), gate: held.promise }, says('It is 4711.'));
  const body = { message: 'What does Bob earn?', async };
  const answering = send('/api/chatai/agents/reader/run', { body });
  if (async) await answering;
  await at.provider.received(1);
  await demote();
  if (!async) expect((await answering).status).toBe(403);
  await at.provider.left(1);
  const ended = () => at.ok('admin', 'GET', '/api/chatai/agent-runs?take=1');
  let run = Object(await ended()).items[0];
  while (run.status === 'Running') run = Object(await ended()).items[0];
  expect(['Failed', 'Canceled']).toContain(run.status);
  expect(JSON.stringify(at.provider.requests)).not.toContain(SECRET);
});

test('a stream of the LLM router says why, and ends', async () => {
  const token = await mint({ kind: 'llm-openai', name: 'l', actingUser: at.people.uid('ann') });
  at.script({ ...says('Word by word.'), beforeEvent: (i) => (i > 1 ? held.promise : undefined) });
  const body = { model: 'large', stream: true, messages: [{ role: 'user', content: 'Go on.' }] };
  const answer = await send('/api/llm/openai/v1/chat/completions', { body, as: 'minted' });
  await at.provider.received(1);
  await revoke(token);
  expect(await answer.text()).toMatch(/event: error\ndata: .*"invalid_token"/);
  await at.provider.left(1);
});

test('a run of an endpoint, and a call of a tool over MCP, are over', async () => {
  const tool = { name: 'endless', description: 'Never ends.', endpoint: 'endless' };
  await at.ok('admin', 'POST', '/api/chatai/tools', tool);
  const run = await mint({ kind: 'api', name: 'r', scopes: ['endpoints:run'] });
  const running = send('/api/endpoints/run/endless', { as: 'minted', method: 'POST' });
  await untilRunning('[1-9]');
  await revoke(run);
  expect((await running).status).toBe(401);
  const mcp = await mint({ kind: 'mcp', name: 'm', actingUser: at.people.uid('ann') });
  const params = { name: 'endless', arguments: {} };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const accept = 'application/json, text/event-stream';
  const called = await send('/api/mcp', { body, accept, as: 'minted' });
  await revoke(mcp);
  expect(await called.text().catch(() => '')).not.toContain('result');
});

test('a pooled run of a demoted administrator is ended and forgotten', async () => {
  const begun = await send('/api/cce/endless-pool', { method: 'POST' });
  const key = begun.headers.get('msk-endpoint-key') ?? '';
  expect(begun.status).toBe(202);
  await demote();
  await untilRunning('0');
  await change({ isAdmin: true });
  const url = new URL('/api/cce/endless-pool', at.people.workspace.server.url);
  const headers = { authorization: `Bearer ${at.people.token(boss)}`, 'msk-endpoint-key': key };
  expect((await fetch(url, { method: 'POST', headers })).status).toBe(404);
});

test('a watch of the log ends with the session, and so does a WebSocket', async () => {
  const watch = await send(LOG_WATCH, { method: 'GET', accept: 'text/event-stream' });
  const { url } = at.people.workspace.server;
  const socket = new WebSocket(new URL('/api/ws', url.replace('http', 'ws')));
  await once(socket, 'open');
  socket.send(JSON.stringify({ token: at.people.token(boss) }));
  await once(socket, 'message');
  const closed = once(socket, 'close');
  await at.ok(boss, 'POST', '/api/login/end');
  const [[code]] = await Promise.all([closed, watch.text()]);
  expect(code).toBe(4401);
});

test('an export goes no further than the rights it began with', async () => {
  const text = 'x'.repeat(20_000);
  const fill = Array.from({ length: 3_000 }, (_, i) => ({
    op: 'addOrUpdate',
    type: 'Note',
    key: `fill-${i}`,
    fields: { Title: `Fill ${i}`, Text: text },
  }));
  for (let i = 0; i < fill.length; i += 500) await at.ingest(...fill.slice(i, i + 500));
  const answer = await send('/api/node/download/jsonl', { body: { type: 'Note' } });
  const reader = answer.body!.getReader();
  let bytes = (await reader.read()).value?.length ?? 0;
  await demote();
  const rest = async (): Promise<string> => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 'whole';
      bytes += value.length;
    }
  };
  expect(await rest().catch(() => 'cut')).toBe('cut');
  expect(bytes).toBeLessThan(fill.length * text.length);
});

test('what begins with a token that runs out is over with it', async () => {
  const expiresAt = new Date(Date.now() + 2_000).toISOString();
  await mint({ kind: 'api', name: 'short', scopes: ['endpoints:run'], expiresAt });
  const answer = await send('/api/endpoints/run/endless', { as: 'minted', method: 'POST' });
  expect([answer.status, Object(await answer.json()).error.code]).toEqual([401, 'invalid_token']);
});

/** Calls as "minted" from then on; gives its id. */
async function mint(token: object): Promise<string> {
  await at.people.addToken('minted', token);
  const { items } = Object(await at.ok('admin', 'GET', '/api/tokens'));
  return items[0].id;
}

const revoke = (id: string) => at.ok('admin', 'DELETE', `/api/tokens/${id}`);

/** How many calls of endpoints there are, as a pattern. */
async function untilRunning(count: string): Promise<void> {
  const pattern = new RegExp(`endpoint calls +running +${count}`);
  while (!pattern.test((await at.people.as('admin', 'GET', '/api/graph/stats/pool')).text));
}
