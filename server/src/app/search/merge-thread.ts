import type { MergeTask } from '#search/text/text-index.ts';
import { Thread, type startThread } from '../threads/thread.ts';

/** What the thread is started with. */
export interface MergeOptions {
  readonly storage: string;
}

export interface MergeCalls {
  merge(task: MergeTask): SharedArrayBuffer;
}

/**
 * A thread for large merges; it starts with the first, and with the next one after it has ended by
 * itself.
 */
export class MergeThread implements AsyncDisposable {
  readonly #options: MergeOptions;
  readonly #start: typeof startThread | undefined;
  #thread: Thread<MergeCalls, object> | undefined;

  constructor(options: MergeOptions, start?: typeof startThread) {
    this.#options = options;
    this.#start = start;
  }

  /** Rejects when the thread ends before it is done. */
  merge(task: MergeTask): Promise<SharedArrayBuffer> {
    this.#thread ??= this.#begin();
    return this.#thread.ask('merge', task);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#thread?.end(new Error('the server stops'));
    await this.#thread?.terminate();
  }

  #begin(): Thread<MergeCalls, object> {
    return new Thread({
      name: 'the thread that merges',
      file: new URL('./merge-worker.ts', import.meta.url),
      data: this.#options,
      start: this.#start,
      handlers: {},
      onEnd: () => (this.#thread = undefined),
    });
  }
}
