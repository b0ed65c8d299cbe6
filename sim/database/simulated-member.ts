import type { Timers } from '../../server/src/base/clock.ts';
import type { Scheduler } from '../scheduler.ts';

/**
 * A process that can be killed, and stopped for a while: then nothing reaches it, neither a timer
 * nor an answer, until it goes on.
 */
export class SimulatedMember implements Timers {
  readonly name: string;
  readonly #scheduler: Scheduler;
  readonly #held: (() => void)[] = [];
  #isStopped = false;
  #isAlive = true;
  /** It reaches the database no more, and what it has sent arrives or not. */
  isCutOff = false;

  constructor(name: string, scheduler: Scheduler) {
    this.name = name;
    this.#scheduler = scheduler;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  deliver(run: () => void): void {
    if (!this.#isAlive) return;
    if (this.#isStopped) this.#held.push(run);
    else run();
  }

  every(intervalMs: number, run: () => void): Disposable {
    const state = { isOn: true };
    const timer = this.#scheduler.every(intervalMs, () => {
      this.deliver(() => {
        if (state.isOn) run();
      });
    });
    return {
      [Symbol.dispose]: () => {
        state.isOn = false;
        timer[Symbol.dispose]();
      },
    };
  }

  stop(): void {
    this.#isStopped = true;
  }

  goOn(): void {
    this.#isStopped = false;
    for (const run of this.#held.splice(0)) this.deliver(run);
  }

  kill(): void {
    this.#isAlive = false;
    this.#held.length = 0;
  }
}
