import { createHash } from 'node:crypto';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';

/** What there is to be told of a question. */
export type WatchOutcome = WatchedValue | WatchedFault;

/** An answer, as JSON text. */
export class WatchedValue {
  readonly kind = 'value';
  readonly sequence: number;
  readonly json: string;
  /** The same for equal answers. */
  readonly digest: string;
  /** Of the access at which it was read: see `AccessEpoch`. */
  readonly accessEpoch: number;

  constructor(sequence: number, json: string, accessEpoch: number) {
    this.sequence = sequence;
    this.json = json;
    this.accessEpoch = accessEpoch;
    this.digest = createHash('sha256').update(json).digest('base64url');
  }
}

/** Why there is no answer. The watch goes on, unless it ends with it. */
export class WatchedFault {
  readonly kind = 'fault';
  readonly error: unknown;
  readonly digest: string;
  readonly isFinal: boolean;

  constructor(error: unknown, isFinal = false) {
    this.error = error;
    this.isFinal = isFinal;
    this.digest = error instanceof Problem ? `${error.code} ${error.message}` : 'fault';
  }
}

export interface WatchOptions {
  readonly caller: Caller;
  /** That of the last answer that the caller has; undefined for one that has none. */
  readonly lastSequence: number | undefined;
  /** Whether an outcome that has waited may still be given; if not, another one comes. */
  readonly isPresent: (outcome: WatchOutcome) => boolean;
  readonly onClose: (watch: EndpointWatch) => void;
}

/**
 * One who watches an endpoint. Whoever reads slowly misses answers in between: only the newest
 * waits for them, and none when it is the one that they have.
 */
export class EndpointWatch implements Disposable {
  caller: Caller;
  readonly #options: WatchOptions;
  #lastSequence: number | undefined;
  /** Of what was given last. */
  #given: string | undefined;
  #pending: WatchOutcome | undefined;
  #end: WatchedFault | undefined;
  #reader: PromiseWithResolvers<void> | undefined;
  #check: object | undefined;
  /** They have the answer, and have not been told that there is one. */
  #hasNews = false;
  #isClosed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.caller = options.caller;
    this.#lastSequence = options.lastSequence;
  }

  /** Of the last answer that they have from elsewhere, until the first outcome. */
  get lastSequence(): number | undefined {
    return this.#lastSequence;
  }

  get hasAny(): boolean {
    return this.#given !== undefined || this.#pending !== undefined;
  }

  /** Whether they have the first outcome already is being looked up. */
  beginCheck(): object {
    this.#lastSequence = undefined;
    this.#check = {};
    return this.#check;
  }

  /** False once there is another outcome, or nobody watches any more. */
  isChecking(check: object): boolean {
    return this.#check === check && !this.#isClosed;
  }

  tell(outcome: WatchOutcome): void {
    if (this.#end !== undefined) return;
    this.#lastSequence = undefined;
    this.#check = undefined;
    this.#pending = outcome.digest === this.#given ? undefined : outcome;
    if (this.#pending !== undefined) this.#reader?.resolve();
  }

  /** They have this answer already. */
  knows({ digest }: WatchOutcome): void {
    this.#lastSequence = undefined;
    this.#check = undefined;
    this.#given = digest;
    this.#hasNews = true;
    this.#reader?.resolve();
  }

  /** Nothing comes after it. */
  end(error: unknown): void {
    this.#end ??= new WatchedFault(error, true);
    this.#pending = undefined;
    this.#reader?.resolve();
  }

  /**
   * The next outcome. Undefined once the signal has aborted, and when they turn out to have the
   * answer already. Only one may be asked for at a time.
   */
  async next(signal: AbortSignal): Promise<WatchOutcome | undefined> {
    // What has waited may be out of date.
    if (this.#pending !== undefined && !this.#options.isPresent(this.#pending)) {
      this.#pending = undefined;
    }
    while (!signal.aborted) {
      if (this.#end !== undefined) return this.#end;
      const pending = this.#pending;
      if (pending !== undefined) {
        this.#pending = undefined;
        this.#given = pending.digest;
        return pending;
      }
      if (this.#hasNews) break;
      const reader = Promise.withResolvers<void>();
      this.#reader = reader;
      const abort = (): void => reader.resolve();
      signal.addEventListener('abort', abort, { once: true });
      await reader.promise;
      signal.removeEventListener('abort', abort);
      this.#reader = undefined;
    }
    this.#hasNews = false;
    return undefined;
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pending = undefined;
    this.#options.onClose(this);
  }
}
