import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { callTool } from '../support/mcp-client.ts';
import { People } from '../support/people.ts';
import { PROGRAM } from '../support/program.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

const ECHO = `export const input = z.object({ word: z.string() });
export default async function ({ body, CurrentUser }: Scope<typeof input>) {
  return { word: body.word, as: CurrentUser?.UserName };
}
`;
const WAITS = `export default async function ({ graph, progress, signal }: Scope) {
  progress(0.5, 'half');
  while (!signal.aborted) await graph.tryGet('_User', 'none');
}
`;

let people: People;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  people = await People.start();
  const actingUser = await people.add('ada');
  await people.addToken('token', { kind: 'mcp', name: 'desktop', actingUser });
  await people.addToken('other', { kind: 'llm-openai', name: 'router', actingUser });
  for (const [name, code] of [
    ['words/echo', ECHO],
    ['waits', WAITS],
  ] as const) {
    await people.as('admin', 'POST', '/api/endpoints/create', { name, code, isReadOnly: true });
  }
});
afterAll(async () => {
  await people[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** The official client, which starts the command. */
async function start(token: string, server = people.workspace.server.url) {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', PROGRAM, 'mcp', '--server', server],
    env: { PATH: process.env['PATH'] ?? '', HOME: folder.path, TRELLIS_TOKEN: token },
    stderr: 'pipe',
  });
  await client.connect(transport);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

test('a client that starts the command reaches the tools of the user', async () => {
  await using bridge = await start(people.token('token'));
  const { tools } = await bridge.client.listTools();
  expect(tools.map(({ name }) => name)).toContain('words__echo');
  const { value } = await callTool(bridge, 'words__echo', { word: 'größer' });
  expect(value).toEqual({ word: 'größer', as: 'ada' });
  const wrong = await callTool(bridge, 'words__echo', {});
  expect(wrong.value).toMatchObject({ error: { code: 'invalid_request' } });
  const cancel = new AbortController();
  const call = bridge.client.callTool({ name: 'waits', arguments: {} }, undefined, {
    signal: cancel.signal,
    onprogress: ({ message }) => cancel.abort(message),
  });
  await expect(call).rejects.toThrow('half');
  expect((await callTool(bridge, 'words__echo', { word: 'on' })).isError).toBe(false);
});

test.each([
  ['another kind of token', 'other', 'needs a signed-in user, or a token of kind "mcp"'],
  ['no token at all', 'a.b.c', 'MCP error -32000: '],
])('with %s the client is told why', async (_what, name, message) => {
  const token = people.tokenOf(name) ?? name;
  await expect(start(token)).rejects.toThrow(message);
});

test('a server that is not there is named', async () => {
  const server = 'http://127.0.0.1:1';
  await expect(start('a.b.c', server)).rejects.toThrow(`${server} does not answer`);
});

test('without a token it says what to do, and its input ends it', async () => {
  const { url } = people.workspace.server;
  const blind = await runTrellis(['mcp'], { home: folder.path, server: url });
  expect([blind.code, blind.stdout, blind.stderr]).toEqual([
    2,
    '',
    expect.stringContaining('TRELLIS_TOKEN'),
  ]);
  const token = people.token('token');
  const ended = await runTrellis(['mcp'], { home: folder.path, server: url, token });
  expect(ended).toEqual({ code: 0, stdout: '', stderr: '' });
});
