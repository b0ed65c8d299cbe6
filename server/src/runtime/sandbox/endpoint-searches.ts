import { ENDPOINT_SEARCH_THREADS_MAX } from '#base/sandbox-limits.ts';
import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import type { RuntimeLogger } from '../runtime-logger.ts';
import { SearchThread } from './search-thread.ts';
import type { AskedSearch, Search, SearchReply } from './search-thread.ts';

export interface EndpointSearchesOptions {
  /** The folder of the state; absolute. */
  readonly storage: string;
  readonly environmentKey: Promise<string | undefined>;
  /** Threads at most. */
  readonly size: number;
  readonly logger: RuntimeLogger;
}

/**
 * Searches for the code of endpoints, in threads of the server's process: the index lies in memory that only threads share. The
 * first thread starts with the first snapshot or search, another one whenever all have something to do.
 */
export class EndpointSearches {
  readonly #options: EndpointSearchesOptions;
  readonly #size: number;
  readonly #threads = new Set<SearchThread>();
  readonly #early: AskedSearch[] = [];
  /** There once there is a state. */
  #environmentKey: { readonly value: string | undefined } | undefined;
  #snapshot: SearchSnapshot | undefined;
  #isClosed = false;

  constructor(options: EndpointSearchesOptions) {
    this.#options = options;
    this.#size = Math.min(options.size, ENDPOINT_SEARCH_THREADS_MAX);
    void options.environmentKey.then((value) => {
      this.#environmentKey = { value };
      for (const search of this.#early.splice(0)) this.#dispatch(search);
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

  ask(search: Search): Promise<SearchReply> {
    const { promise, resolve, reject } = Promise.withResolvers<SearchReply>();
    this.#dispatch({ ...search, retries: 0, resolve, reject });
    return promise;
  }

  /** Ends threads that are at work for nobody. */
  look(now: number): void {
    for (const thread of this.#threads) {
      if (!thread.isStuck(now)) continue;
      this.#options.logger.warn({}, 'a search of an endpoint is ended: it takes too long');
      this.#threads.delete(thread);
      const [stuck, ...others] = thread.terminate();
      stuck?.reject(new Error('the search took longer than its call'));
      for (const search of others) this.#dispatch(search);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }

  #dispatch(search: AskedSearch): void {
    if (this.#isClosed) return;
    if (this.#environmentKey === undefined) this.#early.push(search);
    else this.#leastBusy().ask(search);
  }

  #leastBusy(): SearchThread {
    let best: SearchThread | undefined;
    for (const thread of this.#threads) {
      if (best === undefined || thread.size < best.size) best = thread;
    }
    if (best === undefined) return this.#start();
    if (best.size > 0 && best.isReady && this.#threads.size < this.#size) this.#start();
    return best;
  }

  #start(): SearchThread {
    const { storage } = this.#options;
    const setup = { storage, environmentKey: this.#environmentKey?.value };
    const thread = new SearchThread(setup, (ended, reason, asked) => {
      this.#options.logger.error({ err: reason }, 'a search of an endpoint failed');
      this.#threads.delete(ended);
      const [first, ...others] = asked;
      if (first !== undefined && ++first.retries > 1) first.reject(reason);
      else if (first !== undefined) this.#dispatch(first);
      for (const search of others) this.#dispatch(search);
    });
    if (this.#snapshot !== undefined) thread.receive(this.#snapshot);
    this.#threads.add(thread);
    return thread;
  }
}
