import { budgetKey, type Caller } from '#access/caller.ts';
import {
  ENDPOINT_CALLERS_KNOWN_MAX,
  ENDPOINT_REALMS_MAX,
  ENDPOINT_SILENT_MS,
} from '#base/endpoint-limits.ts';
import { Problem, type ProblemMessage } from '#base/problem.ts';
import { guestText } from '../guest-text.ts';
import type { KeptOut, WriteLine } from '../write-line.ts';
import { endSpan } from '../tracing/call-recording.ts';
import { IdMap } from './id-map.ts';
import {
  CallFault,
  type CallResult,
  EndCall,
  type LoadableEndpoint,
  type LoadableScript,
  RunAgain,
} from './endpoint-call.ts';
import type { FrameItem } from './frame.ts';
import { SharedScripts } from './shared-scripts.ts';
import type { SearchThreads } from './search-threads.ts';
import { FOUND_OPERATIONS, SEARCH_OPERATIONS, isInternal, toldProblem } from './graph-requests.ts';
import { hasReached } from './progress.ts';
import { rootOf, type RunningCall, STOPPED, TOO_LATE } from './running-call.ts';
import { WorkerProcess, type WorkerProcessOptions } from './worker-process.ts';

export interface PoolWorkerEvents {
  onReady(): void;
  /** A call is to be run once more, in its turn. */
  onAgain(running: RunningCall, turn: Promise<void>): void;
  /** A call has its result, or its fault. */
  onSettled(worker: PoolWorker): void;
  onEnd(worker: PoolWorker, reason: Error): void;
  /** A fault of the server's own code in the worker, or of the worker. */
  onDefect(error: unknown): void;
}

export interface PoolWorkerOptions extends WorkerProcessOptions {
  readonly searches: SearchThreads;
}

/** A version of an endpoint in a realm of its own. */
interface LoadedGuest {
  readonly version: string;
  /** By which the worker knows it. */
  readonly number: number;
  /** The id of the newest call. */
  lastCall: number;
}

/**
 * A worker of the pool with its calls. What the worker says is held against them: it can speak for
 * its own calls only.
 */
export class PoolWorker {
  readonly process: WorkerProcess;
  readonly calls = new IdMap<RunningCall>();
  /** It is loaded and locked. */
  isReady = false;
  /** Its guest does not come back: it gets no new calls for now. */
  isStalled = false;
  /** It gets no new calls any more, and ends with its last one. */
  isRetiring = false;
  /** It does not end before its profile has been read. */
  isProfiled = false;
  /** Its heap is being asked for. */
  isMeasured = false;
  readonly #events: PoolWorkerEvents;
  readonly #searches: SearchThreads;
  readonly #scripts = new SharedScripts((item, payload) => this.process.send(item, payload));
  /** By endpoint name. */
  readonly #guests = new Map<string, LoadedGuest>();
  /**
   * A caller is the same object from one call to the next, as long as nothing is written: it is
   * sent once.
   */
  readonly #callers = new Map<Caller, number>();
  /** How many of the calls each caller has, by `budgetKey`. */
  readonly #callsOf = new Map<string, number>();
  /** Those of which it has been told. */
  readonly #lines = new WeakSet<WriteLine>();
  #lastCaller = 0;
  #lastGuest = 0;
  #lastTurns = -1;
  #lastMove = 0;
  #settledAt = 0;

  constructor({ searches, ...options }: PoolWorkerOptions, events: PoolWorkerEvents) {
    this.#events = events;
    this.#searches = searches;
    this.process = new WorkerProcess(options, {
      onItem: (item, payload) => this.#receive(item, payload),
      onEnd: (reason) => events.onEnd(this, reason),
    });
  }

  get isUsable(): boolean {
    return !this.isStalled && !this.isRetiring;
  }

  /** The number of the guest that was running when it was last looked at; 0 for none. */
  get guest(): number {
    return this.process.report.guest;
  }

  /** `caller`: its `budgetKey`. */
  hasCallsOf(caller: string): boolean {
    return this.#callsOf.has(caller);
  }

  /**
   * Whether a guest is at work that has no call any more. One that was at work when the worker was
   * last asked may have settled its call since.
   */
  isForsaken(now: number): boolean {
    if (!this.isStalled || [...this.calls.values()].some(({ guest }) => guest === this.guest)) {
      return false;
    }
    const isSilent = this.process.silentMs(now) >= ENDPOINT_SILENT_MS;
    return isSilent || this.process.reportAskedAt > this.#settledAt;
  }

