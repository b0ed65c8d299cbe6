import { MCP_PROGRESS_INTERVAL_MS } from '#base/limits.ts';
import type { RunProgress } from '#runtime/run-progress.ts';

/** The parameters of `notifications/progress`, without the client's token. */
export interface ProgressNotice {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** A value rises with every notice (MCP, "Progress"): by this much where the run gives no share, or the same as before. */
const SMALLEST_STEP = 1e-6;

/** Makes notices of what a run says of itself, and no more of them than anybody reads. */
export class ProgressNotices {
  readonly #now: () => number;
  #sentMs = -Infinity;
  #last = 0;
  #hasShare = false;

  /** `now` in milliseconds, from any beginning. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Undefined when it is too early for another one. */
  next({ fraction, text }: RunProgress): ProgressNotice | undefined {
    const nowMs = this.#now();
    if (nowMs - this.#sentMs < MCP_PROGRESS_INTERVAL_MS) return undefined;
    this.#sentMs = nowMs;
    this.#hasShare ||= fraction !== null;
    this.#last = Math.max(fraction ?? 0, this.#last + SMALLEST_STEP);
    return {
      progress: this.#last,
      ...(this.#hasShare ? { total: 1 } : {}),
      ...(text === null ? {} : { message: text }),
    };
  }
}
