import { availableParallelism } from 'node:os';
import type { AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import { BuildService } from './build-service.ts';
import { CompileVerdicts } from './compile/compile-verdicts.ts';
import type { Diagnostic } from './compile/diagnostic.ts';
import { EndpointCompiler } from './compile/endpoint-compiler.ts';
import type { EndpointAnswer } from './call-outcome.ts';
import type { EndpointChange, EndpointDefinition, NewEndpoint } from './endpoint-definition.ts';
import { EndpointDefinitions } from './endpoint-definitions.ts';
import { EndpointRuntime } from './endpoint-runtime.ts';
import type { EndpointRun } from './endpoint-runtime.ts';
import { EditorService } from './editor-service.ts';
import { EndpointLog } from './endpoint-log.ts';
import { EndpointStore } from './endpoint-store.ts';
import type { EmbedQuery } from './invocation.ts';
import { CodeHistory } from './history/code-history.ts';
import { CodeHistoryService } from './history/code-history-service.ts';
import { VersionComparison } from './history/version-comparison.ts';
import type { MetricsRow } from './metrics/call-metrics.ts';
import { OutboundRequests } from './outbound-requests.ts';
import type { Fetch } from './outbound-requests.ts';
import { PrimaryCalls } from './primary-calls.ts';
import type { RuntimeLogger } from './runtime-logger.ts';
import { EndpointPool } from './sandbox/endpoint-pool.ts';
import type { PoolLoad } from './sandbox/pool-load.ts';

export interface EndpointServiceOptions {
  /** The folder of the state; absolute. */
  readonly storage: string;
  /** That LMDB encrypts the graph with; undefined when it is not encrypted. */
  readonly environmentKey: string | undefined;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly logger: RuntimeLogger;
  /** Takes secrets out of JSON text. */
  readonly redact: (json: string) => string;
  readonly clock: Clock;
  readonly audit: AuditTrail;
  /** Whether only endpoints that are read-only run here. */
  readonly isReplica: boolean;
  /** Of a replica, without a slash at its end: `runOnPrimary` leads there. */
  readonly primaryAddress: string | null;
  readonly fetch: Fetch;
  /** The origins that endpoint code may reach with `fetch`. */
  readonly fetchAllowList: () => readonly string[];
  /** For searches by meaning. */
  readonly embedQuery: EmbedQuery;
  /** Workers for endpoint code; the main thread keeps a processor for itself. */
  readonly workers?: number;
}

/**
 * Everything about custom endpoints (open-shapes, section 5): their definitions, their compiler,
 * and the workers that run them.
 */
export class EndpointService implements AsyncDisposable {
  readonly #compiler: EndpointCompiler;
  readonly #pool: EndpointPool;
  readonly #definitions: EndpointDefinitions;
  readonly #runtime: EndpointRuntime;
  readonly #store: EndpointStore;
  readonly #verdicts: CompileVerdicts;
  readonly build: BuildService;
  readonly editor: EditorService;
  readonly codeHistory: CodeHistoryService;
  readonly logs: EndpointLog;

  constructor(options: EndpointServiceOptions, pool: EndpointPool) {
    const store = new EndpointStore(options.reader);
    this.#pool = pool;
    const compiler = new EndpointCompiler();
    const verdicts = new CompileVerdicts({ ...options, store, compiler });
    const history = new CodeHistory(options.reader);
    const code = { ...options, store, compiler, verdicts, history };
    const definitions = new EndpointDefinitions(code);
    this.#store = store;
    this.#compiler = compiler;
    this.#verdicts = verdicts;
    this.#definitions = definitions;
    this.build = new BuildService(code);
    this.editor = new EditorService(code);
    const { fetch, fetchAllowList, primaryAddress } = options;
    const outbound = new OutboundRequests(fetch, fetchAllowList);
    const primary = primaryAddress === null ? null : new PrimaryCalls(fetch, primaryAddress);
    const logs = new EndpointLog(options);
    const runtime = new EndpointRuntime({ ...options, store, pool, outbound, primary, logs });
    this.logs = logs;
    this.#runtime = runtime;
    const run = runtime.runTrial.bind(runtime);
    const comparison = new VersionComparison({ store, history, definitions, run });
    this.codeHistory = new CodeHistoryService({
      store,
      history,
      definitions,
      comparison,
      audit: options.audit,
    });
  }

  /** Resolves when endpoints can be run; rejects when they never can. */
  get ready(): Promise<void> {
    return this.#pool.ready;
  }

  create(caller: Caller, endpoint: NewEndpoint): Promise<EndpointDefinition> {
    return this.#definitions.create(caller, endpoint);
  }

  /** What endpoint code finds from now on. */
  receiveSearch(snapshot: SearchSnapshot): void {
    this.#pool.receiveSearch(snapshot);
  }

  /** For what the server brings along: see `EndpointDefinitions`. */
  async install(caller: Caller, endpoint: NewEndpoint): Promise<void> {
    await this.#definitions.install(caller, endpoint);
  }

  list(_caller: Caller, page: { readonly skip: number; readonly take: number }) {
    return this.#definitions.list(page);
  }

  get(_caller: Caller, name: string): EndpointDefinition {
    return this.#definitions.get(name);
  }

  put(caller: Caller, name: string, change: EndpointChange): Promise<EndpointDefinition> {
    return this.#definitions.change(caller, name, change);
  }

  delete(caller: Caller, name: string): Promise<void> {
    return this.#definitions.delete(caller, name);
  }

  async check(
    _caller: Caller,
    draft: { readonly code: string; readonly isReadOnly?: boolean | undefined },
  ): Promise<{ readonly diagnostics: Diagnostic[] }> {
    return { diagnostics: await this.#definitions.check(draft.code, draft.isReadOnly ?? false) };
  }

  run(run: EndpointRun): Promise<EndpointAnswer> {
    return this.#runtime.run(run);
  }

  cancelRun(caller: Caller, name: string, runKey: string | null): void {
    this.#runtime.cancel(caller, name, runKey);
  }

  /** Calls of each endpoint since the server started, by name. */
  metrics(_caller: Caller): { readonly items: (MetricsRow & { readonly name: string })[] } {
    const endpoints = this.#store.all();
    const items = endpoints.map(({ definition: { name }, calls }) => ({
      name,
      ...calls.metrics.row(),
    }));
    return { items };
  }

  /** What the workers have to do now. */
  load(): PoolLoad {
    return this.#pool.load();
  }

  /** Definitions that are held in memory. */
  get kept(): number {
    return this.#store.size;
  }

  /** To be called after a commit that may have changed the schema: everything is checked again. */
  schemaMayHaveChanged(): void {
    this.#verdicts.schemaMayHaveChanged();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#verdicts.close();
    await Promise.all([this.#pool.close(), this.#compiler.close()]);
    this.#runtime.close();
  }
}

/** Throws where the process would give secrets away to endpoint code: see `sandbox/isolation.ts`. */
export function openEndpointService(options: EndpointServiceOptions): EndpointService {
  const { storage, environmentKey, logger } = options;
  const size = options.workers ?? Math.max(1, availableParallelism() - 1);
  const pool = EndpointPool.start({ storage, environmentKey, logger, size });
  return new EndpointService(options, pool);
}
