import { randomBytes } from 'node:crypto';
import {
  ENDPOINT_POOLED_RUNS_PER_CALLER_MAX,
  ENDPOINT_POOLING_WAIT_MS,
  ENDPOINT_PROGRESS_CHARACTERS_MAX,
  ENDPOINT_RESULT_JOINED_MS,
  ENDPOINT_RESULT_KEPT_MS,
  ENDPOINT_RESULTS_KEPT_CHARACTERS_MAX,
  ENDPOINT_RESULTS_KEPT_MAX,
} from '#base/endpoint-limits.ts';
import { Problem } from '#base/problem.ts';
import type { EndpointAnswer } from './call-outcome.ts';
import type { CallSignal } from './sandbox/endpoint-call.ts';

/** Under these names a run and how far it is are told. */
export const RUN_KEY_HEADER = 'msk-endpoint-key';
export const PROGRESS_HEADER = 'msk-endpoint-progress';

/** How far a run is, as its code said last with `progress()`. */
export interface RunProgress {
  /** From 0 to 1. */
  readonly fraction: number | null;
  readonly text: string | null;
}

/** Whose a run is: both must be the same for its key to be worth anything. */
export interface RunOwner {
  readonly endpoint: string;
  /** See `callerKey`. */
  readonly caller: string;
}

export interface RunRequest {
  /** See `requestKey`. */
  readonly requestKey: string;
  readonly owner: RunOwner;
  /** The answer must reflect it. */
  readonly minSequence: number;
  readonly onRunKey?: RunKeyListener | undefined;
  /** Called for a run that begins, which ends when the signal aborts. */
  readonly watch?: (() => RightsWatch) | undefined;
}

type RightsWatch = Disposable & { readonly signal: AbortSignal };

/** Told the key of the run before the promise of its answer settles: errors carry it too. */
export type RunKeyListener = (key: string) => void;

/** What a run needs of the one that waits for it. */
export interface RunControl {
  /** Aborts when the caller cancels. */
  readonly signal: CallSignal;
  readonly onProgress: (progress: RunProgress) => void;
}

/** How a run ended. */
export interface RunOutcome {
  readonly answer: EndpointAnswer;
  /** Sequence of the state that the result reflects. */
  readonly sequence: number;
}

export interface PooledRunsOptions {
  readonly waitMs?: number;
  readonly joinedMs?: number;
  readonly keptMs?: number;
  readonly charactersMax?: number;
  readonly newKey?: () => string;
}

/**
 * The runs of mode "pooling" (open-shapes, section 5, "slow runs"). A call waits a moment for the
 * end of its run; if that takes longer it is answered 202 with a key, and whoever comes back with
 * the key, or with the same request, joins the same run. So while a run is under way there is one
 * for each endpoint, body and caller. It ends with the rights of whoever began it.
 *
 * A result waits for a while to be fetched by its key, and for a shorter while by the same request,
 * which may come of somebody who knows of no run: once the result was fetched, or when it reflects
 * less than is asked for, that request begins a new run. The oldest results go first when there is
 * no room.
 */
