import { AccessIndex } from '#access/access-index.ts';
import { must } from '#base/assert.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { Snapshots } from '#graph/transactions/snapshots.ts';
import { abortCall, type Endpoint, type LoadedEndpoint, startCall } from '../guest/calls.ts';
import { drain, Problem as GuestProblem, settle, wakeBy } from '../guest/channel.ts';
import { RunningCall, TOO_LATE } from '../sandbox/running-call.ts';
import {
  CallFault,
  type CallResult,
  type CallSignal,
  EndCall,
  type EndpointCall,
  type LoadableEndpoint,
  RunAgain,
} from '../sandbox/endpoint-call.ts';
import type { LiveSearcher } from '#search/service/live-searcher.ts';
import {
  answerSearch,
  READ_OPERATIONS,
  FOUND_OPERATIONS,
  SEARCH_OPERATIONS,
  type SearchSources,
} from '../sandbox/graph-requests.ts';
import { CallTransactions, type HostedCall } from '../sandbox/call-transactions.ts';
import { UserTexts } from '../sandbox/user-texts.ts';
import { ENDPOINT_RESULT_BYTES_MAX } from '#base/endpoint-limits.ts';
import { Problem } from '#base/problem.ts';
import { readFrame } from '../sandbox/frame.ts';
import { z } from 'zod';

/** The commit that the searcher shows is the newest, whichever that is. */
const UNKNOWN = -1;

/**
 * Runs the code of endpoints in the realm of the process itself, where breakpoints hold and
 * coverage is counted. The scope, what it may ask for and what comes of a call are those of
 * `EndpointPool`. There are no walls around the code, and code that never comes back is never
 * ended.
 */
export class InProcessPool {
  readonly #users: UserTexts;
  readonly #reader: StateReader;
  readonly #transactions: CallTransactions;
  readonly #sources: SearchSources;
  /** The numbers of those that run. */
  readonly #numbers = new Map<EndpointCall, number>();
  readonly #loaded = new WeakMap<LoadableEndpoint, LoadedEndpoint>();
  /**
   * Why the last of the calls that share a signal failed: one from outside, and those that it
   * makes.
   */
  readonly #failures = new WeakMap<CallSignal, unknown>();

