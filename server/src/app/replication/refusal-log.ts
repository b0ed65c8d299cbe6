import type { Clock, Timers } from '#base/clock.ts';
import {
  REPLICATION_REFUSALS_LOGGED_MAX,
  REPLICATION_REFUSALS_SPAN_MS,
} from '#base/replication-limits.ts';

export interface RefusalLogOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly warn: (text: string) => void;
}

/**
 * Logs refused connections, which anybody can make: some lines each minute, and for all others
 * their number.
 */
export class RefusalLog implements Disposable {
  readonly #options: RefusalLogOptions;
  readonly #telling: Disposable;
  #spanBegan = -Infinity;
  #logged = 0;
  #more = 0;

  constructor(options: RefusalLogOptions) {
    this.#options = options;
    this.#telling = options.timers.every(REPLICATION_REFUSALS_SPAN_MS, () => this.#tell());
  }

  /** `text` says who was refused, and why. */
  refused(text: string): void {
    const { clock, warn } = this.#options;
    const now = clock.now();
    if (now - this.#spanBegan >= REPLICATION_REFUSALS_SPAN_MS) {
      this.#tell();
      this.#spanBegan = now;
      this.#logged = 0;
    }
    if (this.#logged >= REPLICATION_REFUSALS_LOGGED_MAX) {
      this.#more++;
      return;
    }
    this.#logged++;
    warn(text);
  }

  [Symbol.dispose](): void {
    this.#telling[Symbol.dispose]();
    this.#tell();
  }

  #tell(): void {
    if (this.#more === 0) return;
    this.#options.warn(`${this.#more} more failed connections of replicas, or of strangers`);
    this.#more = 0;
  }
}
