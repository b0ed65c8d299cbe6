import type { AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import type { RunningCallers } from '#access/running-callers.ts';
import { must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { ENDPOINT_CALL_DEPTH_MAX } from '#base/endpoint-limits.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { answerOf, jsonOf, ofBuiltIn, problemOf, type EndpointAnswer } from './call-outcome.ts';
import {
  CallFault,
  type Pool,
  type CallResult,
  type EndpointCall,
  type HostAnswer,
  type LoadableEndpoint,
} from './sandbox/endpoint-call.ts';
import {
  callerKey,
  requestKey,
  cachedAnswer,
  CachedRuns,
  minSequenceOf,
  type Keep,
} from './cached-runs.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import { notFound } from './endpoint-definitions.ts';
import type { EndpointCalls } from './endpoint-calls.ts';
import type { EndpointLog, RuntimeLogger } from './endpoint-log.ts';
import type { EndpointStore, StoredEndpoint } from './endpoint-store.ts';
import {
  Invocation,
  type EndpointRun,
  type InvocationServices,
  type NestedRun,
} from './invocation.ts';
import type { EmbedQuery, ModelCalls } from './model-calls.ts';
import type { OutboundRequests } from './outbound-requests.ts';
import { PooledRuns } from './pooled-runs.ts';
import type { PrimaryCalls } from './primary-calls.ts';
import { RunQueues } from './run-queues.ts';
import type { CallRecording, KeptAs, RecordedSpan } from './tracing/call-recording.ts';
import type { CallTracing, TracedCall } from './tracing/call-tracing.ts';
import { AwaitedCommits } from './awaited-commits.ts';
import { WriteTurns } from './write-turns.ts';

export interface EndpointRuntimeOptions {
  readonly store: Pick<EndpointStore, 'find'>;
  readonly pool: Pool;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly logger: RuntimeLogger;
  readonly logs: EndpointLog;
  readonly clock: Clock;
  readonly isReplica: boolean;
  readonly outbound: OutboundRequests;
  /** Calls to the primary, on a replica. */
  readonly primary: PrimaryCalls | null;
  readonly embedQuery: EmbedQuery;
  readonly models: ModelCalls;
  readonly running: Pick<RunningCallers, 'check' | 'watch'>;
  readonly tracing: CallTracing;
  /** Told when an input was recorded. */
  readonly onInputsChanged?: (() => void) | undefined;
}

/** What is needed to run one version of an endpoint. */
export type RunnableEndpoint = Pick<StoredEndpoint, 'definition' | 'loadable' | 'calls'>;

/** Where a run comes from. */
interface Nesting {
  /** The run that asks for it. */
  readonly parent?: Invocation | undefined;
  /** It may not write, whatever its endpoint is marked as. */
  readonly isReadOnly: boolean;
  /** Nothing at all may come of it. */
  readonly isTrial: boolean;
  /** It has a transaction of its own, as what is run on the primary. */
  readonly isApart?: boolean;
  /** Where it runs, and what it runs; that of endpoints when left out. */
  readonly pool?: Pool | undefined;
  /** Where the writes of a trial go. */
  readonly trialCommits?: CommitPort | undefined;
  /** What stands for it in the trace of its parent. */
  readonly span?: RecordedSpan | undefined;
}

interface CallParts extends Pick<EndpointCall, 'deadline' | 'onEnded'> {
  readonly run: EndpointRun;
  readonly nesting: Nesting;
  readonly onScan: (scan: string) => void;
  readonly recording: CallRecording;
}

/** A call with what this thread knows of it. */
interface InvokedCall extends EndpointCall {
  readonly host: Invocation;
}

const OUTERMOST: Nesting = { isReadOnly: false, isTrial: false };
const TRIAL: Nesting = { isReadOnly: true, isTrial: true };
const NOWHERE: CommitPort = {
  commit: async () => ({ sequence: 0, nodes: 0, created: 0, edges: 0, splits: 0, outcomes: [] }),
};

/** Runs endpoints (open-shapes, section 5, "run"). */
export class EndpointRuntime {
  readonly #options: EndpointRuntimeOptions;
  readonly #queues = new RunQueues();
  readonly #pooled = new PooledRuns();
  readonly #commits: AwaitedCommits;
  readonly #cached: CachedRuns;
  /** What is done for code beyond its own run. */
  readonly services: InvocationServices;

  constructor(options: EndpointRuntimeOptions) {
    this.#options = options;
    this.#cached = new CachedRuns(options);
    this.#commits = new AwaitedCommits(options.commits);
    this.services = {
      ...options,
      commits: this.#commits,
      turns: new WriteTurns(
        undefined,
        options.pool.hasLines === true ? this.#commits.commitLine : undefined,
      ),
      runNested: (run) => this.#runNested(run, { isReadOnly: run.parent.isReadOnly }),
      runOnPrimary: (run) => this.#runOnPrimary(run),
    };
  }

  /**
   * Resolves with what the endpoint answers, errors of its own making included; with 202 while a
   * run of mode "pooling" is under way. Rejects with `endpoint_not_found`, `forbidden`,
   * `endpoint_not_compiled`, `read_only_replica`, `malformed_json`, `invalid_request`,
   * `run_not_found`, `endpoint_failed`, `endpoint_timeout`, `endpoint_overloaded`, with the code
   * that a helper such as `notFound()` stands for when it is given a message, and with the signal's
   * reason.
   */
  async run(run: EndpointRun): Promise<EndpointAnswer> {
    const endpoint = this.#find(run.name, run.caller);
    const { mode, cacheSeconds } = endpoint.definition;
    const isPooled = mode === 'pooling' && run.isAwaited !== true;
    if (isPooled || run.runKey !== null) return this.#pool(endpoint, run);
    run.watched?.asked(run.name);
    if (cacheSeconds > 0 && run.watched === undefined) return this.#answerFromCache(endpoint, run);
    return answerOf(await this.#execute(endpoint, run));
  }

  /**
   * Throws `endpoint_not_found`, `forbidden`, `endpoint_not_compiled`, and `not_read_only`: what is
   * watched is run again and again.
   */
  checkWatched(name: string, caller: Caller): void {
    const endpoint = this.#options.store.find(name);
    if (endpoint === undefined) throw notFound(name);
    const refusal = refusalOf(endpoint, caller, false);
    if (refusal !== undefined) throw refusal;
    if (endpoint.definition.isReadOnly) return;
    throw new Problem('not_read_only', `The endpoint "${name}" is not marked Read Only`, {
      hint: 'Only endpoints that are read-only can be watched: mark it, or run it.',
    });
  }

  /**
   * Throws `run_not_found`, and what `run` rejects with when the endpoint is not this caller's to
   * run.
   */
  cancel(caller: Caller, name: string, runKey: string | null): void {
    this.#find(name, caller);
    this.#pooled.cancel(runKey ?? '', { endpoint: name, caller: callerKey(caller) });
  }

  /**
   * Runs a version that may not be the one that serves, as one that only reads: nothing is changed.
   */
  async runTrial(endpoint: RunnableEndpoint, run: EndpointRun): Promise<EndpointAnswer> {
    return answerOf(await this.#execute(endpoint, run, TRIAL));
  }

  /** The same in another pool; its writes are tried, and thrown away. */
  async runTrialIn(
    pool: Pool,
    endpoint: RunnableEndpoint,
    run: EndpointRun,
  ): Promise<EndpointAnswer> {
    const nesting = { isReadOnly: false, isTrial: true, pool, trialCommits: NOWHERE };
    return answerOf(await this.#execute(endpoint, run, nesting));
  }

  /** Call it when no more code runs. */
  async close(): Promise<void> {
    this.#pooled.close();
    await this.#commits.settled();
  }

  async #pool(endpoint: StoredEndpoint, run: EndpointRun): Promise<EndpointAnswer> {
    const { name, caller, body, runKey, onRunKey } = run;
    const owner = { endpoint: name, caller: callerKey(caller) };
    if (runKey !== null) return this.#pooled.poll(runKey, owner, onRunKey);
    const key = requestKey(endpoint.identity, caller, body);
    const { hit, keep } = this.#cached.look(endpoint, run, key);
    if (hit !== undefined) return cachedAnswer(hit);
    const minSequence = minSequenceOf(run.headers);
    const watch = () => this.#options.running.watch(caller);
    const request = { requestKey: key, owner, minSequence, onRunKey, watch };
    return this.#pooled.request(request, async ({ signal, onProgress }) => {
      const own = { ...run, signal, onProgress };
      const result = await this.#execute(endpoint, own, OUTERMOST, keep);
      // It may be given later, and reflects what there is now.
      return { answer: answerOf(result), sequence: this.#options.reader.refresh() };
    });
  }

  async #answerFromCache(endpoint: StoredEndpoint, run: EndpointRun): Promise<EndpointAnswer> {
    const { hit, keep } = this.#cached.look(endpoint, run);
    return hit === undefined
      ? answerOf(await this.#execute(endpoint, run, OUTERMOST, keep))
      : cachedAnswer(hit);
  }

  async #execute(
    endpoint: RunnableEndpoint,
    run: EndpointRun,
    nesting: Nesting = OUTERMOST,
    keep?: Keep,
  ): Promise<CallResult> {
    const { definition, calls } = endpoint;
    const { name, maxConcurrent, timeoutMs } = definition;
    const { parent } = nesting;
    // What is part of a transaction runs where that is.
    const pool =
      (nesting.isApart === true ? undefined : (nesting.pool ?? parent?.pool)) ?? this.#options.pool;
    // The time a run may take begins when there is a worker, which a new workspace starts only now.
    const start = pool.prepare();
    if (start !== undefined) await start.catch(() => {});
    const startedAt = performance.now();
    const begunAtMs = this.#options.clock.now();
    const deadline = Math.min(startedAt + timeoutMs, parent?.call?.deadline ?? Infinity);
    const { tracing } = this.#options;
    const { isTrial, span } = nesting;
    const { sampler } = calls;
    const recording = tracing.begin({ sampler, isTrial, parent, span }, startedAt);
    const isLimited = maxConcurrent > 0;
    let isError = true;
    let result: CallResult | undefined;
    let problem: unknown;
    if (isLimited && parent !== undefined) this.#queues.enterNested(definition);
    else if (isLimited) await this.#queues.enter(definition, deadline, run);
    const onEnded = isLimited ? () => this.#queues.leave(name) : undefined;
    let call: InvokedCall | undefined;
    try {
      const loadable = endpoint.loadable();
      // Each promise costs a small call some percent of its time.
      const loaded = loadable instanceof Promise ? await loadable : loadable;
      const onScan = (scan: string): void => calls.metrics.scanned(scan);
      const parts = { run, deadline, nesting, onEnded, onScan, recording };
      call = this.#callOf(definition, loaded, parts);
      result = ofBuiltIn(name, await pool.run(call));
      isError = result.kind === 'answer' && result.status >= 500;
      // A run that wrote must not be left out the next time.
      if (keep !== undefined && call.host.effects.isOnlyAnswer) keep(result);
      return result;
    } catch (error) {
      isError = !run.signal.aborted && !isMalformed(error);
      problem = this.#problemOf(error, name, run, call);
      throw problem;
    } finally {
      if (call === undefined) onEnded?.();
      const ended = {
        run,
        version: isTrial ? null : definition.version,
        kind: kindOf(nesting),
        result,
        error: problem,
        hasFailed: isError,
        begunAtMs,
        ms: performance.now() - startedAt,
      };
      tracing.end(recording, ended);
      this.#note(calls, ended, recording.family.kept, call);
    }
  }

  /** What this process knows of the calls of an endpoint. On the path of every call. */
  #note(calls: EndpointCalls, ended: TracedCall, kept: KeptAs, call?: InvokedCall): void {
    const { clock, onInputsChanged } = this.#options;
    const { run, kind, result, error, hasFailed, begunAtMs, ms } = ended;
    const { caller, traceId, body } = run;
    calls.metrics.record(ms, hasFailed, clock.now());
    if (calls.inputs.offer(body, clock)) onInputsChanged?.();
    const logRun = call?.host.logRun;
    const told = { caller, traceId, result, error, ms, run: logRun, kept };
    calls.recent.add({ ...told, kind, begunAtMs });
  }

  #callOf(
    { name, isReadOnly, mayRunOnPrimary, runAsAdmin }: EndpointDefinition,
    endpoint: LoadableEndpoint,
    { run, deadline, nesting, onEnded, onScan, recording }: CallParts,
  ): InvokedCall {
    const { caller, body, headers, signal } = run;
    const { parent, isTrial } = nesting;
    // What was offered as a reader stays one, whatever has become of the endpoint since.
    const mayNotWrite = isReadOnly || nesting.isReadOnly || run.mayOnlyRead === true;
    const sharesTransaction = parent !== undefined && nesting.isApart !== true;
    const { pool, trialCommits } = nesting;
    const more = { parent, sharesTransaction, onScan, recording, pool, trialCommits };
    const parts = { endpoint: name, mayRunOnPrimary, isTrial, run, ...more };
    const host = new Invocation({ ...parts, isReadOnly: mayNotWrite }, this.services);
    const call: InvokedCall = {
      endpoint,
      caller: runAsAdmin ? { ...caller, isAdmin: true } : caller,
      body: body ?? '',
      headers,
      deadline,
      signal,
      parent: parent?.call,
      sharesTransaction,
      host,
      watched: run.watched,
      onEnded,
    };
    host.call = call;
    return call;
  }

  #problemOf(error: unknown, name: string, run: EndpointRun, call?: InvokedCall): unknown {
    if (!(error instanceof CallFault)) return error;
    const fault = withOrigins(error, call);
    // It threw on what `graph.commit()` was refused with.
    if (error.kind === 'failed' && call?.host.conflict !== undefined) return call.host.conflict;
    if (error.kind !== 'malformed') {
      const { kind, message, guestStack } = fault;
      const { logger } = this.#options;
      const { traceId } = run;
      logger.warn({ endpoint: name, traceId, kind, message, guestStack }, 'an endpoint failed');
      call?.host.logFailure(message, { kind, guestStack });
    }
    return problemOf(fault, name, run.caller);
  }

  /** The endpoint that this caller may run under this name. */
  #find(name: string, caller: Caller): StoredEndpoint {
    const endpoint = this.#options.store.find(name);
    if (endpoint === undefined) throw notFound(name);
    const refusal = refusalOf(endpoint, caller, this.#options.isReplica);
    if (refusal !== undefined) throw refusal;
    return endpoint;
  }

  /**
   * `run()` of endpoint code: as the same caller, with no more time and no more rights than the one
   * who asks.
   */
  async #runNested(
    { parent, path, body, span }: NestedRun,
    more: Pick<Nesting, 'isReadOnly' | 'isApart'>,
  ): Promise<HostAnswer> {
    if (parent.depth >= ENDPOINT_CALL_DEPTH_MAX) {
      throw new Problem(
        'endpoint_failed',
        `"${path}" is not run: endpoints call one another at most ${ENDPOINT_CALL_DEPTH_MAX} deep`,
      );
    }
    const { caller, headers, authorization, agentDepth, mayOnlyRead, traceId } = parent.run;
    const { triggers, watched } = parent.run;
    const { signal } = must(parent.call, 'the call of an invocation that asks');
    const request = { name: path, body, signal, runKey: null, traceId };
    const run = {
      ...request,
      caller,
      headers,
      authorization,
      agentDepth,
      mayOnlyRead,
      triggers,
      watched,
    };
    watched?.asked(path);
    const endpoint = this.#find(path, caller);
    const { hit, keep } = watched === undefined ? this.#cached.look(endpoint, run) : {};
    const nesting = { parent, isTrial: parent.isTrial, span, ...more };
    const result = hit?.answer ?? (await this.#execute(endpoint, run, nesting, keep));
    const json = jsonOf(path, result);
    return { json, sequence: this.#options.reader.refresh() };
  }

  /** `runOnPrimary()` of endpoint code: see `Scope` of `@trellis/endpoint`. */
  async #runOnPrimary(nested: NestedRun): Promise<HostAnswer> {
    const { parent, path, body } = nested;
    const { primary, reader } = this.#options;
    if (primary === null) return this.#runNested(nested, { isReadOnly: false, isApart: true });
    const { caller, authorization } = parent.run;
    const { deadline } = must(parent.call, 'the call of an invocation that asks');
    const limits = { deadline, signal: parent.requestSignal };
    const json = await primary.run({ path, body, caller, authorization, limits });
    return { json, sequence: reader.refresh() };
  }
}

