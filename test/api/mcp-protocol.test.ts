import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/http-client.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { People } from '../support/people.ts';

let people: People;
beforeAll(async () => {
  people = await People.start({ MSK_CORS: 'https://desk.example' });
  const actingUser = await people.add('ada');
  await people.addToken('ada by token', { kind: 'mcp', name: 'mcp', actingUser });
  await people.addToken('router', { kind: 'llm-openai', name: 'router', actingUser });
  await people.addToken('runner', { kind: 'api', name: 'x', scopes: ['endpoints:run', 'read'] });
});
afterAll(() => people[Symbol.asyncDispose]());

const post = (name: string, body: unknown, headers: object = {}): Promise<Answer> =>
  people.workspace.http.send({
    path: '/api/mcp',
    token: people.tokenOf(name),
    body,
    headers: { accept: 'application/json, text/event-stream', ...headers },
  });
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const codeOf = ({ json }: Answer): unknown => Object(Object(json).error).code;

describe('what the protocol says of HTTP', () => {
  test('the version is negotiated, and an unknown one refused later', async () => {
    const params = {
      protocolVersion: '1999-01-01',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const hello = await post('ada', { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    expect([hello.status, hello.headers.get('mcp-session-id')]).toEqual([200, expect.any(String)]);
    expect(Object(hello.json).result).toMatchObject({
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'trellis' },
    });
    const later = await post('ada', PING, { 'mcp-protocol-version': '1999-01-01' });
    expect([later.status, codeOf(later)]).toEqual([400, 'invalid_request']);
  });

  test.each(['GET', 'DELETE', 'PUT'])('%s has nothing to offer', async (method) => {
    const { status, headers } = await people.as('ada', method, '/api/mcp');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  test.each([
    ['router', 403, 'forbidden'],
    ['runner', 403, 'forbidden'],
    ['nobody', 401, 'missing_token'],
    ['ada', 200, undefined],
    ['ada by token', 200, undefined],
  ])('%s: %i', async (name, status, code) => {
    const answer = await post(name, PING);
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
  });

  test('a page of another origin is refused, unless it may call', async () => {
    const foreign = await post('ada', PING, { origin: 'https://rebound.example' });
    expect([foreign.status, codeOf(foreign)]).toEqual([403, 'forbidden']);
    expect((await post('ada', PING, { origin: 'https://desk.example' })).status).toBe(200);
  });

  const hostile: readonly (readonly [string, unknown])[] = [
    ['nothing', null],
    ['a number', 1],
    ['a batch', [PING]],
    ['no version', { id: 1, method: 'ping' }],
    ['an id that is an object', { ...PING, id: {} }],
    ['a method that is a list', { ...PING, method: ['ping'] }],
    ['no JSON', '{"jsonrpc":'],
  ];
  test.each(hostile)('%s is refused', async (_what, body) => {
    const answer = await post('ada', body);
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toMatch(/^(?:invalid_request|malformed_json)$/);
  });

  const odd: readonly (readonly [string, string, unknown, number])[] = [
    ['an unknown method', 'tools/steal', {}, -32_601],
    ['a tool without a name', 'tools/call', {}, -32_603],
    ['arguments that are a list', 'tools/call', { name: 'waits', arguments: [] }, -32_603],
    ['a cursor of nobody', 'tools/list', { cursor: '' }, -32_602],
    ["sampling, which is the client's", 'sampling/createMessage', {}, -32_601],
  ];
  test.each(odd)('%s is an error of the protocol', async (_what, method, params, code) => {
    const { text } = await post('ada', { jsonrpc: '2.0', id: 7, method, params });
    const data = text.startsWith('{')
      ? text
      : text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
    expect(JSON.parse(data)).toMatchObject({ id: 7, error: { code } });
  });
});

test('a server that stops ends the calls that are under way', async () => {
  const code = `export default async function ({ graph, progress, signal }: Scope) {
  progress(0.5);
  while (!signal.aborted) await graph.tryGet('_User', 'none');
}
`;
  const endpoint = { name: 'waits', code, isReadOnly: true };
  expect((await people.as('admin', 'POST', '/api/endpoints/create', endpoint)).status).toBe(201);
  const { server } = people.workspace;
  const { client, transport } = await connectMcp(server.url, people.token('ada'));
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const call = client.callTool({ name: 'waits', arguments: {} }, undefined, {
    onprogress: () => resolve(),
  });
  const outcome = call.catch((error: unknown) => error);
  await begun;
  expect(await server.stop()).toBe(0);
  await transport.close();
  expect(await outcome).toBeInstanceOf(Error);
});
