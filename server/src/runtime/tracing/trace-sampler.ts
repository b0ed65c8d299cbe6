import { TRACE_FIRST_CALLS, TRACE_FIRST_CALLS_MS } from '#base/trace-limits.ts';

/** Which calls are traced although nothing is wrong with them, and what is kept of each. */
export interface TracingSettings {
  /** From 0 to 1. Above 0, the first calls of each minute are traced, too. */
  readonly share: number;
  /** The body of a call is kept with its trace. */
  readonly keepsInputs: boolean;
}

export const USUAL_TRACING: TracingSettings = { share: 0.01, keepsInputs: true };

/** Says which calls of one endpoint are traced. */
export class TraceSampler {
  #windowStart = -Infinity;
  #first = 0;
  /** Rises by the share with each call: whole ones are traced. */
  #owed = 0;

  take({ share }: TracingSettings, now = performance.now()): boolean {
    if (share <= 0) return false;
    if (now - this.#windowStart >= TRACE_FIRST_CALLS_MS) {
      this.#windowStart = now;
      this.#first = 0;
    }
    if (this.#first < TRACE_FIRST_CALLS) {
      this.#first++;
      return true;
    }
    this.#owed += share;
    if (this.#owed < 1) return false;
    this.#owed -= 1;
    return true;
  }
}