function kindOf({ parent, isTrial }: Nesting): 'call' | 'nested' | 'draft' {
  if (parent !== undefined) return 'nested';
  return isTrial ? 'draft' : 'call';
}

/** With places in the files that packages were bundled of. */
function withOrigins(fault: CallFault, call: InvokedCall | undefined): CallFault {
  const { origins } = call?.endpoint ?? {};
  if (origins === undefined || fault.guestStack === '') return fault;
  return new CallFault(fault.kind, fault.message, origins.inStack(fault.guestStack));
}

function isMalformed(error: unknown): boolean {
  return error instanceof CallFault && error.kind === 'malformed';
}

/**
 * Why this caller may not run this endpoint on this server: `forbidden`, `read_only_replica`,
 * `endpoint_not_compiled`; undefined when they may. That one for administrators exists is for
 * administrators to know: others get what they would get without it.
 */
export function refusalOf(
  { definition, servingCode }: StoredEndpoint,
  caller: Caller,
  isReplica: boolean,
): Problem | undefined {
  const { name, access, isReadOnly } = definition;
  if (access === 'admins' && !isAdminOf(isReadOnly, caller)) {
    if (!isAdminOf(true, caller)) return notFound(name);
    return new Problem('forbidden', `Only administrators may call the endpoint "${name}"`, {
      details: { role: isReadOnly ? 'admin' : 'admin-write' },
    });
  }
  if (isReplica && !isReadOnly) {
    return new Problem('read_only_replica', `The endpoint "${name}" is not marked Read Only`);
  }
  if (servingCode === undefined) {
    return new Problem('endpoint_not_compiled', `The endpoint "${name}" does not compile`);
  }
  return undefined;
}

/**
 * Whether code is for this caller that is for administrators: what it writes, somebody who only
 * reads must not have written.
 */
export function isAdminOf(isReadOnly: boolean, { isAdmin, isReadOnlyAdmin }: Caller): boolean {
  return isReadOnly ? isAdmin || isReadOnlyAdmin : isAdmin && !isReadOnlyAdmin;
}
