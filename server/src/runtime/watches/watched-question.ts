import type { Caller } from '#access/caller.ts';
import { budgetKey } from '#access/caller.ts';
import type { ReadKeys } from '#graph/transactions/read-set.ts';
import { WATCH_RETRY_MAX_MS, WATCH_RETRY_MS } from '#base/watch-limits.ts';
import { AnswerPace } from './answer-pace.ts';
import type { EndpointWatch, WatchOutcome } from './endpoint-watch.ts';

/** What is asked of an endpoint, and again whenever the answer may have changed. */
export interface AskedEndpoint {
  readonly name: string;
  readonly caller: Caller;
  /** JSON text; null for none. */
  readonly body: string | null;
  /** As those of `EndpointRun`. */
  readonly headers: string;
  readonly authorization: string | undefined;
  readonly traceId: string;
}

/** The same endpoint, body and caller: however many watch it, it is answered once. */
export class WatchedQuestion {
  readonly number: number;
  readonly key: string;
  readonly asked: AskedEndpoint;
  readonly budget: string;
  readonly watches = new Set<EndpointWatch>();
  /** What the last outcome was made of. */
  reads: ReadKeys | undefined;
  /** The last outcome; undefined before the first, and where there is no room to keep it. */
  latest: WatchOutcome | undefined;
  /** The commit that the last run has read. */
  sequence = -1;
  /** Something of what it has read may have changed since its last run began. */
  isDirty = false;
  isRunning = false;
  isQueued = false;
  timer: NodeJS.Timeout | undefined;
  readonly pace = new AnswerPace();
  /** The index of searches has to reach it; 0 when nothing is awaited. */
  indexAwaited = 0;
  #failures = 0;
  #control = new AbortController();

  constructor(number: number, key: string, asked: AskedEndpoint) {
    this.number = number;
    this.key = key;
    this.asked = asked;
    this.budget = budgetKey(asked.caller);
  }

  /** Aborts when nobody watches any more. */
  get signal(): AbortSignal {
    return this.#control.signal;
  }

  close(): void {
    clearTimeout(this.timer);
    this.#control.abort(new Error('nobody watches any more'));
  }

  noteSuccess(): void {
    this.#failures = 0;
  }

  /** How long to wait before it is tried again. */
  noteFailure(): number {
    return Math.min(WATCH_RETRY_MS * 2 ** this.#failures++, WATCH_RETRY_MAX_MS);
  }
}
