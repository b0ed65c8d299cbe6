import { budgetKey, type Caller } from '#access/caller.ts';
import { ENDPOINT_WATCHDOG_MS } from '#base/endpoint-limits.ts';
import { Problem } from '#base/problem.ts';
import type { CallSignal } from './sandbox/endpoint-call.ts';

/** What one endpoint may take of the server: see `EndpointSettings`. */
export interface RunLimits {
  readonly name: string;
  readonly maxConcurrent: number;
  readonly maxQueued: number;
}

interface Queued {
  readonly caller: Caller;
  readonly signal: CallSignal;
}

interface Waiting {
  /** See `budgetKey`. */
  readonly caller: string;
  /** A time of `performance.now()`. */
  readonly deadline: number;
  readonly signal: CallSignal;
  readonly begin: () => void;
  readonly giveUp: (reason: unknown) => void;
}

interface Queue {
  maxConcurrent: number;
  running: number;
  /** How many calls of each waiting caller have begun since it began to wait. */
  readonly begun: Map<string, number>;
  /** In the order in which they came. */
  readonly waiting: Set<Waiting>;
}

/**
 * Keeps endpoints with a limit of their own to so many runs at a time; more calls wait, up to their
 * deadline, and more than may wait are refused. Callers take turns, however many calls each of them
 * has there; when no more can wait, whoever has most of them loses the newest to one who has fewer.
 *
 * A run that an endpoint makes counts, but never waits: the one that asks for it holds a place
 * already, and two endpoints that call each other would wait for each other.
 */
export class RunQueues {
  /** Queues of the endpoints that run. */
  readonly #queues = new Map<string, Queue>();
  #watch: NodeJS.Timeout | undefined;

  /**
   * To be followed by `leave` once it has resolved. Rejects with `endpoint_overloaded`, and with
   * the signal's reason.
   */
  enter(limits: RunLimits, deadline: number, run: Queued): Promise<void> {
    const { signal } = run;
    const caller = budgetKey(run.caller);
    const queue = this.#queueOf(limits);
    this.#advance(limits.name, queue);
    if (queue.running < limits.maxConcurrent) {
      queue.running++;
      return Promise.resolve();
    }
    if (queue.waiting.size >= limits.maxQueued && !makeRoom(limits, queue, caller)) {
      return Promise.reject(tooManyWait(limits));
    }
    this.#watch ??= setInterval(() => this.#look(), ENDPOINT_WATCHDOG_MS);
    return new Promise((begin, giveUp) => {
      if (!queue.begun.has(caller)) queue.begun.set(caller, leastBegun(queue));
      queue.waiting.add({ caller, deadline, signal, begin, giveUp });
    });
  }

  enterNested(limits: RunLimits): void {
    this.#queueOf(limits).running++;
  }

  leave(name: string): void {
    const queue = this.#queues.get(name);
    if (queue === undefined) return;
    queue.running--;
    this.#advance(name, queue);
    if (queue.running === 0 && queue.waiting.size === 0) this.#queues.delete(name);
  }

  #queueOf({ name, maxConcurrent }: RunLimits): Queue {
    const known = this.#queues.get(name);
    if (known !== undefined) {
      known.maxConcurrent = maxConcurrent;
      return known;
    }
    const queue = { maxConcurrent, running: 0, begun: new Map(), waiting: new Set<Waiting>() };
    this.#queues.set(name, queue);
    return queue;
  }

  #advance(name: string, queue: Queue): void {
    while (queue.running < queue.maxConcurrent) {
      const next = nextInTurn(queue);
      if (next === undefined) {
        queue.begun.clear();
        return;
      }
      queue.waiting.delete(next);
      if (this.#giveUp(name, next)) continue;
      queue.begun.set(next.caller, queue.begun.get(next.caller)! + 1);
      queue.running++;
      next.begin();
    }
  }

  #look(): void {
    let isWaiting = false;
    for (const [name, queue] of this.#queues) {
      for (const one of queue.waiting) {
        if (this.#giveUp(name, one)) queue.waiting.delete(one);
        else isWaiting = true;
      }
    }
    if (isWaiting) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  /** Whether it is too late for it, or nobody waits for it any more. */
  #giveUp(name: string, { deadline, signal, giveUp }: Waiting): boolean {
    if (signal.aborted) giveUp(signal.reason);
    else if (performance.now() > deadline)
      giveUp(overloaded(name, 'its turn did not come in time'));
    else return false;
    return true;
  }
}

/** The oldest call of a caller who has had the fewest turns. */
function nextInTurn({ waiting, begun }: Queue): Waiting | undefined {
  let next: Waiting | undefined;
  for (const one of waiting) {
    if (next === undefined || begun.get(one.caller)! < begun.get(next.caller)!) next = one;
  }
  return next;
}

/** Who comes later does not catch up on turns that they never wanted. */
function leastBegun({ waiting, begun }: Queue): number {
  let least = Infinity;
  for (const { caller } of waiting) least = Math.min(least, begun.get(caller)!);
  return least === Infinity ? 0 : least;
}

/**
 * Refuses the newest call of whoever has most of those that wait, unless that is no other than who
 * asks.
 */
function makeRoom(limits: RunLimits, { waiting }: Queue, caller: string): boolean {
  const calls = new Map<string, Waiting[]>();
  for (const one of waiting) {
    const own = calls.get(one.caller);
    if (own === undefined) calls.set(one.caller, [one]);
    else own.push(one);
  }
  const own = calls.get(caller)?.length ?? 0;
  const most = [...calls.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
  if (most.length <= own + 1) return false;
  const newest = most.at(-1)!;
  waiting.delete(newest);
  newest.giveUp(tooManyWait(limits));
  return true;
}

function tooManyWait({ name, maxConcurrent }: RunLimits): Problem {
  return overloaded(name, `${maxConcurrent} runs are under way and enough calls wait`);
}

function overloaded(name: string, why: string): Problem {
  return new Problem('endpoint_overloaded', `The endpoint "${name}" was not run: ${why}`);
}
