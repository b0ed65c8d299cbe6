import type { PrimaryAddress } from '#base/primary-address.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type {
  EndpointChange,
  EndpointCheck,
  NewEndpoint,
  EndpointDefinition,
} from '@trellis/contract/shapes/endpoint.ts';
import type { AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import type { RunningCallers } from '#access/running-callers.ts';
import type { Fetch } from '#base/outbound.ts';
import type { Clock } from '#base/clock.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Staging } from '#graph/staged-commits.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import type { AskSimilar } from '#search/similarity/node-embeddings.ts';
import { CodeOverview } from './code-overview.ts';
import { observedPool, type CallObserver } from './sandbox/endpoint-call.ts';
import { CallableEndpoints } from './callable-endpoints.ts';
import { checkedEndpoint, CompileVerdicts, versionsOf } from './compile/compile-verdicts.ts';
import type { EndpointTypes } from './compile/endpoint-types.ts';
import { EndpointCompiler } from './compile/endpoint-compiler.ts';
import type { ScheduleFault } from './compile/head-diagnostics.ts';
import { isBuiltIn } from './endpoint-definition.ts';
import { parseRunLines, type RunLines } from '@trellis/endpoint/settings-header.ts';
import type { EndpointAnswer } from './call-outcome.ts';
import { EndpointDefinitions } from './endpoint-definitions.ts';
import { EndpointInputs, type BodySchema, type InputSchema } from './endpoint-inputs.ts';
import { KeptInputs } from './kept-inputs.ts';
import { EndpointRuntime, refusalOf } from './endpoint-runtime.ts';
import { EditorService } from './editor-service.ts';
import { EndpointLog, type RuntimeLogger } from './endpoint-log.ts';
import { type EndpointStanding, EndpointStore, standingOf } from './endpoint-store.ts';
import { EndpointWorkbench } from './endpoint-workbench.ts';
import type { EndpointRun } from './invocation.ts';
import type { EmbedQuery, ModelCalls } from './model-calls.ts';
import { CodeHistory } from './history/code-history.ts';
import { CodeHistoryService } from './history/code-history-service.ts';
import { VersionComparison } from './history/version-comparison.ts';
import { MigrationStore } from './migrations/migration-store.ts';
import { SearchFeed } from './sandbox/search-feed.ts';
import { openMigrations, type OpenMigrations } from './migrations/migration-service.ts';
import type { MetricsRow } from './endpoint-calls.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { Importers } from './modules/importers.ts';
import { ModuleDefinitions } from './modules/module-definitions.ts';
import { ModuleLinker } from './modules/module-linker.ts';
import { ModuleScripts } from './modules/module-scripts.ts';
import { ModuleStore } from './modules/module-store.ts';
import { OutboundRequests } from './outbound-requests.ts';
import { PrimaryCalls } from './primary-calls.ts';
import { CallTraces } from './tracing/call-traces.ts';
import type { TraceExport } from './tracing/exported-spans.ts';
import { CallTracing } from './tracing/call-tracing.ts';
import { type TracingSettings, USUAL_TRACING } from './tracing/trace-sampler.ts';
import { StagedEndpoints } from './staged-endpoints.ts';
import { EndpointPool } from './sandbox/endpoint-pool.ts';
import { ProfiledPool } from './sandbox/profiled-pool.ts';
import type { SecretSource } from './secret-headers.ts';
import { DeclaredWithSecrets, type NamedForCode, secretNotices } from './secret-names.ts';
import { EndpointWatches } from './watches/endpoint-watches.ts';
import type { WatchFeed } from './watches/watch-feed.ts';
import { usualSize, type PoolLoad } from './sandbox/pool-load.ts';

export interface EndpointServiceOptions {
  /** The folder of the state; absolute. */
  readonly storage: string;
  /** That LMDB encrypts the graph with; undefined when it is not encrypted. */
  readonly environmentKey: string | undefined;
  /** What each worker keeps of adjacency; see `EndpointPoolOptions`. */
  readonly rowMemoryBytes?: number | undefined;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly logger: RuntimeLogger;
  /** Takes secrets out of JSON text. */
  readonly redact: (json: string) => string;
  readonly clock: Clock;
  readonly audit: AuditTrail;
  readonly jobs: JobRegistry;
  readonly scheduleFault: ScheduleFault;
  /** Whether only endpoints that are read-only run here. */
  readonly isReplica: boolean;
  /** Null on a primary: `runOnPrimary` leads there. */
  readonly primaryAddress: PrimaryAddress | null;
  readonly fetch: Fetch;
  /** The origins that endpoint code may reach with `fetch`. */
  readonly fetchAllowList: () => readonly string[];
  /** What endpoint code names in the headers of these requests. */
  readonly secrets: SecretSource & { names(): readonly NamedForCode[] };
  /** For searches by meaning. */
  readonly embedQuery: EmbedQuery;
  /** For `ai`. */
  readonly models: ModelCalls;
  readonly running: Pick<RunningCallers, 'check' | 'watch' | 'current'>;
  /** What wakes those who watch an endpoint. */
  readonly watchFeed: WatchFeed;
  /** Told of each call; undefined when nobody wants to be. */
  readonly callObserver?: CallObserver | undefined;
  readonly tracing?: TracingSettings | undefined;
  readonly traceExport?: TraceExport | undefined;
  /** Told when what is recorded of the inputs of endpoints has changed. */
  readonly onInputsChanged?: (() => void) | undefined;
  /** Workers for endpoint code; see `usualSize`. */
  readonly workers?: number;
  /**
   * How long the cancelling of a migration waits, and when one that goes on is ended by force;
   * tests say otherwise.
   */
  readonly cancelWaitMs?: number;
  readonly forcedEndMs?: number;
  readonly dryRunMaxMs?: number;
  /** Whoever has started it closes it; undefined when one is to be started. */
  readonly pool?: EndpointPool | undefined;
}

/** An endpoint, and when the code that serves says that the server runs it. */
export interface SelfRunning extends Pick<RunLines, 'crons' | 'triggers'> {
  readonly name: string;
}

/**
 * Everything about custom endpoints (open-shapes, section 5): their definitions, their compiler,
 * and the workers that run them.
 */
export class EndpointService implements AsyncDisposable {
  readonly #compiler: EndpointCompiler;
  readonly #pool: EndpointPool;
  readonly #ownsPool: boolean;
  readonly #definitions: EndpointDefinitions;
  readonly #runtime: EndpointRuntime;
  readonly #inputs: EndpointInputs;
  readonly #isReplica: boolean;
  readonly #secretNames: () => readonly NamedForCode[];
  readonly #reader: GraphReader;
  readonly #clock: Clock;
  readonly #scheduleFault: ScheduleFault;
  /** What code runs and imports. */
  readonly #linked: Parameters<typeof versionsOf>[2] & {
    readonly callable: CallableEndpoints;
    readonly scripts: ModuleScripts;
  };
  readonly #store: EndpointStore;
  readonly #verdicts: CompileVerdicts;
  readonly #search = new SearchFeed();
  readonly codeOverview: CodeOverview;
  readonly workbench: EndpointWorkbench;
  readonly editor: EditorService;
  readonly codeHistory: CodeHistoryService;
  readonly logs: EndpointLog;
  readonly migrations: OpenMigrations;
  #onChange: () => Promise<void> = async () => {};
  readonly modules: ModuleDefinitions;
  readonly watches: EndpointWatches;
  /** In the threads that search for endpoint code. */
  readonly similarNodes: AskSimilar;

  constructor(options: EndpointServiceOptions, pool: EndpointPool) {
    const history = new CodeHistory(options.reader);
    const modules = new ModuleStore(options.reader);
    const scripts = new ModuleScripts((script) => pool.prepareScript(script));
    const linker = new ModuleLinker({ store: modules, scripts, history });
    const store = new EndpointStore(options.reader, linker);
    this.#pool = pool;
    this.#ownsPool = options.pool === undefined;
    this.similarNodes = pool.searches.similarNodes.bind(pool.searches);
    const { fetch, fetchAllowList, primaryAddress } = options;
    const outbound = new OutboundRequests(fetch, fetchAllowList, options.secrets);
    const primary = primaryAddress === null ? null : new PrimaryCalls(fetch, primaryAddress);
    const logs = new EndpointLog(options);
    const observed = observedPool(pool, options.callObserver);
    const traces = new CallTraces(options);
    const { tracing: settings = USUAL_TRACING } = options;
    const tracing = new CallTracing({ ...options, traces, settings });
    const shared = { ...options, store, outbound, primary, logs, tracing };
    const runtime = new EndpointRuntime({ ...shared, pool: observed });
    // What endpoints take is asked by nobody's call, which no observer counts.
    const asking = new EndpointRuntime({ ...shared, pool });
    const inputs = new EndpointInputs(asking, linker, new KeptInputs(options));
    const callable = new CallableEndpoints({ store, inputs });
    const secretNames = () => options.secrets.names();
    const declared = new DeclaredWithSecrets(callable, secretNames);
    const compiler = new EndpointCompiler(declared, modules);
    const migrations = new MigrationStore(options.reader);
    const sources = { store, migrations, modules, scripts, linker, search: this.#search };
    const verdicts = new CompileVerdicts({ ...options, ...sources, compiler, callable });
    const turns = new OneAtATime();
    const code = { ...options, ...sources, compiler, callable, verdicts, history, turns };
    const onChange = (): Promise<void> => this.#changed();
    const definitions = new EndpointDefinitions({ ...code, onChange });
    const importers = new Importers({ ...code, endpoints: store, definitions });
    this.modules = new ModuleDefinitions({ ...code, store: modules, importers });
    this.#store = store;
    this.#compiler = compiler;
    this.#verdicts = verdicts;
    this.#definitions = definitions;
    this.codeOverview = new CodeOverview(code);
    this.editor = new EditorService(code);
    this.logs = logs;
    this.#runtime = runtime;
    this.watches = watchesOf(options, runtime);
    this.#inputs = inputs;
    const services = () => runtime.services;
    this.migrations = openMigrations({ ...code, store: migrations, services });
    this.#isReplica = options.isReplica;
    this.#secretNames = secretNames;
    this.#reader = options.reader;
    this.#clock = options.clock;
    this.#scheduleFault = options.scheduleFault;
    this.#linked = { callable, modules, scripts };
    const run = runtime.runTrial.bind(runtime);
    const profiledPool = () => ProfiledPool.start(poolOptionsOf(options), this.#search);
    const runIn = runtime.runTrialIn.bind(runtime);
    const trials = { run, traces, profiledPool, runIn };
    const bench = { ...sources, definitions, inputs: this.#inputs, ...trials };
    this.workbench = new EndpointWorkbench(bench);
    const comparison = new VersionComparison({ ...sources, history, definitions, run });
    this.codeHistory = new CodeHistoryService({
      store,
      history,
      definitions,
      comparison,
      migrations: this.migrations.service,
      modules: this.modules,
      audit: options.audit,
      onInputsChanged: options.onInputsChanged,
    });
  }

  /** See `EndpointPool`. */
  get ready(): Promise<void> {
    return this.#pool.ready;
  }

  prepare(): Promise<void> {
    return this.#pool.prepare() ?? Promise.resolve();
  }

  create(caller: Caller, endpoint: NewEndpoint): Promise<EndpointDefinition> {
    return this.#definitions.create(caller, endpoint);
  }

  /** What endpoint code finds from now on. */
  receiveSearch(snapshot: SearchSnapshot): void {
    this.#search.receive(snapshot);
    this.#pool.receiveSearch(snapshot);
    this.watches.indexReached(snapshot.state.sequence);
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

  /** Against the schema and the modules that there are, or others: code by name. */
  async check(
    _caller: Caller,
    draft: {
      readonly name?: string | undefined;
      readonly code: string;
      readonly isReadOnly?: boolean | undefined;
      readonly types?: boolean | undefined;
    },
    schema?: SchemaDocument,
    given?: ReadonlyMap<string, string>,
  ): Promise<EndpointCheck> {
    const { name, code, isReadOnly = false } = draft;
    const modules = given && this.modules.sourcesWith(given);
    const asked = { name, code, isReadOnly, ...(modules && { modules }) };
    if (draft.types !== true) {
      return this.#definitions.review(asked, schema);
    }
    const { types, ...reviewed } = await this.#definitions.inspect(asked, schema);
    const { notices: ofTypes = [], input, output } = types ?? {};
    const notices = [...ofTypes, ...secretNotices(code, name, this.#secretNames)];
    return {
      ...reviewed,
      ...(notices.length > 0 ? { notices } : {}),
      ...(input ? { input } : {}),
      ...(output ? { output } : {}),
    };
  }

  /** Those that this caller may run on this server, by name. */
  runnable(caller: Caller): EndpointDefinition[] {
    return this.#store
      .all()
      .filter((endpoint) => refusalOf(endpoint, caller, this.#isReplica) === undefined)
      .map(({ definition }) => definition);
  }

  /** Those that this caller may call, by name: from a replica some of them lead to the primary. */
  callable(caller: Caller): EndpointDefinition[] {
    return this.#store
      .all()
      .filter((endpoint) => refusalOf(endpoint, caller, false) === undefined)
      .map(({ definition }) => definition);
  }

  /** What is to be known of an endpoint before it is called; undefined when there is none. */
  standing(name: string): EndpointStanding | undefined {
    const endpoint = this.#store.find(name);
    return endpoint && standingOf(endpoint);
  }

  /** Endpoints and migrations as a part of a larger commit. */
  over(staging: Staging): StagedEndpoints {
    const store = this.#store;
    this.#reader.refresh();
    staging.afterwards(async () => {
      this.schemaMayHaveChanged();
      await this.#changed();
    });
    return new StagedEndpoints({
      staging,
      present: {
        schema: this.#reader.schema(),
        compiles: (name) => {
          const endpoint = store.find(name);
          return endpoint !== undefined && this.#verdicts.compiles(checkedEndpoint(endpoint));
        },
        module: (name) => this.#linked.modules.get(name)?.definition,
        migrationCompiles: (name) => this.migrations.service.compiles(name),
        versionsFor: (code, name) => versionsOf(code, name, this.#linked),
      },
      compiler: this.#compiler,
      scripts: this.#linked.scripts,
      runtime: this.#runtime,
      keptInputs: this.#inputs.kept,
      migrations: this.migrations.service,
      clock: this.#clock,
      scheduleFault: this.#scheduleFault,
    });
  }

  /** Null for one that does not take an object, or that there is not: see `EndpointInputs`. */
  async inputSchema(name: string): Promise<InputSchema | null> {
    const endpoint = this.#store.find(name);
    return endpoint?.servingCode === undefined ? null : this.#inputs.schemaOf(endpoint);
  }

  /** Null for one that there is not, or when the workers are busy: see `EndpointInputs`. */
  async bodySchema(name: string): Promise<BodySchema | null> {
    const endpoint = this.#store.find(name);
    return endpoint?.servingCode === undefined ? null : this.#inputs.bodySchemaOf(endpoint);
  }

  /** What the types of its code say; undefined where nobody has asked them. */
  types(name: string): EndpointTypes | undefined {
    return this.#store.find(name)?.servingTypes;
  }

  /** Those whose code says when they run, by name. */
  selfRunning(): SelfRunning[] {
    return this.#store.all().flatMap(({ definition: { name }, servingCode = '' }) => {
      if (isBuiltIn(name)) return [];
      const { crons, triggers } = parseRunLines(servingCode);
      return crons.length + triggers.length === 0 ? [] : [{ name, crons, triggers }];
    });
  }

  /** Calls the listener after each change of an endpoint, and waits for it. */
  onChange(listener: () => Promise<void>): void {
    this.#onChange = listener;
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

  /** Calls of all existing endpoints since the server started. */
  get calls(): number {
    return this.#store.all().reduce((sum, { calls: { metrics } }) => sum + metrics.calls, 0);
  }

  /** What the workers have to do now. */
  load(): PoolLoad {
    return this.#pool.load();
  }

  /** Whether code cannot be checked for a reason that is not the code's. */
  get isCompilerFailing(): boolean {
    return this.#compiler.isFailing;
  }

  /** Definitions that are held in memory. */
  get kept(): number {
    return this.#store.size;
  }

  /** To be called after a commit that may have changed the schema: everything is checked again. */
  schemaMayHaveChanged(): void {
    this.#verdicts.schemaMayHaveChanged();
  }

  /**
   * Begins to make in the background what programs are told of the endpoints: after a start. After
   * each change it goes on by itself.
   */
  makeTypesAhead(): void {
    this.#linked.callable.askAhead();
  }

  /** Resolves when nothing of it is being made, and what was made is kept. */
  async typesMade(): Promise<void> {
    await this.#linked.callable.settled();
    await this.#inputs.kept.settled();
  }

  #changed(): Promise<void> {
    this.makeTypesAhead();
    return this.#onChange();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.watches.close();
    this.#linked.callable.close();
    await this.migrations[Symbol.asyncDispose]();
    await Promise.all([
      this.#verdicts.close(),
      this.#ownsPool ? this.#pool.close() : this.#pool.stopCalls(),
      this.#compiler.close(),
    ]);
    await this.#inputs.kept.settled();
    await this.#runtime.close();
  }
}

function watchesOf(options: EndpointServiceOptions, runtime: EndpointRuntime): EndpointWatches {
  return new EndpointWatches({
    ...options,
    feed: options.watchFeed,
    run: (run) => runtime.run(run),
    check: (name, caller) => runtime.checkWatched(name, caller),
  });
}

/**
 * Throws where the process would give secrets away to endpoint code: see `sandbox/isolation.ts`.
 */
export function openEndpointService(options: EndpointServiceOptions): EndpointService {
  const { workers: size = usualSize() } = options;
  const pool = options.pool ?? EndpointPool.start({ ...poolOptionsOf(options), size });
  return new EndpointService(options, pool);
}

function poolOptionsOf(options: EndpointServiceOptions) {
  const { storage, environmentKey, rowMemoryBytes, logger } = options;
  return { storage, environmentKey, rowMemoryBytes, logger };
}