  /**
   * Since when, in milliseconds, a guest has been running without coming back; 0 when none is.
   * Between two reports of the worker nothing is known: a machine that has much to do reports late.
   */
  stillMs(now: number): number {
    const { turns, at } = this.process.report;
    if (turns !== this.#lastTurns || this.guest === 0) {
      this.#lastTurns = turns;
      this.#lastMove = at;
    }
    const silentMs = this.process.silentMs(now);
    return silentMs >= ENDPOINT_SILENT_MS ? silentMs : at - this.#lastMove;
  }

  /**
   * Whether the worker has taken in the call. Not before that, it may be begun elsewhere without a
   * doubt.
   */
  hasReceived(running: RunningCall): boolean {
    return running.hasSpoken || hasReached(this.process.report.frames, running.frame);
  }

  /** `parent`: the number of the call, on this worker, whose transaction it shares; 0 for none. */
  run(running: RunningCall, parent = 0): void {
    const { endpoint, caller, headers, body, host } = running.call;
    // What it asked for when it ran on another worker.
    if (running.frame > 0) running.call.host.forsake();
    running.guest = this.#load(endpoint, running.id);
    running.frame = this.process.nextFrame;
    running.hasSpoken = false;
    running.transaction = undefined;
    running.held = [];
    running.call.number = running.id;
    this.calls.set(running.id, running);
    host.recording.begins();
    const isWatched = running.call.watched !== undefined && running.call.parent === undefined;
    const key = budgetKey(caller);
    this.#callsOf.set(key, (this.#callsOf.get(key) ?? 0) + 1);
    this.process.send(
      `"call",${running.id},${running.guest},${this.#numberOf(caller)},${headers.length},` +
        `${host.writes},${parent},${host.nowMs},${host.recording.isFull},${isWatched},` +
        `${host.line?.number ?? 0}`,
      headers + body,
    );
  }

  /** After the calls of its line that are here already. False when it cannot be in the line. */
  runInLine(running: RunningCall, line: WriteLine): boolean {
    if (!running.call.host.joinLine((keptOut) => this.#leaveLine(running, keptOut))) return false;
    if (!this.#lines.has(line)) {
      this.#lines.add(line);
      line.whenOver(() => this.process.send(`"line-end",${line.number}`));
    }
    this.run(running);
    return true;
  }

  /** Runs a call again whose line cannot have it. */
  #leaveLine(running: RunningCall, keptOut: KeptOut): void {
    if (!this.calls.has(running.id)) return;
    this.drop(running);
    const next = running.call.host.againFromLine(keptOut);
    if (next instanceof RunAgain) this.#events.onAgain(running, next.turn);
    else running.reject(next.reason);
  }

  /** Compiles a long script, which calls will need. */
  prepare(script: LoadableScript): void {
    this.#scripts.sent([script]);
  }

  /**
   * Nobody waits for this call any more; its code may go on to its end. Not in a line: what it
   * reads goes with the line, and may never come to be.
   */
  abort(running: RunningCall): void {
    if (running.isAborted) return;
    running.isAborted = true;
    const { host, signal } = running.call;
    if (host.line !== undefined) {
      this.drop(running);
      running.reject(signal.reason);
      return;
    }
    running.forsake(signal.reason);
    this.process.send(`"abort",${running.id}`);
  }

  /** Lets go of a call: what the worker still does for it is ignored. */
  drop(running: RunningCall): void {
    this.#remove(running);
    this.process.send(`"drop",${running.id}`);
  }

  #remove({ id, call }: RunningCall): void {
    this.calls.delete(id);
    const key = budgetKey(call.caller);
    const left = (this.#callsOf.get(key) ?? 1) - 1;
    if (left > 0) this.#callsOf.set(key, left);
    else this.#callsOf.delete(key);
  }

  #numberOf(caller: Caller): number {
    const known = this.#callers.get(caller);
    if (known !== undefined) return known;
    if (this.#callers.size >= ENDPOINT_CALLERS_KNOWN_MAX) {
      this.#callers.clear();
      this.process.send('"forget-callers"');
    }
    const number = ++this.#lastCaller;
    this.#callers.set(caller, number);
    this.process.send(`"caller",${number}`, JSON.stringify(caller));
    return number;
  }

