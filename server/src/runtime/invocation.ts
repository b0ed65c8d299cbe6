import type { AuditTrail } from '#access/audit-event.ts';
import { accessWritten } from '#access/ingest-service.ts';
import { must } from '#base/assert.ts';
import { ENDPOINT_REQUESTS_MAX } from '#base/endpoint-limits.ts';
import { Problem } from '#base/problem.ts';
import type { Clock } from '#base/clock.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { Caller } from '#access/caller.ts';
import type { RunningCallers } from '#access/running-callers.ts';
import { sentTransaction } from './sent-transaction.ts';
import { CallLog, RepeatedLines } from './call-log.ts';
import { pathOf } from './guest-text.ts';
import type { EndpointLog, RuntimeLogger } from './endpoint-log.ts';
import { markedReadOnly, onlyReads, onlyTests, unnamedPrimary } from './refused-requests.ts';
import { outboundRequest, type OutboundRequests } from './outbound-requests.ts';
import { progressOf, type RunKeyListener, type RunProgress } from './pooled-runs.ts';
import { CALL_WRITES, type CallWrites } from './sandbox/call-transactions.ts';
import {
  type CallHost,
  type CallSignal,
  EndCall,
  type EndpointCall,
  type HostAnswer,
  type Pool,
  type RunAgain,
} from './sandbox/endpoint-call.ts';
import { CallTurns } from './call-turns.ts';
import { askedSpan, recorded, usageOf } from './tracing/asked-spans.ts';
import type { EmbedQuery, ModelCalls } from './model-calls.ts';
import { CallRecording, endSpan, type RecordedSpan } from './tracing/call-recording.ts';
import { RunEffects } from './run-effects.ts';
import type { KeptOut, WriteLine } from './write-line.ts';
import type { WriteTurns } from './write-turns.ts';

export interface EndpointRun {
  readonly name: string;
  readonly caller: Caller;
  /** JSON text; null or empty for none. It is parsed where the endpoint runs. */
  readonly body: string | null;
  /** Headers of the request, as JSON text: lower case, without those that carry credentials. */
  readonly headers: string;
  /** The header `Authorization`, which a replica shows the primary on the caller's behalf. */
  readonly authorization: string | undefined;
  /** Key of the run of mode "pooling" that the call continues. */
  readonly runKey: string | null;
  /** Of the request that it comes of, for the log; none when left out. */
  readonly traceId?: string | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: CallSignal;
  /** Told the key of a run of mode "pooling", also when its answer is an error. */
  readonly onRunKey?: RunKeyListener;
  readonly onProgress?: (progress: RunProgress) => void;
  /** Told the lines that its code logs, and why it failed. */
  readonly onLog?: ((text: string) => void) | undefined;
  /**
   * Whoever calls waits for the end, however long it takes: a run of mode "pooling" is as one of
   * mode "sync".
   */
  readonly isAwaited?: boolean;
  /**
   * Whoever calls was told that it only reads: it may not ask for anything else, on the primary
   * neither.
   */
  readonly mayOnlyRead?: boolean | undefined;
  /** Runs of agents that it comes of, one within the other; none when left out. */
  readonly agentDepth?: number | undefined;
  /** Told what it reads, and never answered from memory; undefined when nobody wants to know. */
  readonly watched?: EndpointCall['watched'];
  /** The endpoints that changes ran one after the other, down to this run: see `CommitAuthor`. */
  readonly triggers?: readonly string[] | undefined;
}

/** What the main thread does for endpoint code beyond its own run. */
export interface InvocationServices {
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly logger: RuntimeLogger;
  readonly logs: EndpointLog;
  readonly outbound: OutboundRequests;
  readonly clock: Clock;
  readonly turns: WriteTurns;
  readonly running: Pick<RunningCallers, 'check'>;
  /** Runs another endpoint on behalf of this one. */
  readonly runNested: (run: NestedRun) => Promise<HostAnswer>;
  readonly runOnPrimary: (run: NestedRun) => Promise<HostAnswer>;
  readonly embedQuery: EmbedQuery;
  readonly models: ModelCalls;
}

export interface NestedRun {
  readonly parent: Invocation;
  readonly path: string;
  /** JSON text; empty for none. */
  readonly body: string;
  /** It stands for the run in the trace of the parent. */
  readonly span: RecordedSpan | undefined;
}

