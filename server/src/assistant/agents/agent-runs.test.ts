import { afterEach, beforeEach, expect, it } from 'vitest';
import { auditInMemory } from '#access/testing/audit-in-memory.ts';
import { AccessIndex } from '#access/access-index.ts';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import { AGENT_RUNS_KEPT_PER_USER, AGENT_RUNS_PER_USER_MAX } from '#base/assistant-limits.ts';
import { openTestGraph, problemOf, type TestGraph } from '#graph/testing/test-graph.ts';
import type { ModelOutcome, ModelRequest } from '../model/model-run.ts';
import { NO_SUPPORT } from '../support/support.ts';
import { WorkspaceBrief } from '../model/workspace-brief.ts';
import { CallerTools } from '../tools/caller-tools.ts';
import { ToolCatalog, ToolStore } from '../tools/tool-catalog.ts';
import { ToolRuns } from '../tools/tool-runs.ts';
import { AgentRunStore } from './agent-run-store.ts';
import { AgentRuns } from './agent-runs.ts';
import { AgentService } from './agent-service.ts';

const CALLER = { ...ADMINISTRATOR, userUid: '1111111111111111111111' };
const ORIGIN = { address: null };
const HELLO = { message: 'Hello' };

let graph: TestGraph;
let models: (request: ModelRequest) => Promise<ModelOutcome>;
const faults: unknown[] = [];
beforeEach(async () => {
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  graph.reader.refresh();
  const agents = new AgentService(parts());
  await agents.create(CALLER, { name: 'reader', instructions: 'Read.' }, '');
  models = ({ signal }) => {
    signal.throwIfAborted();
    const { promise, reject } = Promise.withResolvers<ModelOutcome>();
    signal.addEventListener('abort', () => reject(signal.reason));
    return promise;
  };
});
afterEach(() => graph[Symbol.asyncDispose]());

const parts = () => ({
  reader: graph.reader,
  commits: graph.writer,
  audit: auditInMemory(),
  clock: graph.clock,
});

/** As the server has it from its start on, without endpoints. */
function open(): AgentRuns {
  const endpoints = {
    runnable: () => [],
    standing: () => undefined,
    inputSchema: async () => null,
    types: () => undefined,
  };
  const runs = new ToolRuns({
    run: () => Promise.reject(new Error('there are no endpoints')),
    narrowSearch: (request) => request,
    onCalled: () => {},
    now: () => 0,
  });
  return new AgentRuns({
    ...parts(),
    access: new AccessIndex(graph.reader),
    checker: { check: async () => NO_SUPPORT },
    models: { run: async (request) => models(request) },
    callerTools: new CallerTools(new ToolCatalog(endpoints, new ToolStore(graph.reader)), runs),
    brief: new WorkspaceBrief({ types: () => ({ types: [], edges: [] }), instructions: () => '' }),
    now: () => 0,
    onFault: (error) => faults.push(error),
    onChange: () => {},
  });
}

it('what was under way when the server stopped has failed', async () => {
  const before = open();
  const { UID } = await before.start(CALLER, 'reader', HELLO, ORIGIN);
  // It did not come to an end: nobody was there any more.
  const after = open();
  await after.failInterrupted();
  const failed = { status: 'Failed', error: { code: 'agent_interrupted' } };
  expect(after.get(CALLER, UID)).toMatchObject(failed);
  const { UID: other } = await after.start(CALLER, 'reader', HELLO, ORIGIN);
  await after[Symbol.asyncDispose]();
  expect(after.get(CALLER, other)).toMatchObject(failed);
  const late = await problemOf(() => after.start(CALLER, 'reader', HELLO, ORIGIN));
  expect(late.code).toBe('agent_interrupted');
  await before[Symbol.asyncDispose]();
});

it('are no more at a time than one user may have', async () => {
  await using runs = open();
  for (let i = 0; i < AGENT_RUNS_PER_USER_MAX; i++)
    await runs.start(CALLER, 'reader', HELLO, ORIGIN);
  const problem = await problemOf(() => runs.start(CALLER, 'reader', HELLO, ORIGIN));
  expect(problem.code).toBe('too_many_requests');
  const bob = { ...CALLER, userUid: '1111111111111111111112' };
  await runs.start(bob, 'reader', HELLO, ORIGIN);
});

it('are no more also when many begin at once', async () => {
  await using runs = open();
  const all = Array.from({ length: AGENT_RUNS_PER_USER_MAX + 5 }, () =>
    runs.start(CALLER, 'reader', HELLO, ORIGIN),
  );
  const ended = await Promise.allSettled(all);
  const begun = ended.filter(({ status }) => status === 'fulfilled');
  expect(begun).toHaveLength(AGENT_RUNS_PER_USER_MAX);
});

it('that fail for a reason of ours say no more than that', async () => {
  await using runs = open();
  models = () => Promise.reject(new Error('secret'));
  expect(await runs.run(CALLER, 'reader', HELLO, ORIGIN)).toMatchObject({
    status: 'Failed',
    error: { code: 'internal_error', message: 'The run failed.' },
  });
  expect(faults).toEqual([new Error('secret')]);
});

it('the oldest go that have ended', async () => {
  const store = new AgentRunStore(graph.reader, graph.writer);
  const trace = { op: 'addOrUpdate', type: '_AuditEvent', key: 'x' } as const;
  const run = {
    agent: 'reader',
    user: CALLER.userUid,
    message: '',
    variables: {},
    startedAt: '2026-01-01T00:00:00.000Z',
  };
  const first = await store.add(run, trace, () => false);
  const isFirst = ({ uid }: { readonly uid: string }) => uid === first.uid;
  for (let i = 0; i < AGENT_RUNS_KEPT_PER_USER + 1; i++) await store.add(run, trace, isFirst);
  expect(store.entries).toHaveLength(AGENT_RUNS_KEPT_PER_USER + 1);
  expect(store.entries.some(isFirst)).toBe(true);
  graph.reader.refresh();
  expect(graph.reader.countOfType('_AgentRun')).toBe(store.entries.length);
  const bob = { ...run, user: '1111111111111111111112' };
  await store.add(bob, trace, () => false);
  await store.add(run, trace, () => false);
  expect(store.entries).toHaveLength(AGENT_RUNS_KEPT_PER_USER + 1);
});
