import type { Clock } from '#base/clock.ts';
import {
  SEARCH_RESTART_DELAY_MS,
  SEARCH_RESTART_DELAY_MAX_MS,
  SEARCH_RESTARTS_MAX,
  SEARCH_RESTARTS_WINDOW_MS,
} from '#base/search-limits.ts';

/**
 * When a thread that ended by itself is started again: later each time, and only so often within an
 * hour.
 */
export class RestartRule {
  readonly #clock: Clock;
  #timesMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds to wait before the start that is due now; undefined when there were too many. */
  next(): number | undefined {
    const now = this.#clock.now();
    this.#timesMs = this.#timesMs.filter((time) => time > now - SEARCH_RESTARTS_WINDOW_MS);
    const count = this.#timesMs.length;
    if (count >= SEARCH_RESTARTS_MAX) return undefined;
    this.#timesMs.push(now);
    return Math.min(SEARCH_RESTART_DELAY_MAX_MS, SEARCH_RESTART_DELAY_MS * 4 ** count);
  }
}
