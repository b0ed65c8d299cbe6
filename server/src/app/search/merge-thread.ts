import type { Worker } from 'node:worker_threads';
import type { MergeTask } from '#search/text/text-index.ts';
import { startThread } from '../start-thread.ts';
import { errorOf, type ThreadFailure } from '../thread-failure.ts';
import { ThreadRequests } from '../thread-requests.ts';

export type FromMerge =
  | { readonly kind: 'done'; readonly id: number; readonly memory: SharedArrayBuffer }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: ThreadFailure };

/** A thread for large merges; it starts with the first. */
export class MergeThread implements AsyncDisposable {
  readonly #requests = new ThreadRequests<{ readonly task: MergeTask }>((message) => {
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
  });
  #worker: Worker | undefined;

  merge(task: MergeTask): Promise<SharedArrayBuffer> {
    return this.#requests.ask<SharedArrayBuffer>({ task });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#requests.end(new Error('the server stops'));
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = startThread(new URL('./merge-worker.ts', import.meta.url));
    worker.on('message', (message: FromMerge) => {
      if (message.kind === 'done') this.#requests.done(message.id, message.memory);
      else this.#requests.failed(message.id, errorOf(message.failure));
    });
    worker.on('error', (error) => {
      this.#requests.end(error instanceof Error ? error : new Error(String(error)));
    });
    return worker;
  }
}
