import type { Worker } from 'node:worker_threads';
import {
  SEARCH_BUILD_NODES_MIN,
  SEARCH_BUILD_REST_MS,
  SEARCH_BUILD_TASK_NODES_MIN,
  SEARCH_WAITING_DOCUMENTS_MAX,
} from '#base/search-limits.ts';
import type { BuildTask, BuiltSegment } from '#search/indexing/build-segments.ts';
import type { SegmentThreads } from '#search/indexing/range-builds.ts';
import { startThread } from '../start-thread.ts';
import { errorOf, type ThreadFailure } from '../thread-failure.ts';

/** What such a thread is started with. */
export interface BuildOptions {
  readonly storage: string;
  /** Of the graph. */
  readonly environmentKey: string | undefined;
  /** Of `Followers`: how far the state is. */
  readonly followers: SharedArrayBuffer;
}

export type ToBuild =
  | { readonly kind: 'build'; readonly task: BuildTask }
  /** It is told when the thread has stopped to build, as when it is done. */
  | { readonly kind: 'cancel' }
  | { readonly kind: 'close' };

export type FromBuild =
  | { readonly kind: 'built'; readonly segment: BuiltSegment }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: ThreadFailure };

interface BuildThreadsParts extends BuildOptions {
  readonly count: number;
  readonly memoryBytesMax: number;
  readonly note: (text: string) => void;
  /** How long they stay when there is nothing to do. */
  readonly restMs?: number;
}

interface Running {
  readonly onBuilt: (segment: BuiltSegment) => void;
  readonly done: PromiseWithResolvers<void>;
}

interface Thread {
  readonly worker: Worker;
  readonly exited: PromiseWithResolvers<void>;
  running: Running | undefined;
}

/**
 * Threads that make segments of many nodes, for the one that indexes: they start when there is something to do, go after those that
 * serve when processors are few, and end a while after an index is built. Who tries settings builds several in a row, and a thread that
 * has built one is twice as fast as a new one at first.
 */
export class BuildThreads implements SegmentThreads, AsyncDisposable {
  readonly count: number;
  readonly memoryBytesMax: number;
  readonly nodesMin = SEARCH_BUILD_NODES_MIN;
  readonly taskNodesMin = SEARCH_BUILD_TASK_NODES_MIN;
  readonly taskNodesMax = SEARCH_WAITING_DOCUMENTS_MAX;
  readonly note: (text: string) => void;
  readonly #options: BuildOptions;
  readonly #start: typeof startThread;
  readonly #restMs: number;
  #ending: NodeJS.Timeout | undefined;
  readonly #threads = new Set<Thread>();
  /** Resolved when a thread has nothing to do any more. */
  #freed = Promise.withResolvers<void>();

  constructor(
    { storage, environmentKey, followers, ...parts }: BuildThreadsParts,
    start = startThread,
  ) {
    this.#options = { storage, environmentKey, followers };
    this.count = parts.count;
    this.memoryBytesMax = parts.memoryBytesMax;
    this.note = parts.note;
    this.#restMs = parts.restMs ?? SEARCH_BUILD_REST_MS;
    this.#start = start;
  }

  async build(
    task: BuildTask,
    onBuilt: (segment: BuiltSegment) => void,
    signal: AbortSignal,
  ): Promise<void> {
    clearTimeout(this.#ending);
    let thread = this.#free();
    while (thread === undefined) {
      // One that was told to stop a moment ago.
      await this.#freed.promise;
      signal.throwIfAborted();
      thread = this.#free();
    }
    const { worker } = thread;
    const done = Promise.withResolvers<void>();
    thread.running = { onBuilt, done };
    const cancel = (): void => worker.postMessage({ kind: 'cancel' } satisfies ToBuild);
    signal.addEventListener('abort', cancel, { once: true });
    worker.postMessage({ kind: 'build', task } satisfies ToBuild);
    try {
      await done.promise;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
    signal.throwIfAborted();
  }

  rest(): void {
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => this.#closeAll(), this.#restMs).unref();
  }

  /** Resolves when nobody reads the store any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    const exits = [...this.#threads].map(({ exited }) => exited.promise);
    clearTimeout(this.#ending);
    this.#closeAll();
    await Promise.all(exits);
  }

  #closeAll(): void {
    for (const thread of this.#threads) this.#close(thread);
  }

  #free(): Thread | undefined {
    for (const thread of this.#threads) if (thread.running === undefined) return thread;
    return this.#threads.size < this.count ? this.#begin() : undefined;
  }

  #begin(): Thread {
    const worker = this.#start(new URL('./build-worker.ts', import.meta.url), this.#options);
    const exited = Promise.withResolvers<void>();
    const thread: Thread = { worker, exited, running: undefined };
    this.#threads.add(thread);
    worker.on('message', (message: FromBuild) => this.#receive(thread, message));
    worker.on('error', (error) => this.#end(thread, error));
    worker.on('exit', (code) => {
      this.#end(thread, new Error(`a thread that builds the index ended with ${code}`));
      exited.resolve();
    });
    return thread;
  }

  #receive(thread: Thread, message: FromBuild): void {
    if (message.kind === 'built') {
      thread.running?.onBuilt(message.segment);
      return;
    }
    const { running } = thread;
    thread.running = undefined;
    if (message.kind === 'done') running?.done.resolve();
    else running?.done.reject(errorOf(message.failure));
    this.#tellFreed();
  }

  #close(thread: Thread): void {
    this.#threads.delete(thread);
    thread.worker.postMessage({ kind: 'close' } satisfies ToBuild);
  }

  #end(thread: Thread, error: unknown): void {
    this.#threads.delete(thread);
    thread.running?.done.reject(error);
    thread.running = undefined;
    this.#tellFreed();
  }

  #tellFreed(): void {
    this.#freed.resolve();
    this.#freed = Promise.withResolvers();
  }
}
