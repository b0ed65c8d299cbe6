import type { Worker } from 'node:worker_threads';
import type { Logger } from '#observe/logger.ts';
import type { IndexState, SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import { startThread } from '../start-thread.ts';
import { errorOf } from '../thread-failure.ts';
import type { FromIndex, IndexOptions, ToIndex } from './index-messages.ts';

const NOTHING_YET: IndexState = {
  sequence: null,
  documents: 0,
  segments: 0,
  bytes: 0,
  rebuild: null,
};

/** The thread that indexes, as the others see it. The workspace goes on without it: then nothing new is found. */
export class IndexThread implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #logger: Logger;
  readonly #closed = Promise.withResolvers<void>();
  readonly #listeners: ((snapshot: SearchSnapshot) => void)[] = [];
  #newest: SearchSnapshot | undefined;
  #isClosing = false;

  constructor(options: IndexOptions, logger: Logger) {
    this.#logger = logger;
    this.#worker = startThread(new URL('./index-worker.ts', import.meta.url), options);
    this.#worker.on('message', (message: FromIndex) => this.#receive(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#closed.resolve());
  }

  get state(): IndexState {
    return this.#newest?.state ?? NOTHING_YET;
  }

  /** Calls the listener with what can be found, now and from now on. */
  onSnapshot(listener: (snapshot: SearchSnapshot) => void): void {
    this.#listeners.push(listener);
    if (this.#newest !== undefined) listener(this.#newest);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    this.#worker.postMessage({ kind: 'close' } satisfies ToIndex);
    await this.#closed.promise;
    await this.#worker.terminate();
  }

  #receive(message: FromIndex): void {
    switch (message.kind) {
      case 'snapshot':
        this.#newest = message.snapshot;
        for (const listener of this.#listeners) listener(message.snapshot);
        return;
      case 'note':
        this.#logger[message.level](message.text);
        return;
      case 'failed':
        this.#fail(errorOf(message.failure));
        return;
      case 'closed':
        this.#closed.resolve();
    }
  }

  #fail(error: unknown): void {
    if (!this.#isClosing) this.#logger.error({ err: error }, 'nothing new is found by search');
  }
}