  constructor(reader: StateReader, snapshots: Snapshots, live: LiveSearcher) {
    this.#users = new UserTexts(reader);
    this.#reader = reader;
    this.#transactions = new CallTransactions(reader, snapshots);
    this.#sources = {
      access: new AccessIndex(reader),
      get searcher() {
        return live.current();
      },
    };
  }

  /** What is to run for a call of this object: the text of its script is not looked at. */
  load(loadable: LoadableEndpoint, endpoint: LoadedEndpoint): void {
    this.#loaded.set(loadable, endpoint);
  }

  /** What the code threw, when the call from outside that has this signal failed. */
  failureOf(signal: CallSignal): unknown {
    return this.#failures.get(signal);
  }

  /** There is nothing to wait for. */
  prepare(): undefined {}

  /** As `EndpointPool.run`; the signal is an `AbortSignal`. */
  async run(call: EndpointCall): Promise<CallResult> {
    const { endpoint, signal, deadline } = call;
    if (signal.aborted) return RunningCall.refuse(call, signal.reason);
    const loaded = must(this.#loaded.get(endpoint), 'an endpoint that is loaded');
    let thrown: unknown;
    const main: Endpoint = async (scope) => {
      try {
        return await loaded.main(scope);
      } catch (error) {
        thrown = error;
        throw error;
      }
    };
    const running = new RunningCall(0, call, () => this.#numbers.delete(call));
    const late = setTimeout(
      () => {
        realm.remove(running.id);
        running.reject(TOO_LATE);
      },
      Math.max(0, deadline - performance.now()),
    );
    const leave = () => {
      abortCall(running.id);
      running.forsake(signal.reason);
    };
    if (signal instanceof AbortSignal) signal.addEventListener('abort', leave);
    this.#attempt(running, () => (thrown = undefined), { ...loaded, main });
    try {
      return await running.result;
    } catch (fault) {
      if (fault instanceof CallFault) this.#note(signal, thrown ?? fault);
      throw fault;
    } finally {
      clearTimeout(late);
      if (signal instanceof AbortSignal) signal.removeEventListener('abort', leave);
    }
  }

  /** Runs a call, and again when others are in the way of what it writes. */
  #attempt(running: RunningCall, begin: () => void, endpoint: LoadedEndpoint): void {
    const { call } = running;
    const { body, headers, caller, host, parent, sharesTransaction } = call;
    begin();
    const inProcess = new InProcessCall(call, this.#sources, this.#transactions);
    running.id = realm.add((item) => inProcess.take(item));
    this.#numbers.set(call, running.id);
    const within =
      sharesTransaction && parent !== undefined ? this.#numbers.get(parent) : undefined;
    const sequence = this.#reader.refresh();
    const { writes, nowMs } = host;
    const start = { caller, writes, parent: within ?? 0, nowMs, isTraced: false };
    inProcess.hosted = this.#transactions.begin(running.id, start);
    this.#transactions.holdTurn();
    const { id } = running;
    void inProcess.result
      .then(async ({ result, transaction }) => {
        if (running.isSettled) return;
        if (transaction !== undefined) await host.commit(transaction);
        running.resolve(result);
      })
      .catch(async (fault: unknown) => {
        if (!(fault instanceof RunAgain)) {
          return running.reject(fault instanceof EndCall ? fault.reason : fault);
        }
        realm.remove(id);
        await fault.turn;
        if (!running.isSettled) this.#attempt(running, begin, endpoint);
      })
      .then(() => realm.remove(id));
    const user = this.#users.textOf(caller.userUid, sequence);
    startCall(id, endpoint, { body, headers, user });
  }

  #note(signal: CallSignal, failure: unknown): void {
    if (failure instanceof GuestProblem) {
      // Where it was asked for is not what it says: see `ask` of the guest's channel.
      const { name, message, stack = '' } = failure;
      failure.stack = `${name}: ${message}${stack.slice(stack.indexOf('\n'))}`;
      // What `run()` throws comes of what the other endpoint threw.
      if (failure.code === 'endpoint_failed') failure.cause ??= this.#failures.get(signal);
    }
    this.#failures.set(signal, failure);
  }
}

/**
 * The host's side of one call whose code runs in this realm. Reads are answered at once, the rest
 * is asked of the `CallHost`, as from a worker: see `sandbox/guest-host.ts`.
 */
class InProcessCall {
  readonly result: Promise<EndedCall>;
  /** Undefined when the one that runs it has ended. */
  hosted: HostedCall | undefined;
  readonly #call: EndpointCall;
  readonly #sources: SearchSources;
  readonly #transactions: CallTransactions;
  readonly #settle: PromiseWithResolvers<EndedCall>;

  constructor(call: EndpointCall, sources: SearchSources, transactions: CallTransactions) {
    this.#call = call;
    this.#sources = sources;
    this.#transactions = transactions;
    this.#settle = Promise.withResolvers();
    this.result = this.#settle.promise;
  }

  take({ kind, third, fourth, payload }: GuestItem): void {
    const { host } = this.#call;
    switch (kind) {
      case 'ask':
        void this.#answer(Number(third), String(fourth), payload);
        return;
      case 'log':
        return host.log(String(third), payload);
      case 'unlogged':
        return host.unlogged(Number(third));
      case 'progress':
        return host.progress(payload);
      default:
        this.#end(kind, Number(third), payload);
    }
  }

  async #answer(request: number, operation: string, payload: string): Promise<void> {
    try {
      settle(request, true, await this.#ask(operation, payload));
    } catch (error) {
      if (!(error instanceof Problem)) this.#fail(error);
      else settle(request, false, JSON.stringify(error.toMessage()));
    }
  }

