import { afterEach, beforeEach, expect, it } from 'vitest';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import { MCP_RESULT_CHARACTERS_MAX } from '#base/limits.ts';
import { SNIPPETS_PER_RESULT_MAX, TOOL_RESULT_CHARACTERS_MAX } from '#base/assistant-limits.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import type { EndpointAnswer } from '#runtime/call-outcome.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import { DEFAULT_SETTINGS } from '#runtime/endpoint-definition.ts';
import type { EndpointRun } from '#runtime/invocation.ts';
import { Snippets } from '../citations/snippets.ts';
import { CallerTools, citedResult, type WantedTools } from './caller-tools.ts';
import { TOOL_TYPE, ToolCatalog, toolFields, ToolStore } from './tool-catalog.ts';
import { ToolRuns } from './tool-runs.ts';

const { signal } = new AbortController();

let graph: TestGraph;
let tools: CallerTools;
let runs: EndpointRun[];
/** The endpoints whose code was asked what it takes. */
let asked: string[];
let called: unknown[];
let answer: EndpointAnswer;
beforeEach(async () => {
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  const settings = {
    description: 'W.',
    endpoint: 'write',
    access: 'users',
    enabled: true,
  } as const;
  await graph.writer.commit({
    system: true,
    operations: [
      { op: 'addOrUpdate', type: TOOL_TYPE, key: 'writer', fields: toolFields(settings) },
    ],
  });
  runs = [];
  asked = [];
  called = [];
  const endpoints = {
    runnable: () => [endpoint('read', true), endpoint('write', false), endpoint('texts', true)],
    standing: () => undefined,
    inputSchema: async (name: string) => {
      asked.push(name);
      return name === 'texts' ? null : { type: 'object' as const };
    },
    types: () => undefined,
  };
  const toolRuns = new ToolRuns({
    run: async (run) => {
      runs.push(run);
      return answer;
    },
    narrowSearch: (request) => request,
    onCalled: (tool, _ms, isError) => called.push([tool, isError]),
    now: () => 0,
  });
  tools = new CallerTools(new ToolCatalog(endpoints, new ToolStore(graph.reader)), toolRuns);
});
afterEach(() => graph[Symbol.asyncDispose]());

function endpoint(name: string, isReadOnly: boolean): EndpointDefinition {
  const own = { UID: '', name, isReadOnly, version: 1, compiles: true, diagnostics: [] };
  return { ...DEFAULT_SETTINGS, code: '', mayRunOnPrimary: false, ...own };
}

const nameOf = ({ name }: { readonly name: string }) => name;

const named = async (wanted: WantedTools) => (await tools.for(ADMINISTRATOR, wanted)).map(nameOf);

async function callOf(name: string, wanted: WantedTools = {}) {
  const [tool] = await tools.for(ADMINISTRATOR, { ...wanted, names: [name] });
  return tool!.call({ a: 1 }, signal);
}

it('may be named without asking the code of their endpoints what it takes', () => {
  const names = (wanted: WantedTools) => tools.offered(ADMINISTRATOR, wanted).map(nameOf);
  expect(names({})).toEqual(['read', 'texts', 'writer']);
  expect(names({ isReadOnlyOnly: true })).toEqual(['read', 'texts']);
  expect(asked).toEqual([]);
});

it('are those that are wanted, of those that there are and that take an object', async () => {
  expect(await named({})).toEqual(['read', 'writer']);
  expect(await named({ isReadOnlyOnly: true })).toEqual(['read']);
  expect(await named({ names: ['writer', 'write', 'texts', 'none'] })).toEqual(['writer']);
  expect(await named({ names: [] })).toEqual([]);
});

it('run their endpoint as the caller, and are counted', async () => {
  answer = { status: 200, body: '{"b":2}' };
  const wanted = { headers: '{"x":"y"}', authorization: 'Bearer t', agentDepth: 2 };
  expect(await callOf('writer', wanted)).toEqual({ text: '{"b":2}', output: { b: 2 } });
  expect(runs).toMatchObject([
    { name: 'write', caller: ADMINISTRATOR, body: '{"a":1}', isAwaited: true, ...wanted },
  ]);
  answer = { status: 404, body: '"nothing"' };
  await expect(callOf('writer')).rejects.toThrow('The endpoint answers 404: "nothing"');
  expect(called).toEqual([
    ['writer', false],
    ['writer', true],
  ]);
  answer = { status: 303, headers: { location: '/x' }, body: null };
  expect((await callOf('read')).output).toEqual({ location: '/x' });
});

it('number the nodes in what they give', async () => {
  answer = { status: 200, body: '{"UID":"u","Name":"Ann"}' };
  const snippets = new Snippets();
  expect(await callOf('read', { snippets })).toEqual({
    text: '{"citation":1,"UID":"u","Name":"Ann"}',
    output: { UID: 'u', Name: 'Ann' },
  });
  expect(snippets.citedIn('[1]')).toEqual([{ id: 1, uid: 'u', text: 'Name: Ann' }]);
});

it('give as much as a model can read, and say so', async () => {
  const textOf = async (characters: number) => {
    answer = { status: 200, body: JSON.stringify('x'.repeat(characters - 2)) };
    return (await callOf('read')).text;
  };
  expect(await textOf(TOOL_RESULT_CHARACTERS_MAX)).toHaveLength(TOOL_RESULT_CHARACTERS_MAX);
  const cut = await textOf(TOOL_RESULT_CHARACTERS_MAX + 1);
  expect(cut.slice(TOOL_RESULT_CHARACTERS_MAX)).toBe(
    `\n[Cut: these are the first ${TOOL_RESULT_CHARACTERS_MAX} of ${TOOL_RESULT_CHARACTERS_MAX + 1} characters. Ask for less to see all.]`,
  );
  await expect(textOf(MCP_RESULT_CHARACTERS_MAX + 1)).rejects.toThrow('ask for less');
});

const ANN = { UID: 'a', Name: 'Ann', Tags: ['x', 'y'], Nothing: null };
const BOOK = { UID: 'b', Title: 'A book', author: ANN };

it('numbers each node, also in others, and keeps its facts', () => {
  const snippets = new Snippets();
  expect(citedResult({ total: 2, items: [BOOK, { node: ANN, score: 1 }] }, snippets)).toEqual({
    total: 2,
    items: [
      { citation: 1, ...BOOK, author: { citation: 2, ...ANN } },
      { node: { citation: 2, ...ANN }, score: 1 },
    ],
  });
  expect(snippets.citedIn('See [1] and [2].')).toEqual([
    { id: 1, uid: 'b', text: 'Title: A book' },
    { id: 2, uid: 'a', text: 'Name: Ann\nTags: x,y' },
  ]);
});

it('numbers no more nodes than a model can use', () => {
  const snippets = new Snippets();
  const nodes = Array.from({ length: SNIPPETS_PER_RESULT_MAX + 1 }, (_, i) => ({ UID: `n${i}` }));
  const cited = citedResult(nodes, snippets) as { citation?: number }[];
  expect(cited.at(-2)?.citation).toBe(SNIPPETS_PER_RESULT_MAX);
  expect(cited.at(-1)).toEqual(nodes.at(-1));
});

it('takes no number from a node', () => {
  const forged = { UID: 'a', citation: 99, Name: 'Ann' };
  expect(citedResult(forged, new Snippets())).toEqual({ ...forged, citation: 1 });
});

it.each([null, 7, 'text', [], { UID: 7 }])('leaves %o alone', (value) => {
  expect(citedResult(value, new Snippets())).toEqual(value);
});
