import type { NewEndpoint } from '@trellis/contract/shapes/endpoint.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditInMemory } from '#access/testing/audit-in-memory.ts';
import type { Caller } from '#access/caller.ts';
import { RunningCallers } from '#access/running-callers.ts';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import { Problem } from '#base/problem.ts';
import { JobRegistry } from '#jobs/job-registry.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import type { EndpointAnswer } from '../call-outcome.ts';
import {
  openEndpointService,
  type EndpointService,
  type EndpointServiceOptions,
} from '../endpoint-service.ts';
import type { RuntimeLogger } from '../endpoint-log.ts';
import type { EndpointRun } from '../invocation.ts';

export const ADMIN: Caller = ADMINISTRATOR;

export const USER: Caller = { ...ADMIN, userName: 'user', isAdmin: false };

export interface LogRecord {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

/** A graph and the endpoints over it, in a process that is isolated as `app` would do it. */
export interface TestEndpoints extends AsyncDisposable {
  readonly graph: TestGraph;
  readonly service: EndpointService;
  /** Another one over the same state, as after a start. */
  another(): EndpointService;
  readonly log: LogRecord[];
  /** Saves an endpoint that compiles; `body` is what stands inside its function. */
  define(name: string, scope: string, body: string, more?: Partial<NewEndpoint>): Promise<void>;
  run(
    name: string,
    more?: Partial<Omit<EndpointRun, 'body'>> & { body?: unknown },
  ): Promise<EndpointAnswer>;
  /** The JSON that an endpoint answers with. */
  value(name: string, body?: unknown): Promise<unknown>;
  /** The problem that a call ends with. */
  problem(name: string, more?: Parameters<TestEndpoints['run']>[1]): Promise<Problem>;
}

export const LIBRARY = {
  nodes: [
    { type: 'Book', fields: { Title: 'String', Pages: 'Int', Tags: 'String[]' } },
    { type: 'Author', key: 'Name', fields: { Born: 'Int' } },
  ],
  edges: [{ type: 'WrittenBy', inverse: 'Wrote' }],
} as const;

const refuse = () => Promise.reject(new Error('this test has no provider'));

export async function openTestEndpoints(
  workers = 1,
  isReplica = false,
  outside: Partial<EndpointServiceOptions> = {},
): Promise<TestEndpoints> {
  await using opened = new AsyncDisposableStack();
  const graph = opened.use(await openTestGraph());
  await graph.writer.addSystemSchema();
  await graph.addSchema(LIBRARY);
  opened.use(enterEmptyFolder());
  const log: LogRecord[] = [];
  const { storage, reader, writer, clock } = graph;
  const audit = auditInMemory();
  const environmentKey = undefined;
  const outbound = {
    primaryAddress: null,
    fetch: () => Promise.reject(new Error('this test reaches nobody')),
    fetchAllowList: () => [],
    secrets: {
      take: () => {
        throw new Error('this test has no secrets');
      },
      names: () => [],
    },
    embedQuery: refuse,
    running: new RunningCallers({ again: (caller) => caller }),
    watchFeed: {
      sequence: 0,
      watch: () => {},
      unwatch: () => {},
      hasChanged: () => Promise.resolve(true),
      listen: () => {},
    },
    models: { complete: refuse, embed: refuse, runAgent: refuse },
    redact: (json: string) => json,
    scheduleFault: () => undefined,
    jobs: new JobRegistry({ clock, store: undefined, redact: (text) => text }),
    ...outside,
  };
  const options = {
    ...outbound,
    storage,
    reader,
    clock,
    audit,
    workers,
    isReplica,
    environmentKey,
  };
  const logger = collectingLogger(log);
  const another = () => openEndpointService({ ...options, commits: writer, logger });
  const service = opened.use(another());
  const run: TestEndpoints['run'] = (name, { body, ...more } = {}) =>
    service.run({
      name,
      caller: ADMIN,
      body: body === undefined ? null : JSON.stringify(body),
      headers: '{}',
      authorization: undefined,
      runKey: null,
      signal: new AbortController().signal,
      ...more,
    });
  const resources = opened.move();
  return {
    graph,
    service,
    another,
    log,
    run,
    async define(name, scope, body, more = {}) {
      const code = `export default async function (${scope}) {\n${body}\n}\n`;
      const { diagnostics } = await service.create(ADMIN, { name, code, ...more });
      if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
    },
    async value(name, body) {
      const answer = await run(name, { body });
      return JSON.parse(answer.body ?? 'null');
    },
    async problem(name, more) {
      const outcome: unknown = await run(name, more).catch((error: unknown) => error);
      if (outcome instanceof Problem) return outcome;
      throw new Error('expected a problem', { cause: outcome });
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Workers of the pool may read the working directory: it has to be empty. */
export function enterEmptyFolder(): Disposable {
  const before = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), 'trellis-empty-'));
  process.chdir(folder);
  return {
    [Symbol.dispose]: () => {
      process.chdir(before);
      rmSync(folder, { recursive: true });
    },
  };
}

export function collectingLogger(log: LogRecord[]): RuntimeLogger {
  const collect = (level: string) => (fields: object, message: string) => {
    log.push({ level, fields, message });
  };
  return {
    debug: collect('debug'),
    info: collect('info'),
    warn: collect('warn'),
    error: collect('error'),
  };
}
