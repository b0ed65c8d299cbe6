import { budgetKey } from '#access/caller.ts';
import {
  ENDPOINT_HEAP_SOFT_BYTES,
  ENDPOINT_STALL_MS,
  ENDPOINT_STALLED_WORKERS_MAX,
  ENDPOINT_WATCHDOG_MS,
} from '#base/endpoint-limits.ts';
import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import type { RuntimeLogger } from '../endpoint-log.ts';
import type { WriteLine } from '../write-line.ts';
import { CallCounts, CrowdedEndpoints } from './crowded-endpoints.ts';
import type { CallFault, CallResult, EndpointCall, LoadableScript } from './endpoint-call.ts';
import { SearchThreads } from './search-threads.ts';
import { assertProcessIsIsolated } from './isolation.ts';
import { poolLoad, type PoolLoad, surplusWorker, workerFor } from './pool-load.ts';
import { PoolWorker } from './pool-worker.ts';
import {
  faultOfRetry,
  faultsOf,
  rootOf,
  RunningCall,
  STOPPED,
  stopping,
  TOO_LATE,
  withCallers,
} from './running-call.ts';

const FAILED_STARTS_MAX = 3;
const QUIET_LOOKS = 3;

/**
 * Runs endpoint code in worker threads, each in a process of its own. Whatever the code does, it
 * ends its own call, and at worst others on the same worker are begun again on another; the server
 * goes on. See `worker.ts` for the walls around the code and `endpoint-call.ts` for what comes
 * back.
 *
 * Every `ENDPOINT_WATCHDOG_MS` while there are calls, the pool looks at its workers:
 * - a guest that has not come back for `ENDPOINT_STALL_MS` keeps its worker from new calls; another
 *   worker takes its place, and calls of other endpoints move there;
 * - a call past its deadline ends; when it is its guest that does not come back, the worker ends
 *   with it;
 * - the code of a call whose caller has gone is told so;
 * - a worker with too large a heap ends with the calls of the guest at work, or retires when none
 *   is. No caller has all of it: see `workerFor` and `CallCounts`.
 */
export class EndpointPool {
  readonly hasLines = true;
  readonly #options: EndpointPoolOptions;
  /** Searches that endpoint code asks for. */
  readonly searches: SearchThreads;
  readonly #environmentKey: Promise<string | undefined>;
  readonly #workers = new Set<PoolWorker>();
  readonly #waiting = new Set<RunningCall>();
  /** Those that wait for their turn to run again. */
  readonly #again = new Set<RunningCall>();
  /** Ends of workers under way: their processes may still have the graph open. */
  readonly #ends = new Set<Promise<void>>();
  readonly #calls = new CallCounts();
  readonly #crowded = new CrowdedEndpoints(this.#waiting);
  readonly #lines = new WeakMap<WriteLine, PoolWorker>();
  #lastCall = 0;
  #failedStarts = 0;
  /**
   * A worker takes 100 MB and 0.4 s of a processor: there is none before `prepare`, which starts
   * one, or before the first call, with which all of them come.
   */
  #isPrepared = false;
  #isWhole = false;
  #watch: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Looks in a row that found nothing at work. */
  #quietLooks = 0;
  #isReady = false;
  readonly #ready = Promise.withResolvers<void>();

