import type { Worker } from 'node:worker_threads';
import type { MergeTask } from '#search/text/text-index.ts';
import { startThread } from '../start-thread.ts';
import { errorOf, type ThreadFailure } from '../thread-failure.ts';
import { ThreadRequests } from '../thread-requests.ts';

/** What the thread is started with. */
export interface MergeOptions {
  readonly storage: string;
}

export type FromMerge =
  | { readonly kind: 'done'; readonly id: number; readonly memory: SharedArrayBuffer }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: ThreadFailure };

interface Run {
  readonly worker: Worker;
  readonly requests: ThreadRequests<{ readonly task: MergeTask }>;
}

/** A thread for large merges; it starts with the first, and with the next one after it has ended by itself. */
export class MergeThread implements AsyncDisposable {
  readonly #options: MergeOptions;
  readonly #start: typeof startThread;
  #run: Run | undefined;

  constructor(options: MergeOptions, start = startThread) {
    this.#options = options;
    this.#start = start;
  }

  /** Rejects when the thread ends before it is done. */
  merge(task: MergeTask): Promise<SharedArrayBuffer> {
    this.#run ??= this.#begin();
    return this.#run.requests.ask<SharedArrayBuffer>({ task });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#run?.requests.end(new Error('the server stops'));
    await this.#run?.worker.terminate();
  }

  #begin(): Run {
    const worker = this.#start(new URL('./merge-worker.ts', import.meta.url), this.#options);
    const requests: Run['requests'] = new ThreadRequests((message) => worker.postMessage(message));
    const end = (error: Error): void => {
      if (this.#run?.worker === worker) this.#run = undefined;
      requests.end(error);
    };
    worker.on('message', (message: FromMerge) => {
      if (message.kind === 'done') requests.done(message.id, message.memory);
      else requests.failed(message.id, errorOf(message.failure));
    });
    worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', (code) => end(new Error(`the thread that merges ended with ${code}`)));
    return { worker, requests };
  }
}
