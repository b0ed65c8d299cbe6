import { budgetKey, type Caller } from '#access/caller.ts';
import { Problem, type ProblemMessage } from '#base/problem.ts';
import {
  ENDPOINT_SEARCH_THREADS_MAX,
  ENDPOINT_WATCHDOG_MS,
  SEARCH_THREAD_ASKED_HEAVY_MAX,
  SEARCH_THREAD_ASKED_MAX,
  SEARCH_TIMEOUT_MS,
  SEARCHES_WAITING_PER_CALLER_MAX,
} from '#base/endpoint-limits.ts';
import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import type { WantedSimilarNodes } from '#search/similarity/node-embeddings.ts';
import type { RuntimeLogger } from '../endpoint-log.ts';
import { stopping } from './running-call.ts';
import type { CallSignal } from './endpoint-call.ts';
import {
  type AskedSearch,
  type Search,
  SearchLines,
  type SearchReply,
  SearchThread,
} from './search-thread.ts';

export interface SearchThreadsOptions {
  /** The folder of the state; absolute. */
  readonly storage: string;
  readonly environmentKey: Promise<string | undefined>;
  /** Threads at most. */
  readonly size: number;
  readonly logger: RuntimeLogger;
}

/**
 * Searches for the code of endpoints and for routes, in threads of the server's process: the index
 * lies in memory that only threads share. The first thread starts with `prepare` or the first
 * search, another one whenever all have something to do. Callers take turns; and one whose searches
 * take long leaves a thread to others where there may be two or more.
 */
export class SearchThreads {
  readonly #options: SearchThreadsOptions;
  readonly #size: number;
  readonly #threads = new Set<SearchThread>();
  readonly #lines = new SearchLines();
  /** There once there is a state. */
  #environmentKey: { readonly value: string | undefined } | undefined;
  #snapshot: SearchSnapshot | undefined;
  #watch: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: SearchThreadsOptions) {
    this.#options = options;
    this.#size = Math.min(options.size, ENDPOINT_SEARCH_THREADS_MAX);
    void options.environmentKey.then((value) => {
      this.#environmentKey = { value };
      this.#advance();
    });
  }

  /** What is found from now on. */
  receive(snapshot: SearchSnapshot): void {
    this.#snapshot = snapshot;
    for (const thread of this.#threads) thread.receive(snapshot);
  }

  /** Has a thread ready for the first search. */
  prepare(): void {
    if (this.#threads.size === 0 && this.#environmentKey !== undefined) this.#start();
  }

  /**
   * Rejects with `too_many_requests`, `search_timeout`, `server_stopping` and the reason of the
   * signal.
   */
  ask(caller: Caller, search: Omit<Search, 'caller' | 'budget'>): Promise<SearchReply> {
    if (this.#isClosed) return Promise.reject(stopping());
    const budget = budgetKey(caller);
    if (this.#lines.waiting(budget) >= SEARCHES_WAITING_PER_CALLER_MAX) {
      return Promise.reject(tooMany());
    }
    const { promise, resolve, reject } = Promise.withResolvers<SearchReply>();
    const asked = { ...search, caller: JSON.stringify(caller), budget, retries: 0 };
    this.#lines.push({ ...asked, resolve, reject });
    this.#watch ??= setInterval(() => this.#look(performance.now()), ENDPOINT_WATCHDOG_MS);
    this.#advance();
    return promise;
  }

  /** JSON of what `similarToNode` answers. Rejects with its problems, and as `ask` does. */
  async similarNodes(
    caller: Caller,
    wanted: WantedSimilarNodes,
    signal: CallSignal,
  ): Promise<string> {
    const { isValue, json } = await this.ask(caller, {
      operation: 'similarNodes',
      payload: JSON.stringify(wanted),
      deadline: performance.now() + SEARCH_TIMEOUT_MS,
      signal,
    });
    if (isValue) return json;
    throw Problem.fromMessage(JSON.parse(json) as ProblemMessage);
  }

  /** Lets go of what waits for a thread. */
  stopWaiting(): void {
    this.#lines.drop(stopping);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#watch);
    this.#lines.drop(stopping);
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }

  /** Lets go of what nobody waits for, and ends threads that are at work for nobody. */
  #look(now: number): void {
    this.#lines.drop(({ signal, deadline }) => {
      if (signal.aborted) return signal.reason;
      return now > deadline ? tooLate() : undefined;
    });
    let isBusy = !this.#lines.isEmpty;
    for (const thread of this.#threads) {
      isBusy ||= thread.size > 0;
      if (!thread.isStuck(now)) continue;
      this.#options.logger.warn({}, 'a search is ended: it takes too long');
      this.#threads.delete(thread);
      const [stuck, ...others] = thread.terminate();
      stuck?.reject(tooLate());
      this.#again(others);
    }
    if (isBusy) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #again(searches: readonly AskedSearch[]): void {
    for (const search of searches.toReversed()) this.#lines.putBack(search);
    this.#advance();
  }

  #advance(): void {
    if (this.#isClosed || this.#environmentKey === undefined) return;
    this.#lines.advance((search) => {
      const thread = this.#threadFor(search.budget);
      thread?.ask(search);
      return thread !== undefined;
    });
  }

  /** The least busy one that this caller may have; undefined when there is none for now. */
  #threadFor(caller: string): SearchThread | undefined {
    if (this.#threads.size === 0) return this.#start();
    const isHeavy = this.#lines.isHeavy(caller);
    const own = [...this.#threads].filter((thread) => thread.hasSearchesOf(caller));
    const isLimited = isHeavy && own.length > 0 && own.length >= this.#size - 1;
    const max = isHeavy ? SEARCH_THREAD_ASKED_HEAVY_MAX : SEARCH_THREAD_ASKED_MAX;
    let best: SearchThread | undefined;
    for (const thread of isLimited ? own : this.#threads) {
      if (best === undefined || thread.size < best.size) best = thread;
    }
    const mayStart = !isLimited && this.#threads.size < this.#size;
    if (mayStart && best !== undefined && best.size > 0 && best.isReady) this.#start();
    return best !== undefined && best.size < max ? best : undefined;
  }

  #start(): SearchThread {
    const { storage, logger } = this.#options;
    const setup = { storage, environmentKey: this.#environmentKey?.value };
    const thread = new SearchThread(setup, {
      onReady: () => this.#advance(),
      onAnswer: (search, ms) => {
        this.#lines.note(search, ms);
        if (!this.#lines.isEmpty) this.#advance();
      },
      onEnd: (ended, reason, asked) => {
        logger.error({ err: reason }, 'a thread that searches ended');
        this.#threads.delete(ended);
        const [first, ...others] = asked;
        if (first !== undefined && ++first.retries > 1) first.reject(reason);
        else if (first !== undefined) others.unshift(first);
        this.#again(others);
      },
    });
    if (this.#snapshot !== undefined) thread.receive(this.#snapshot);
    this.#threads.add(thread);
    return thread;
  }
}

function tooLate(): Problem {
  return new Problem('search_timeout', 'The search took too long.');
}

function tooMany(): Problem {
  const message = `${SEARCHES_WAITING_PER_CALLER_MAX} of your searches are waiting already.`;
  return new Problem('too_many_requests', message, {
    hint: 'Wait for their answers first.',
    details: { retryAfterSeconds: 1 },
  });
}