export interface InvocationParts {
  readonly endpoint: string;
  /** Nothing may be written, by this call or by those that it makes. */
  readonly isReadOnly: boolean;
  /** Its code names `runOnPrimary`. */
  readonly mayRunOnPrimary: boolean;
  /** Nothing at all may come of it. */
  readonly isTrial: boolean;
  /** Of a trial: where its writes go, and those of the calls that it makes. */
  readonly trialCommits?: CommitPort | undefined;
  /** Where it runs, and what it runs in its transaction; that of endpoints when left out. */
  readonly pool?: Pool | undefined;
  readonly run: EndpointRun;
  readonly parent?: Invocation | undefined;
  /** It is part of the transaction of its parent. */
  readonly sharesTransaction?: boolean;
  /** Told of its queries that read much: see `CallHost.scanned`. */
  readonly onScan?: ((scan: string) => void) | undefined;
  /** By default one that nobody looks at. */
  readonly recording?: CallRecording | undefined;
}

/**
 * One run of an endpoint as the main thread knows it. Whatever its code asks for is held against
 * this record, not against anything that the code or its worker says.
 */
export class Invocation implements CallHost {
  readonly run: EndpointRun;
  readonly isReadOnly: boolean;
  readonly isTrial: boolean;
  readonly trialCommits: CommitPort | undefined;
  readonly pool: Pool | undefined;
  /** 1 for a call from outside. */
  readonly depth: number;
  /** The call of the pool that this is the host of; there before any code runs. */
  call: EndpointCall | undefined;
  within: CallHost['within'];
  readonly #endpoint: string;
  readonly #mayRunOnPrimary: boolean;
  readonly parent: Invocation | undefined;
  readonly recording: CallRecording;
  readonly effects: RunEffects;
  readonly #sharesTransaction: boolean;
  readonly #onScan: InvocationParts['onScan'];
  readonly #services: InvocationServices;
  /** Made when it first writes. */
  #madeTurns: CallTurns | undefined;
  /** Made with its first line. */
  #log: CallLog | undefined;
  #repeated: RepeatedLines | undefined;
  #requestsRunning = 0;
  /** Aborts the requests to other servers that are under way. */
  #requests: AbortController | undefined;