export class PooledRuns {
  readonly #waitMs: number;
  readonly #joinedMs: number;
  readonly #keptMs: number;
  readonly #charactersMax: number;
  readonly #newKey: () => string;
  readonly #byKey = new Map<string, PooledRun>();
  /** Those that the same request joins. */
  readonly #byRequest = new Map<string, PooledRun>();
  /** By key; the one that ended first is the first. */
  readonly #ended = new Map<string, PooledRun>();
  /** How many are under way. */
  readonly #countByCaller = new Map<string, number>();
  #characters = 0;
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: PooledRunsOptions = {}) {
    this.#waitMs = options.waitMs ?? ENDPOINT_POOLING_WAIT_MS;
    this.#joinedMs = options.joinedMs ?? ENDPOINT_RESULT_JOINED_MS;
    this.#keptMs = options.keptMs ?? ENDPOINT_RESULT_KEPT_MS;
    this.#charactersMax = options.charactersMax ?? ENDPOINT_RESULTS_KEPT_CHARACTERS_MAX;
    // 128 bits: nobody guesses one.
    this.#newKey = options.newKey ?? (() => randomBytes(16).toString('base64url'));
  }

  /**
   * Joins the run of this request, or begins it. Gives the answer of the run, or 202 while it is
   * under way. A run that has ended is joined when it reflects `minSequence`. Rejects with what the
   * run rejects with, and with `endpoint_overloaded`.
   */
  request(
    { requestKey, owner, minSequence, onRunKey, watch }: RunRequest,
    begin: (control: RunControl) => Promise<RunOutcome>,
  ): Promise<EndpointAnswer> {
    const joined = this.#byRequest.get(requestKey);
    if (joined?.isJoinable(minSequence) === true) return this.#answer(joined, onRunKey);
    const count = this.#countByCaller.get(owner.caller) ?? 0;
    if (count >= ENDPOINT_POOLED_RUNS_PER_CALLER_MAX) return Promise.reject(tooMany());
    this.#countByCaller.set(owner.caller, count + 1);
    const run = new PooledRun(this.#newKey(), requestKey, owner);
    this.#byKey.set(run.key, run);
    this.#byRequest.set(requestKey, run);
    void this.#execute(run, begin, watch?.());
    return this.#answer(run, onRunKey);
  }

  async #execute(
    run: PooledRun,
    begin: (control: RunControl) => Promise<RunOutcome>,
    rights: RightsWatch | undefined,
  ): Promise<void> {
    using _rights = rights;
    rights?.signal.addEventListener('abort', () => this.#cancel(run), { once: true });
    try {
      this.#end(run, await begin(run));
    } catch (error) {
      this.#end(run, error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** As `request`, by the key of a run. Rejects with `run_not_found`. */
  async poll(key: string, owner: RunOwner, onRunKey?: RunKeyListener): Promise<EndpointAnswer> {
    return this.#answer(this.#find(key, owner), onRunKey);
  }

  /** Ends a run, or forgets its result. Throws `run_not_found`. */
  cancel(key: string, owner: RunOwner): void {
    this.#cancel(this.#find(key, owner));
  }

  #cancel(run: PooledRun): void {
    run.cancel();
    this.#forget(run);
  }

  close(): void {
    clearTimeout(this.#sweep);
  }

  #find(key: string, { endpoint, caller }: RunOwner): PooledRun {
    const run = this.#byKey.get(key);
    if (run?.owner.endpoint === endpoint && run.owner.caller === caller) return run;
    throw new Problem('run_not_found', `There is no run of "${endpoint}" with this key`);
  }

  async #answer(run: PooledRun, onRunKey?: RunKeyListener): Promise<EndpointAnswer> {
    onRunKey?.(run.key);
    await run.untilOver(this.#waitMs);
    const headers = { [RUN_KEY_HEADER]: run.key };
    const { result, progress } = run;
    if (result === undefined) {
      return {
        status: 202,
        headers:
          progress === null ? headers : { ...headers, [PROGRESS_HEADER]: progressHeader(progress) },
        body: null,
      };
    }
    if (this.#byRequest.get(run.requestKey) === run) this.#byRequest.delete(run.requestKey);
    if (result instanceof Error) throw result;
    const { answer, sequence } = result;
    const reflected = { 'x-msk-sequence': String(sequence) };
    return { ...answer, headers: { ...answer.headers, ...reflected, ...headers } };
  }

  #end(run: PooledRun, result: RunOutcome | Error): void {
    const { caller } = run.owner;
    const count = (this.#countByCaller.get(caller) ?? 1) - 1;
    if (count === 0) this.#countByCaller.delete(caller);
    else this.#countByCaller.set(caller, count);
    if (run.aborted) return;
    const now = performance.now();
    run.end(result, { joinedUntil: now + this.#joinedMs, keptUntil: now + this.#keptMs });
    this.#characters += run.characters;
    this.#ended.set(run.key, run);
    this.#makeRoom();
    this.#planSweep();
  }

  #makeRoom(): void {
    for (const run of this.#ended.values()) {
      const isFull =
        this.#characters > this.#charactersMax || this.#ended.size > ENDPOINT_RESULTS_KEPT_MAX;
      // The newest stays in any case: somebody may be about to take it.
      if (!isFull || this.#ended.size === 1) return;
      this.#forget(run);
    }
  }

  /** The next time that a result has waited for too long. */
  #planSweep(): void {
    const [oldest] = this.#ended.values();
    if (this.#sweep !== undefined || oldest === undefined) return;
    const sweep = () => {
      this.#sweep = undefined;
      const now = performance.now();
      for (const run of this.#ended.values()) if (now >= run.keptUntil) this.#forget(run);
      this.#planSweep();
    };
    this.#sweep = setTimeout(sweep, Math.max(1, oldest.keptUntil - performance.now())).unref();
  }

  #forget(run: PooledRun): void {
    this.#byKey.delete(run.key);
    if (this.#byRequest.get(run.requestKey) === run) this.#byRequest.delete(run.requestKey);
    if (this.#ended.delete(run.key)) this.#characters -= run.characters;
  }
}

/** One run, and the signal by which it learns that it was cancelled. */
class PooledRun implements RunControl, CallSignal {
  readonly key: string;
  readonly requestKey: string;
  readonly owner: RunOwner;
  progress: RunProgress | null = null;
  /** Undefined while it is under way. */
  result: RunOutcome | Error | undefined;
  /** A time of `performance.now()`, once the run has ended. */
  keptUntil = 0;
  #joinedUntil = 0;
  #isCancelled = false;
  readonly #over = Promise.withResolvers<void>();

  constructor(key: string, requestKey: string, owner: RunOwner) {
    this.key = key;
    this.requestKey = requestKey;
    this.owner = owner;
  }

  get signal(): CallSignal {
    return this;
  }

  get aborted(): boolean {
    return this.#isCancelled;
  }

  get reason(): Problem {
    return new Problem('run_not_found', 'This run was cancelled');
  }

  get onProgress(): (progress: RunProgress) => void {
    return (progress) => {
      this.progress = progress;
    };
  }

  get characters(): number {
    const { result } = this;
    return result === undefined || result instanceof Error ? 0 : (result.answer.body?.length ?? 0);
  }

  isJoinable(minSequence: number): boolean {
    const { result } = this;
    if (result === undefined) return true;
    if (performance.now() > this.#joinedUntil) return false;
    return result instanceof Error || result.sequence >= minSequence;
  }

  end(result: RunOutcome | Error, until: { joinedUntil: number; keptUntil: number }): void {
    this.result = result;
    this.#joinedUntil = until.joinedUntil;
    this.keptUntil = until.keptUntil;
    this.#over.resolve();
  }

  cancel(): void {
    if (this.result !== undefined) return;
    this.#isCancelled = true;
    this.result = this.reason;
    this.#over.resolve();
  }

  async untilOver(waitMs: number): Promise<void> {
    if (this.result !== undefined) return;
    const wait = Promise.withResolvers<void>();
    const timer = setTimeout(wait.resolve, waitMs);
    await Promise.race([this.#over.promise, wait.promise]);
    clearTimeout(timer);
  }
}

function tooMany(): Problem {
  return new Problem(
    'endpoint_overloaded',
    `${ENDPOINT_POOLED_RUNS_PER_CALLER_MAX} runs of this caller are under way already`,
  );
}

/**
 * The value of `MSK-ENDPOINT-PROGRESS`: as the query of a URL, so that any text fits into a header,
 * such as `fraction=0.25&text=Reading+books`.
 */
export function progressHeader({ fraction, text }: RunProgress): string {
  const members = new URLSearchParams();
  if (fraction !== null) members.set('fraction', String(fraction));
  if (text !== null) members.set('text', text);
  return members.toString();
}

/** From what the code of an endpoint sent, which may be anything; null when it says nothing. */
export function progressOf(json: string): RunProgress | null {
  const { fraction, text } = Object(JSON.parse(json)) as Record<string, unknown>;
  const progress = {
    fraction: typeof fraction === 'number' ? Math.min(1, Math.max(0, fraction)) : null,
    text: typeof text === 'string' ? cut(text) : null,
  };
  return progress.fraction === null && progress.text === null ? null : progress;
}

function cut(text: string): string {
  return text.slice(0, ENDPOINT_PROGRESS_CHARACTERS_MAX).toWellFormed();
}