  #load({ name, version, isReadOnly, script, modules }: LoadableEndpoint, call: number): number {
    const loaded = this.#guests.get(name);
    if (loaded?.version === version) {
      loaded.lastCall = call;
      return loaded.number;
    }
    if (loaded !== undefined) this.process.send(`"unload",${loaded.number}`);
    else if (this.#guests.size >= ENDPOINT_REALMS_MAX) this.#unloadOldest();
    const number = ++this.#lastGuest;
    this.#guests.set(name, { version, number, lastCall: call });
    const scripts = { script, modules: this.#scripts.sent(modules) };
    this.process.send(`"load",${number},${isReadOnly}`, JSON.stringify(scripts));
    return number;
  }

  #unloadOldest(): void {
    const [oldest] = [...this.#guests].toSorted(([, a], [, b]) => a.lastCall - b.lastCall);
    if (oldest === undefined) return;
    const [name, { number }] = oldest;
    this.#guests.delete(name);
    this.process.send(`"unload",${number}`);
  }

  #receive(item: FrameItem, payload: string): void {
    const [, kind, id, third, fourth] = item;
    if (kind === 'ready') {
      this.isReady = true;
      this.#events.onReady();
      return;
    }
    if (kind === 'defect') {
      this.#events.onDefect(new Error('a fault in an endpoint worker', { cause: payload }));
      return;
    }
    const running = typeof id === 'number' ? this.calls.get(id) : undefined;
    if (running === undefined) return;
    running.hasSpoken = true;
    const { host } = running.call;
    if (host.line !== undefined) {
      // What happens elsewhere waits for what is durable, and for no others.
      if (kind === 'ask') return this.#leaveLine(running, 'endpoint');
      if (kind === 'left') return this.#leaveLine(running, third === true ? 'endpoint' : 'nobody');
      if (kind === 'log' || kind === 'unlogged' || kind === 'progress') {
        running.held.push(() => this.#say(running, item, payload));
        return;
      }
    }
    if (kind === 'ask') {
      if (typeof third === 'number' && typeof fourth === 'string') {
        void this.#ask(running, third, fourth, payload);
      }
    } else if (kind === 'left') {
      // Its line is over for it already.
      this.drop(running);
      running.reject(STOPPED);
    } else if (kind === 'log' || kind === 'unlogged' || kind === 'progress') {
      this.#say(running, item, payload);
    } else if (kind === 'scan') {
      host.scanned(payload);
    } else if (kind === 'trace') {
      host.recording.told(payload);
    } else if (kind === 'reads') {
      const { watched, parent } = running.call;
      if (parent === undefined) watched?.read(Number(third), payload);
    } else if (kind === 'wrote') {
      host.noteWrite();
    } else if (kind === 'transaction') {
      running.transaction = payload;
    } else if (kind === 'internal') {
      this.#noteInternal(running, internalProblemOf(payload));
    } else {
      this.#settle(running, resultOf(kind, Number(third), payload) ?? faultOf(kind, payload));
    }
  }

  #say({ call: { host } }: RunningCall, [, kind, , third]: FrameItem, payload: string): void {
    if (kind === 'log') host.log(String(third), payload);
    else if (kind === 'unlogged') host.unlogged(Number(third));
    else host.progress(payload);
  }