  constructor(parts: InvocationParts, services: InvocationServices) {
    const { endpoint, isReadOnly, mayRunOnPrimary, isTrial, run, parent, onScan } = parts;
    this.#onScan = onScan;
    this.#mayRunOnPrimary = mayRunOnPrimary;
    this.run = run;
    this.isReadOnly = isReadOnly;
    this.isTrial = isTrial;
    this.trialCommits = parts.trialCommits ?? parent?.trialCommits;
    this.#sharesTransaction = parts.sharesTransaction === true;
    this.pool = parts.pool ?? (this.#sharesTransaction ? parent?.pool : undefined);
    this.depth = (parent?.depth ?? 0) + 1;
    this.#endpoint = endpoint;
    this.parent = parent;
    this.effects = new RunEffects(parent?.effects);
    this.#services = services;
    this.recording = parts.recording ?? CallRecording.begin(false);
  }

  /** Why its last writes were refused for good, when others were in their way. */
  get conflict(): Problem | undefined {
    return this.#madeTurns?.conflict;
  }

  get line(): WriteLine | undefined {
    return this.#madeTurns?.line;
  }

  joinLine(again: (keptOut: KeptOut) => void): boolean {
    return this.#turns.joinLine(again);
  }

  leaveLine(): void {
    this.#madeTurns?.leaveLine();
  }

  againFromLine(keptOut: KeptOut): RunAgain | EndCall {
    return this.#turns.againFromLine(keptOut);
  }

  get logRun(): number | undefined {
    return this.#log?.run;
  }

  get hasEffects(): boolean {
    return this.effects.isPossible;
  }

  get writes(): CallWrites {
    if (this.isTrial && this.trialCommits === undefined) return CALL_WRITES.refusedInTests;
    if (this.isReadOnly) return CALL_WRITES.refused;
    return this.isTrial ? CALL_WRITES.tried : CALL_WRITES.committed;
  }

  get nowMs(): number {
    return this.#services.clock.now();
  }

  /** Signal for requests to other servers from now on: aborts when nobody waits for them. */
  get requestSignal(): AbortSignal {
    return (this.#requests ??= new AbortController()).signal;
  }

  forsake(): void {
    this.#requests?.abort();
    this.#requests = undefined;
  }

  noteWrite(): void {
    this.effects.write();
  }

  settled(): void {
    this.#madeTurns?.leave();
  }

  ask(operation: string, args: string): Promise<HostAnswer> {
    const { within } = this;
    const perform = (): Promise<HostAnswer> => this.#perform(operation, args);
    return within === undefined ? perform() : within(perform);
  }

  #perform(operation: string, args: string): Promise<HostAnswer> {
    const parsed: unknown = JSON.parse(args);
    return recorded(this.recording, askedSpan(operation, parsed), (span) =>
      this.#answer(operation, parsed, span),
    );
  }

  async #answer(
    operation: string,
    parsed: unknown,
    span: RecordedSpan | undefined,
  ): Promise<HostAnswer> {
    switch (operation) {
      case 'commit':
        return this.#commit(parsed, span);
      case 'run':
        return this.#services.runNested(this.#nestedRun(parsed, span));
      case 'runOnPrimary':
        if (this.run.mayOnlyRead === true) throw onlyReads();
        if (!this.#mayRunOnPrimary) throw unnamedPrimary();
        this.#noteEffect('runOnPrimary()');
        return this.#services.runOnPrimary(this.#nestedRun(parsed, span));
      case 'fetch':
        return this.#fetch(parsed, span);
      case 'embedQuery':
        return this.#embedQuery(parsed);
      case 'complete':
      case 'embed':
        return this.#askModel(operation, parsed, span);
      case 'runAgent':
        this.#noteEffect('ai.runAgent()');
        return this.#askModel(operation, parsed, span);
      default:
        throw new Problem('invalid_request', `There is no operation "${operation}"`);
    }
  }

  log(level: string, record: string): void {
    this.#lines.log(level, record);
  }

  unlogged(lines: number): void {
    this.#lines.unlogged(lines);
  }

  logFailure(message: string, data: Readonly<Record<string, unknown>>): void {
    this.#lines.failure(message, data);
  }

  get #lines(): CallLog {
    const { logger, logs } = this.#services;
    const own = { endpoint: this.#endpoint, call: this.run, repeated: () => this.#repeatedLines };
    const { recording } = this;
    return (this.#log ??= new CallLog({ ...own, logger, logs, recording }));
  }

  /** Those of the call in whose transaction this one is; undefined where it is not run again. */
  get #repeatedLines(): RepeatedLines | undefined {
    const { parent } = this;
    if (this.#sharesTransaction && parent !== undefined) return parent.#repeatedLines;
    if (this.writes !== CALL_WRITES.committed) return undefined;
    this.#repeated ??= new RepeatedLines();
    return this.#repeated;
  }

  /** How far it is, for whoever asks for it. */
  progress(record: string): void {
    const { onProgress } = this.run;
    const progress = onProgress === undefined ? null : progressOf(record);
    if (progress !== null) onProgress?.(progress);
  }

  scanned(scan: string): void {
    this.#onScan?.(scan);
  }

  async commit(transaction: string | undefined): Promise<void> {
    if (transaction === undefined) return this.#madeTurns?.awaitLine();
    const { within } = this;
    const perform = () =>
      recorded(this.recording, { kind: 'commit', name: '' }, (span) =>
        this.#commit(JSON.parse(transaction), span),
      );
    await (within === undefined ? perform() : within(perform));
  }

  async #commit(transaction: unknown, span?: RecordedSpan): Promise<HostAnswer> {
    const { operations, sight } = sentTransaction(transaction);
    endSpan(span, { operations: operations.length });
    const commits = this.isTrial ? this.trialCommits : this.#services.commits;
    if (commits === undefined) throw onlyTests('a write');
    if (this.isReadOnly) throw markedReadOnly();
    if (operations.length === 0) {
      await this.#madeTurns?.awaitLine();
      return { json: 'null', sequence: 0 };
    }
    // Whoever was told that nothing comes of it must not find it written.
    if (this.run.signal.aborted) throw new EndCall(this.run.signal.reason);
    if (sight !== undefined) this.#turns.makeWay(sight.reads);
    const { line } = this.#turns;
    try {
      // The writer checks the shape of each operation, as of those that come over HTTP. Code that
      // may write may also say who sees what: only administrators write code.
      const request = {
        operations,
        user: this.run.caller.userUid ?? undefined,
        triggers: this.run.triggers,
        accessControl: { trace: this.#trace() },
        // A trial is on top of its own commits, which no reader sees.
        sight: this.isTrial ? undefined : sight,
      };
      const commit = (): Promise<{ readonly sequence: number }> =>
        line === undefined ? commits.commit(request) : line.end(this.#turns, request);
      const { sequence } = await this.effects.committing(commit);
      endSpan(span, { sequence });
      this.#turns.committed();
      return { json: 'null', sequence: this.isTrial ? 0 : sequence };
    } catch (error) {
      throw this.#turns.refusal(error, line);
    }
  }

  get #turns(): CallTurns {
    const { turns, running } = this.#services;
    return (this.#madeTurns ??= new CallTurns({
      turns,
      effects: this.effects,
      recording: this.recording,
      sharedVersion: () => (this.pool === undefined ? this.call?.endpoint.version : undefined),
      check: () => running.check(this.run.caller),
      onAgain: () => this.#beginAgain(),
    }));
  }

