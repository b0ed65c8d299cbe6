import { budgetKey } from '#access/caller.ts';
import {
  ENDPOINT_CALLS_PER_CALLER_MAX,
  ENDPOINT_CROWDED_MS,
  ENDPOINT_CALLS_MAX,
} from '#base/endpoint-limits.ts';
import { CallFault, type EndpointCall } from './endpoint-call.ts';
import type { PoolWorker } from './pool-worker.ts';
import { type RunningCall, TOO_MUCH_MEMORY } from './running-call.ts';

/**
 * Versions of endpoints whose calls used too much memory together, such as ten of them that answer
 * 8 MB each. They are run again, and for a while one at a time in a worker: then each has what a
 * call may have. One that uses too much by itself is at fault.
 */
export class CrowdedEndpoints {
  /** By version: until when. */
  readonly #until = new Map<string, number>();

  /** Calls for which there is no worker now. */
  readonly #waiting: Set<RunningCall>;

  constructor(waiting: Set<RunningCall>) {
    this.#waiting = waiting;
  }

  /**
   * Whether a worker has a call already beside which this one may not run. One that another makes
   * never waits: that would wait for itself.
   */
  mustWait({ calls }: Pick<PoolWorker, 'calls'>, { endpoint, parent }: EndpointCall): boolean {
    const { version } = endpoint;
    const until = this.#until.get(version);
    if (until === undefined || parent !== undefined) return false;
    if (performance.now() < until) {
      return [...calls.values()].some(({ call }) => call.endpoint.version === version);
    }
    this.#until.delete(version);
    return false;
  }

  /**
   * Why each call of a worker ends whose `guest` used too much memory; undefined when it may begin
   * again. Those that wait for another try end with it when their version uses too much also by
   * itself.
   */
  faultFor(
    calls: { values(): Iterable<RunningCall> },
    guest: number,
  ): (running: RunningCall) => CallFault | undefined {
    const own = [...calls.values()].filter((running) => running.guest === guest);
    const again = new Set(own.length > 1 ? own.filter(mayBeginAgain) : []);
    const now = performance.now();
    for (const [version, until] of this.#until) if (until < now) this.#until.delete(version);
    for (const { call } of again) this.#until.set(call.endpoint.version, now + ENDPOINT_CROWDED_MS);
    const atFault = own.filter((running) => !again.has(running) && running.retries > 0);
    const versions = new Set(atFault.map(({ call }) => call.endpoint.version));
    for (const running of this.#waiting) {
      if (running.retries === 0 || !versions.has(running.call.endpoint.version)) continue;
      this.#waiting.delete(running);
      running.reject(TOO_MUCH_MEMORY);
    }
    return (running) =>
      running.guest !== guest || again.has(running) ? undefined : TOO_MUCH_MEMORY;
  }
}

function mayBeginAgain({ retries, call: { parent, host } }: RunningCall): boolean {
  return retries === 0 && parent === undefined && !host.hasEffects;
}

/** The calls of a pool that are under way: so many, and so many of each caller. */
export class CallCounts {
  #all = 0;
  /** By `budgetKey`. */
  readonly #ofCaller = new Map<string, number>();

  get all(): number {
    return this.#all;
  }

  /** Why a call is one too many; undefined when it is not. */
  refusalOf({ caller, parent }: EndpointCall): CallFault | undefined {
    if (this.#all >= ENDPOINT_CALLS_MAX) {
      return new CallFault('overloaded', `${ENDPOINT_CALLS_MAX} calls are under way already`);
    }
    // One that another call makes is refused only where nothing else helps: the one that asks would
    // fail.
    if (parent !== undefined) return undefined;
    const own = this.#ofCaller.get(budgetKey(caller)) ?? 0;
    if (own < ENDPOINT_CALLS_PER_CALLER_MAX) return undefined;
    return new CallFault('overloaded', `${own} calls of yours are under way already`);
  }

  add({ caller }: EndpointCall): void {
    this.#change(budgetKey(caller), 1);
  }

  remove({ caller }: EndpointCall): void {
    this.#change(budgetKey(caller), -1);
  }

  #change(caller: string, by: 1 | -1): void {
    this.#all += by;
    const calls = (this.#ofCaller.get(caller) ?? 0) + by;
    if (calls > 0) this.#ofCaller.set(caller, calls);
    else this.#ofCaller.delete(caller);
  }
}