  async #ask(
    running: RunningCall,
    request: number,
    operation: string,
    args: string,
  ): Promise<void> {
    // It has another number when it is run again.
    const { id } = running;
    const settle = (isValue: boolean, sequence: number, json: string) => {
      if (this.calls.has(id)) {
        this.process.send(`"settle",${id},${request},${isValue},${sequence}`, json);
      }
    };
    try {
      if (operation === 'find' || SEARCH_OPERATIONS.has(operation)) {
        const { caller, deadline, signal, host } = running.call;
        running.call.watched?.searched();
        const search = { operation, payload: args, deadline, signal };
        const span = host.recording.begin('search', operation);
        const { isValue, json, sequence } = await this.#searches.ask(caller, search);
        endSpan(span, { bytes: json.length });
        if (isValue && FOUND_OPERATIONS.has(operation)) {
          const asUser = operation === 'searchAsUser';
          if (this.calls.has(id)) {
            this.process.send(`"found",${id},${request},${asUser},${sequence}`, json);
          }
          return;
        }
        const told = () => this.#told(running, Problem.fromMessage(JSON.parse(json)));
        settle(isValue, 0, isValue ? json : told());
        return;
      }
      const { json, sequence } = await running.call.host.ask(operation, args);
      settle(true, sequence, json);
    } catch (error) {
      if (error instanceof RunAgain) {
        if (!this.calls.has(id)) return;
        this.drop(running);
        this.#events.onAgain(running, error.turn);
        return;
      }
      if (error instanceof EndCall) {
        if (this.calls.has(id)) this.#endWithParts(running, error.reason);
        return;
      }
      const isDefect = !(error instanceof Problem) && !running.call.signal.aborted;
      if (isDefect) this.#events.onDefect(error);
      settle(false, 0, error instanceof Problem ? this.#told(running, error) : SERVER_FAILED);
    }
  }

  /** JSON of what the code is told. */
  #told(running: RunningCall, problem: Problem): string {
    if (isInternal(problem)) this.#noteInternal(running, problem);
    return JSON.stringify(toldProblem(problem.toMessage()));
  }

  #noteInternal(running: RunningCall, problem: Problem | undefined): void {
    if (problem === undefined) return;
    this.#events.onDefect(problem);
    running.internal ??= problem;
  }

  #settle(running: RunningCall, result: CallResult | CallFault): void {
    this.#remove(running);
    this.#settledAt = performance.now();
    const { host } = running.call;
    host.recording.ends(this.#settledAt);
    const isLost =
      result instanceof CallFault || (running.internal !== undefined && hasFailed(result));
    const transaction = isLost ? undefined : running.transaction;
    // Those behind it in its line have seen what comes to nothing.
    if (transaction !== running.transaction) host.leaveLine();
    if (transaction === undefined && host.line === undefined) answer(running, result);
    else void this.#commit(running, transaction, result);
    this.#events.onSettled(this);
  }

  /** The answer is given once what the call has written is committed, and what it has read. */
  async #commit(
    running: RunningCall,
    transaction: string | undefined,
    result: CallResult | CallFault,
  ): Promise<void> {
    const { host, deadline } = running.call;
    try {
      // Its caller was told that nothing comes of it.
      if (running.isSettled) throw STOPPED;
      if (performance.now() > deadline) throw TOO_LATE;
      await host.commit(transaction);
      for (const say of running.held.splice(0)) say();
      answer(running, result);
    } catch (error) {
      if (error instanceof RunAgain) this.#events.onAgain(running, error.turn);
      else running.reject(error instanceof EndCall ? error.reason : error);
    }
  }

  /** Ends a call and those that it runs in its transaction, whatever their code would do next. */
  #endWithParts(running: RunningCall, reason: unknown): void {
    const root = rootOf(running.call);
    this.#settledAt = performance.now();
    for (const one of this.calls.values()) {
      if (rootOf(one.call) !== root) continue;
      this.drop(one);
      one.call.host.recording.ends(this.#settledAt);
      one.reject(one === running ? reason : STOPPED);
    }
    this.#events.onSettled(this);
  }
}

function answer(running: RunningCall, result: CallResult | CallFault): void {
  if (running.internal !== undefined && hasFailed(result)) running.reject(running.internal);
  else if (result instanceof CallFault) running.reject(result);
  else running.resolve(result);
}

const SERVER_FAILED = JSON.stringify({ code: 'internal_error', message: 'the server failed' });

/** What an item of a frame answers a call with; undefined when it is of another kind. */
function resultOf(kind: unknown, status: number, payload: string): CallResult | undefined {
  if (kind === 'invalid') return { kind, faults: payload };
  if (kind === 'problem') return { kind, json: payload };
  if (!(status >= 200 && status <= 599)) return undefined;
  if (kind === 'answer') return { kind, status, json: payload };
  if (kind === 'refusal') return { kind, status, message: payload };
  return kind === 'redirect' ? { kind, status, location: payload } : undefined;
}

/** Why a call has no result, by an item that is no result. */
function faultOf(kind: unknown, payload: string): CallFault {
  if (kind === 'malformed') return new CallFault('malformed', payload);
  const thrown = (kind === 'failure' ? parsedOrEmpty(payload) : {}) as {
    readonly message?: unknown;
    readonly stack?: unknown;
  };
  const message = guestText(thrown.message ?? 'it ended without a result');
  return new CallFault('failed', message, guestPlaces(guestText(thrown.stack ?? '')));
}

/** Whose code failed is told by its own file: where the server's lie is nobody's business. */
function guestPlaces(stack: string): string {
  return stack.replaceAll(/^ +at .*(?:file:\/\/|node:|[( ]\/).*\n?/gm, '').trimEnd();
}

function parsedOrEmpty(json: string): object {
  try {
    return Object(JSON.parse(json)) as object;
  } catch {
    return {};
  }
}

/**
 * The problem of an item `internal`; undefined when it is none of those, which no code of ours
 * sends.
 */
function internalProblemOf(payload: string): Problem | undefined {
  const problem = parsedOrEmpty(payload) as Partial<ProblemMessage>;
  const { code, message, hint } = problem;
  const isProblem = typeof code === 'string' && typeof message === 'string';
  if (!isProblem || !isInternal({ code })) return undefined;
  return new Problem(code, message, typeof hint === 'string' ? { hint } : {});
}

/** The code did not make an answer of what it was told. */
function hasFailed({ kind }: CallResult | CallFault): boolean {
  return kind === 'failed' || kind === 'problem';
}
