import type { Timers } from '../server/src/base/clock.ts';
import type { Scheduler } from './scheduler.ts';

/** What ends the code of a process that was killed; nothing that it does then has an effect. */
export class Killed extends Error {
  constructor(name: string) {
    super(`${name} was killed`);
  }
}

/**
 * A process of a simulation, from its start until it is killed or has ended. From then on nothing
 * that it waits for happens: no timer, no disk, no network.
 */
export class SimulatedProcess implements Timers {
  readonly name: string;
  readonly host: string;
  readonly #scheduler: Scheduler;
  readonly #onEnded = new Set<() => void>();
  readonly #closing = new AbortController();
  #isAlive = true;

  /** `life` numbers the processes of one host. */
  constructor(scheduler: Scheduler, host: string, life: number) {
    this.#scheduler = scheduler;
    this.host = host;
    this.name = `${host}-${life}`;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Aborted when it is asked to stop, and when it is killed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  every(intervalMs: number, run: () => void): Disposable {
    const timer = this.#scheduler.every(intervalMs, run);
    const release = this.onEnded(() => timer[Symbol.dispose]());
    return {
      [Symbol.dispose]: () => {
        timer[Symbol.dispose]();
        release();
      },
    };
  }

  /** Rejects with `Killed` when that comes first. */
  wait(ms: number, label: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#isAlive) {
        reject(new Killed(this.name));
        return;
      }
      const release = this.onEnded(() => {
        timer[Symbol.dispose]();
        reject(new Killed(this.name));
      });
      const timer = this.#scheduler.after(ms, `${this.name} ${label}`, () => {
        release();
        resolve();
      });
    });
  }

  /** Returns the way to take it back. */
  onEnded(listener: () => void): () => void {
    this.#onEnded.add(listener);
    return () => void this.#onEnded.delete(listener);
  }

  stop(): void {
    this.#closing.abort(new Error(`${this.name} stops`));
  }

  /** Also the end of a process that ended by itself. */
  kill(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.stop();
    const listeners = [...this.#onEnded];
    this.#onEnded.clear();
    for (const listener of listeners) listener();
  }
}