  #ask(operation: string, payload: string): string | Promise<string> {
    const { host, caller } = this.#call;
    const hosted = must(this.hosted, 'a call that has begun');
    if (READ_OPERATIONS.has(operation)) {
      const { searcher } = this.#sources;
      return this.#transactions.read(hosted, operation, payload, searcher, {
        onScan: (scan) => host.scanned(JSON.stringify(scan)),
      });
    }
    if (operation === 'write') {
      host.noteWrite();
      return this.#transactions.write(hosted, payload);
    }
    if (operation === 'commit') return this.#commit(hosted);
    if (!SEARCH_OPERATIONS.has(operation)) {
      return host.ask(operation, payload).then(({ json }) => json);
    }
    this.#call.watched?.searched();
    const json = answerSearch(this.#sources, caller, operation, payload);
    if (!FOUND_OPERATIONS.has(operation)) return json;
    const asUser = operation === 'searchAsUser';
    return this.#transactions.found(hosted, { asUser, sequence: UNKNOWN, json });
  }

  async #commit(hosted: HostedCall): Promise<string> {
    const { json } = await this.#call.host.ask('commit', this.#transactions.commit(hosted));
    this.#transactions.committed(hosted);
    this.#transactions.holdTurn();
    return json;
  }

  #fail(fault: unknown): void {
    if (this.hosted !== undefined) this.#transactions.end(this.hosted, false);
    this.hosted = undefined;
    this.#settle.reject(fault);
  }

  #resolve(result: CallResult): void {
    const isGood = result.kind === 'redirect' || (result.kind === 'answer' && result.status < 400);
    const { hosted } = this;
    this.hosted = undefined;
    const transaction = hosted && this.#transactions.end(hosted, isGood);
    if (transaction !== null) this.#settle.resolve({ result, transaction });
    else this.#settle.reject(new CallFault('failed', 'it has built on what was undone'));
  }

  #end(kind: unknown, status: number, payload: string): void {
    if (payload.length > ENDPOINT_RESULT_BYTES_MAX) {
      const message = `the result is larger than ${ENDPOINT_RESULT_BYTES_MAX} bytes`;
      this.#fail(new CallFault('failed', message));
      return;
    }
    switch (kind) {
      case 'answer':
        return this.#resolve({ kind, status, json: payload });
      case 'refusal':
        return this.#resolve({ kind, status, message: payload });
      case 'redirect':
        return this.#resolve({ kind, status, location: payload });
      case 'problem':
        return this.#resolve({ kind, json: payload });
      case 'invalid':
        return this.#resolve({ kind, faults: payload });
      case 'malformed':
        return this.#fail(new CallFault('malformed', payload));
      default: {
        const { message, stack } = JSON.parse(payload) as { message: string; stack: string };
        this.#fail(new CallFault('failed', message, stack));
      }
    }
  }
}

/** What comes of a call, and what is to be committed before anybody is told. */
interface EndedCall {
  readonly result: CallResult;
  readonly transaction: string | undefined;
}

/** One item of what the guest's side says, as `guest/calls.ts` and `guest/channel.ts` emit it. */
interface GuestItem {
  readonly kind: unknown;
  readonly third: unknown;
  readonly fourth: unknown;
  readonly payload: string;
}

/**
 * The guest's side of the bridge in the realm of the process. It has one channel, so all pools of a
 * process share it, and calls are told apart by their numbers.
 */
class SharedRealm {
  readonly #listeners = new Map<number, (item: GuestItem) => void>();
  #lastCall = 0;

  constructor() {
    wakeBy(() => queueMicrotask(() => this.#fetch()));
  }

  /** Gives the number of a new call, whose items the listener gets. */
  add(listener: (item: GuestItem) => void): number {
    const call = ++this.#lastCall;
    this.#listeners.set(call, listener);
    return call;
  }

  /** What the call still says is ignored. */
  remove(call: number): void {
    this.#listeners.delete(call);
  }

  #fetch(): void {
    const frame = drain();
    if (frame === '') return;
    readFrame(frame, ([, kind, call, third, fourth], payload) => {
      this.#listeners.get(Number(call))?.({ kind, third, fourth, payload });
    });
  }
}

const realm = new SharedRealm();

/** What the code of an endpoint finds as a global: see `sandbox/guest.ts`. */
export function provideGlobals(): void {
  Reflect.defineProperty(globalThis, 'z', { value: z, writable: true, configurable: true });
}