  /** What it did so far comes to nothing. */
  #beginAgain(): void {
    this.#log?.again();
    this.#repeated?.again();
    this.effects.undoWrites();
    this.forsake();
  }

  #trace(): WriterOperation {
    const { caller } = this.run;
    const source = { via: 'endpoint', endpoint: this.#endpoint } as const;
    return this.#services.audit.operation(accessWritten({ caller, address: null }, source));
  }

  /** What happens elsewhere must not happen twice, nor in a trial. */
  #noteEffect(what: string): void {
    if (this.isTrial) throw onlyTests(what);
    this.effects.callOut();
    this.effects.happen();
  }

  #nestedRun(request: unknown, span: RecordedSpan | undefined): NestedRun {
    const { path, body } = Object(request) as Record<string, unknown>;
    return { parent: this, path: pathOf(path), body: typeof body === 'string' ? body : '', span };
  }

  #fetch(request: unknown, span: RecordedSpan | undefined): Promise<HostAnswer> {
    return this.#request(async (signal) => {
      const outbound = outboundRequest(request);
      const { method } = outbound;
      this.effects.callOut();
      if (outbound.method !== 'GET' && outbound.method !== 'HEAD') this.#noteEffect('fetch()');
      const { deadline } = must(this.call, 'the call of an invocation that asks');
      const onAnswer = (answer: { readonly status: number; readonly bytes: number }): void =>
        endSpan(span, { method: method.slice(0, 20), ...answer });
      const requester = { endpoint: this.#endpoint, caller: this.run.caller };
      return this.#services.outbound.send(outbound, { deadline, signal, onAnswer }, requester);
    });
  }

  #embedQuery(request: unknown): Promise<HostAnswer> {
    return this.#request(async (signal) => {
      try {
        return JSON.stringify(await this.#services.embedQuery(request, signal));
      } catch (error) {
        if (!signal.aborted) throw error;
        throw new Problem(
          'embeddings_unavailable',
          'The run ended before the vector of its query was there',
          {
            cause: error,
          },
        );
      }
    });
  }

  #askModel(
    operation: keyof ModelCalls,
    request: unknown,
    span: RecordedSpan | undefined,
  ): Promise<HostAnswer> {
    const { caller, headers, authorization, agentDepth = 0 } = this.run;
    const { isReadOnly } = this;
    this.effects.callOut();
    return this.#request(async (signal) => {
      const asker = { caller, headers, authorization, isReadOnly, agentDepth, signal };
      try {
        const answer = await this.#services.models[operation](request, asker);
        endSpan(span, usageOf(answer));
        return JSON.stringify(answer);
      } catch (error) {
        if (!signal.aborted) throw error;
        throw new Problem('llm_timeout', 'The run ended before the model had answered', {
          cause: error,
        });
      }
    });
  }

  /** Answers the JSON that another server is asked for. */
  async #request(send: (signal: AbortSignal) => Promise<string>): Promise<HostAnswer> {
    if (this.#requestsRunning >= ENDPOINT_REQUESTS_MAX) {
      throw new Problem(
        'invalid_request',
        `A run has at most ${ENDPOINT_REQUESTS_MAX} requests to other servers under way at a time`,
        { hint: 'Wait for some of them before you send more.' },
      );
    }
    this.#requestsRunning++;
    try {
      return { json: await send(this.requestSignal), sequence: 0 };
    } finally {
      this.#requestsRunning--;
    }
  }
}
