import { ENDPOINT_WATCHDOG_MS } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { CallSignal } from './sandbox/endpoint-call.ts';

/** What one endpoint may take of the server: see `EndpointSettings`. */
export interface RunLimits {
  readonly name: string;
  readonly maxConcurrent: number;
  readonly maxQueued: number;
}

interface Waiting {
  /** Of `performance.now()`. */
  readonly deadline: number;
  readonly signal: CallSignal;
  readonly begin: () => void;
  readonly giveUp: (reason: unknown) => void;
}

interface Queue {
  maxConcurrent: number;
  running: number;
  /** In the order in which they came. */
  readonly waiting: Set<Waiting>;
}

/**
 * Keeps endpoints with a limit of their own to so many runs at a time; more calls wait, up to their
 * deadline, and more than may wait are refused.
 *
 * A run that an endpoint makes counts, but never waits: the one that asks for it holds a place
 * already, and two endpoints that call each other would wait for each other.
 */
export class RunQueues {
  /** Of the endpoints that run. */
  readonly #queues = new Map<string, Queue>();
  #watch: NodeJS.Timeout | undefined;

  /**
   * To be followed by `leave` once it has resolved. Rejects with `endpoint_overloaded`, and with the
   * signal's reason.
   */
  enter(limits: RunLimits, deadline: number, signal: CallSignal): Promise<void> {
    const queue = this.#queueOf(limits);
    this.#advance(limits.name, queue);
    if (queue.running < limits.maxConcurrent) {
      queue.running++;
      return Promise.resolve();
    }
    if (queue.waiting.size >= limits.maxQueued) {
      return Promise.reject(
        overloaded(limits.name, `${limits.maxConcurrent} runs are under way and enough calls wait`),
      );
    }
    this.#watch ??= setInterval(() => this.#look(), ENDPOINT_WATCHDOG_MS);
    return new Promise((begin, giveUp) => {
      queue.waiting.add({ deadline, signal, begin, giveUp });
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
    const queue = { maxConcurrent, running: 0, waiting: new Set<Waiting>() };
    this.#queues.set(name, queue);
    return queue;
  }

  #advance(name: string, queue: Queue): void {
    for (const next of queue.waiting) {
      if (queue.running >= queue.maxConcurrent) return;
      queue.waiting.delete(next);
      if (this.#giveUp(name, next)) continue;
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

function overloaded(name: string, why: string): Problem {
  return new Problem('endpoint_overloaded', `The endpoint "${name}" was not run: ${why}`);
}