  private constructor(options: EndpointPoolOptions) {
    this.#options = options;
    this.#environmentKey = Promise.resolve(options.environmentKey);
    this.searches = new SearchThreads({ ...options, environmentKey: this.#environmentKey });
    this.#ready.promise.catch(() => {});
  }

  /** Throws in a process that is not isolated. */
  static start(options: EndpointPoolOptions): EndpointPool {
    assertProcessIsIsolated();
    return new EndpointPool(options);
  }

  /** Starts what the first call would wait for; undefined once it is there. See `ready`. */
  prepare(): Promise<void> | undefined {
    if (this.#isReady) return undefined;
    if (!this.#isPrepared) {
      this.#isPrepared = true;
      this.#addWorkers();
    }
    return this.ready;
  }

  /**
   * Resolves when a call waits for no worker that was asked for by `prepare`; rejects when none can
   * start.
   */
  get ready(): Promise<void> {
    return this.#isPrepared ? this.#ready.promise : Promise.resolve();
  }

  /** What is found from now on. */
  receiveSearch(snapshot: SearchSnapshot): void {
    this.searches.receive(snapshot);
    if (this.#isPrepared) this.searches.prepare();
  }

  /**
   * Lets the workers compile a long script before a call needs it; nothing of it is run. One that
   * starts later compiles it with its first call.
   */
  prepareScript(script: LoadableScript): void {
    for (const worker of this.#workers) {
      if (worker.isReady && worker.isUsable) worker.prepare(script);
    }
  }

  /**
   * Rejects with a `CallFault`, or with the reason of the call's signal; then what the code still
   * does is ignored.
   */
  run(call: EndpointCall): Promise<CallResult> {
    const refusal = this.#refusalOf(call);
    if (refusal !== undefined) return RunningCall.refuse(call, refusal);
    const running = new RunningCall(++this.#lastCall, call, () => this.#calls.remove(call));
    this.#calls.add(call);
    this.#watch ??= setInterval(() => this.#look(), ENDPOINT_WATCHDOG_MS);
    if (!this.#isWhole) {
      this.#isPrepared = true;
      this.#isWhole = true;
      this.#addWorkers();
    }
    this.#dispatch(running);
    return running.result;
  }

  #refusalOf(call: EndpointCall): unknown {
    if (call.signal.aborted) return call.signal.reason;
    return this.#isClosed ? stopping() : this.#calls.refusalOf(call);
  }

  /** Of the thread of its worker, where it has one. */
  async startProfile(): Promise<{ end(): Promise<string> }> {
    const [worker] = this.#workers;
    if (worker === undefined) return { end: () => Promise.resolve('') };
    worker.isProfiled = true;
    await worker.process.profile('begin-profile');
    const end = async (): Promise<string> => {
      const profile = await worker.process.profile('end-profile');
      worker.isProfiled = false;
      this.#endIfRetired(worker);
      return profile;
    };
    return { end };
  }

  load(): PoolLoad {
    return poolLoad(this.#workers, { wanted: this.#wanted(), waiting: this.#waiting.size });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#watch);
    this.#rejectAll();
    for (const worker of this.#workers) this.#end(worker);
    await Promise.all([...this.#ends, this.searches.close()]);
  }

  /** Ends all calls that there are, as `close` does; workers that have none stay for later ones. */
  async stopCalls(): Promise<void> {
    const busy = [...this.#workers].filter((worker) => worker.calls.size + worker.guest > 0);
    this.#rejectAll();
    for (const worker of busy) this.#end(worker);
    this.searches.stopWaiting();
    await Promise.all(this.#ends);
  }

  #rejectAll(): void {
    const running = [...this.#workers].flatMap((worker) => [...worker.calls.values()]);
    for (const call of [...this.#waiting, ...this.#again, ...running]) call.reject(stopping());
    this.#waiting.clear();
    this.#again.clear();
  }

  #dispatch(running: RunningCall): void {
    const { signal, caller } = running.call;
    if (this.#isClosed || signal.aborted) {
      running.reject(this.#isClosed ? stopping() : signal.reason);
      return;
    }
    if (running.call.sharesTransaction) {
      this.#runWithParent(running);
      return;
    }
    const { line } = running.call.host;
    if (line !== undefined && this.#runInLine(running, line)) return;
    running.call.host.leaveLine();
    const best = workerFor(this.#workers, this.#options.size, budgetKey(caller));
    if (best === undefined || this.#crowded.mustWait(best, running.call)) {
      this.#waiting.add(running);
      this.#addWorkers();
    } else {
      best.run(running);
    }
  }

  /** In the worker of its line; the first call chooses it. */
  #runInLine(running: RunningCall, line: WriteLine): boolean {
    const { call } = running;
    const worker =
      this.#lines.get(line) ?? workerFor(this.#workers, this.#options.size, budgetKey(call.caller));
    if (worker === undefined || !worker.isUsable || !this.#workers.has(worker)) return false;
    if (this.#crowded.mustWait(worker, call)) return false;
    this.#lines.set(line, worker);
    return worker.runInLine(running, line);
  }

  /** Where its transaction is. */
  #runWithParent(running: RunningCall): void {
    const { parent } = running.call;
    const number = parent?.number ?? 0;
    for (const worker of this.#workers) {
      if (worker.calls.get(number)?.call !== parent) continue;
      worker.run(running, number);
      return;
    }
    running.reject(STOPPED);
  }

  /** Runs a call once more, with nothing of what it did before. */
  async #runAgain(running: RunningCall, turn: Promise<void>): Promise<void> {
    this.#again.add(running);
    await turn;
    if (!this.#again.delete(running)) return;
    running.id = ++this.#lastCall;
    if (running.isSettled) running.call.host.leaveLine();
    if (running.isSettled) running.reject(STOPPED);
    else this.#dispatch(running);
  }

  #dispatchWaiting(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const running of waiting) this.#dispatch(running);
  }

  #wanted(): number {
    if (this.#isWhole) return this.#options.size;
    return this.#isPrepared ? 1 : 0;
  }

  #addWorkers(): void {
    if (this.#isClosed) return;
    let usable = [...this.#workers].filter((worker) => worker.isUsable).length;
    const { size, storage, rowMemoryBytes } = this.#options;
    const environmentKey = this.#environmentKey;
    const options = { storage, environmentKey, rowMemoryBytes, searches: this.searches };
    const wanted = this.#wanted();
    while (usable < wanted && this.#workers.size < size + ENDPOINT_STALLED_WORKERS_MAX) {
      usable++;
      const worker = new PoolWorker(options, {
        onReady: () => {
          this.#failedStarts = 0;
          this.#isReady = true;
          this.#ready.resolve();
          this.#dispatchWaiting();
        },
        onAgain: (running, turn) => void this.#runAgain(running, turn),
        onSettled: (settled) => {
          this.#endIfRetired(settled);
          if (this.#waiting.size > 0) this.#dispatchWaiting();
        },
        onEnd: (ended, reason) => this.#ended(ended, reason),
        onDefect: (error) =>
          this.#options.logger.error({ err: error }, 'an endpoint worker failed'),
      });
      this.#workers.add(worker);
    }
  }

  #ended(worker: PoolWorker, reason: Error): void {
    this.#options.logger.error({ err: reason }, 'an endpoint worker ended by itself');
    if (!worker.isReady && ++this.#failedStarts >= FAILED_STARTS_MAX) {
      this.#workers.delete(worker);
      this.#ready.reject(reason);
      for (const running of this.#waiting) running.reject(STOPPED);
      this.#waiting.clear();
      // The next call tries once more.
      this.#failedStarts--;
      return;
    }
    // V8 ends a process whose code asks for more than there is, and so does the operating system.
    this.#replace(worker, this.#crowded.faultFor(worker.calls, worker.process.culprit()));
  }

  /** Ends a worker: its calls end with their fault, or are begun again on another. */
  #replace(worker: PoolWorker, faultFor: (running: RunningCall) => CallFault | undefined): void {
    this.#end(worker);
    this.#addWorkers();
    const calls = [...worker.calls.values()];
    worker.calls.clear();
    const noted = worker.process.notedReads();
    for (const { id, call } of calls) call.host.recording.noted(noted.get(id) ?? []);
    const faults = faultsOf(calls, faultFor);
    for (const running of calls) {
      // What it is part of begins again, and runs it again.
      const isPart = running.call.sharesTransaction;
      const fault = faults.get(running.call) ?? (isPart ? STOPPED : faultOfRetry(running));
      if (fault !== undefined) {
        running.reject(fault);
      } else {
        running.retries++;
        this.#dispatch(running);
      }
    }
    this.#dispatchWaiting();
  }

  #look(): void {
    const now = performance.now();
    for (const worker of this.#workers) {
      if (worker.isReady) this.#lookAt(worker, now);
    }
    for (const waiting of [this.#waiting, this.#again]) {
      for (const running of waiting) {
        const { signal } = running.call;
        if (now <= running.call.deadline && !signal.aborted) continue;
        waiting.delete(running);
        running.reject(signal.aborted ? signal.reason : TOO_LATE);
      }
    }
    const isQuiet = this.#calls.all === 0 && [...this.#workers].every(({ guest }) => guest === 0);
    this.#quietLooks = isQuiet ? this.#quietLooks + 1 : 0;
    // What is seen of a worker is as old as the last look.
    if (this.#quietLooks >= QUIET_LOOKS) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    }
  }

  #lookAt(worker: PoolWorker, now: number): void {
    const stillMs = worker.stillMs(now);
    this.#noteStall(worker, stillMs >= ENDPOINT_STALL_MS);
    const late = [...worker.calls.values()].filter(({ call }) => now > call.deadline);
    const ofGuest = ({ guest }: RunningCall) => guest === worker.guest;
    if (worker.isForsaken(now) || (stillMs >= ENDPOINT_WATCHDOG_MS && late.some(ofGuest))) {
      this.#options.logger.warn(
        { stillMs },
        'an endpoint worker is replaced: its code does not end',
      );
      this.#replace(worker, (running) => (now > running.call.deadline ? TOO_LATE : undefined));
      return;
    }
    for (const running of late) {
      // One that was behind another in its line runs again, or ends, elsewhere.
      if (!worker.calls.has(running.id)) continue;
      worker.drop(running);
      running.reject(TOO_LATE);
    }
    for (const running of worker.calls.values()) {
      if (running.call.signal.aborted && worker.calls.has(running.id)) worker.abort(running);
    }
    this.#endIfRetired(worker);
    void this.#measure(worker);
  }

  #noteStall(worker: PoolWorker, isStalled: boolean): void {
    if (worker.isStalled === isStalled) return;
    worker.isStalled = isStalled;
    if (isStalled) {
      this.#addWorkers();
      this.#moveAway(worker);
    } else {
      const surplus = surplusWorker(this.#workers, this.#options.size);
      if (surplus !== undefined) this.#retire(surplus);
      this.#dispatchWaiting();
    }
  }

  /**
   * Begins calls on other workers: those that have not begun, and those of other endpoints that
   * have not written.
   */
  #moveAway(worker: PoolWorker): void {
    for (const { call } of worker.calls.values()) call.host.line?.stop();
    const calls = [...worker.calls.values()];
    // A call stays or goes with those that share its transaction.
    const staying = new Set<EndpointCall>();
    for (const { call, guest } of calls) {
      if (guest !== worker.guest && !call.host.hasEffects) continue;
      for (const one of withCallers(call)) staying.add(rootOf(one));
    }
    for (const running of calls) {
      const isPart = running.call.sharesTransaction;
      const mustStay = staying.has(rootOf(running.call));
      if (mustStay && (isPart || worker.hasReceived(running))) continue;
      worker.drop(running);
      if (isPart) running.reject(STOPPED);
      else this.#dispatch(running);
    }
  }

  async #measure(worker: PoolWorker): Promise<void> {
    if (worker.isMeasured) return;
    worker.isMeasured = true;
    const { heapBytes: bytes } = await worker.process.look();
    worker.isMeasured = false;
    if (bytes <= ENDPOINT_HEAP_SOFT_BYTES || !this.#workers.has(worker)) return;
    this.#options.logger.warn({ bytes }, 'an endpoint worker is replaced: its heap is too large');
    const { guest } = worker;
    if (guest === 0) this.#retire(worker);
    else this.#replace(worker, this.#crowded.faultFor(worker.calls, guest));
  }

  #end(worker: PoolWorker): void {
    this.#workers.delete(worker);
    const end = worker.process.terminate().finally(() => this.#ends.delete(end));
    this.#ends.add(end);
  }

  #retire(worker: PoolWorker): void {
    worker.isRetiring = true;
    this.#addWorkers();
    this.#endIfRetired(worker);
  }

  #endIfRetired(worker: PoolWorker): void {
    if (!worker.isRetiring || worker.isProfiled || worker.calls.size > 0) return;
    this.#end(worker);
  }
}

export interface EndpointPoolOptions {
  /** The folder of the state; absolute. */
  readonly storage: string;
  /** Key of an encrypted graph; a promise as long as there is no state. */
  readonly environmentKey: string | undefined | Promise<string | undefined>;
  /** How many bytes of adjacency each worker keeps in memory; by default 64 MiB. */
  readonly rowMemoryBytes?: number | undefined;
  /** Workers that are there to be used; others may take the place of stalled ones. */
  readonly size: number;
  readonly logger: RuntimeLogger;
}
