import {
  SEARCH_BUILD_NODES_MIN,
  SEARCH_BUILD_REST_MS,
  SEARCH_BUILD_TASK_NODES_MIN,
  SEARCH_WAITING_DOCUMENTS_MAX,
} from '#base/search-limits.ts';
import type { BuildTask, BuiltSegment } from '#search/indexing/build-segments.ts';
import type { SegmentThreads } from '#search/indexing/rebuild.ts';
import type { MergeTask } from '#search/text/text-index.ts';
import { type startThread, Thread } from '../threads/thread.ts';

/** The data that a thread that builds is started with. */
export interface BuildThreadOptions {
  readonly storage: string;
  /** The key of the graph. */
  readonly environmentKey: string | undefined;
  /** The memory of `Followers`, which tells how far the state is. */
  readonly followers: SharedArrayBuffer;
}

export interface BuildCalls {
  /** One at a time; ends early when it is cancelled. */
  build(task: BuildTask, built: BuiltSegment): void;
  /** The thread ends once it builds nothing. */
  close(): void;
}

interface BuildThreadsParts extends BuildThreadOptions {
  readonly count: number;
  readonly memoryBytesMax: number;
  readonly note: (text: string) => void;
  /** How long they stay when there is nothing to do. */
  readonly restMs?: number;
}

type BuildThread = Thread<BuildCalls, object>;

/**
 * Threads that make segments of many nodes, for the one that indexes: they start when there is
 * something to do, go after those that serve when processors are few, and end a while after an
 * index is built. Who tries settings builds several in a row, and a thread that has built one is
 * twice as fast as a new one at first.
 */
export class BuildThreads implements SegmentThreads, AsyncDisposable {
  readonly count: number;
  readonly memoryBytesMax: number;
  readonly nodesMin = SEARCH_BUILD_NODES_MIN;
  readonly taskNodesMin = SEARCH_BUILD_TASK_NODES_MIN;
  readonly taskNodesMax = SEARCH_WAITING_DOCUMENTS_MAX;
  readonly note: (text: string) => void;
  readonly #options: BuildThreadOptions;
  readonly #start: typeof startThread | undefined;
  readonly #restMs: number;
  #ending: NodeJS.Timeout | undefined;
  readonly #threads = new Set<BuildThread>();
  readonly #busy = new Set<BuildThread>();
  /** Resolved when a thread has nothing to do any more. */
  #freed = Promise.withResolvers<void>();

  constructor(
    { storage, environmentKey, followers, ...parts }: BuildThreadsParts,
    start?: typeof startThread,
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
      // All are busy: one may still be ending a build that was cancelled a moment ago.
      await this.#freed.promise;
      signal.throwIfAborted();
      thread = this.#free();
    }
    this.#busy.add(thread);
    try {
      // When it is cancelled the thread is told, and is free once it has stopped to build.
      await thread.ask('build', task, { signal, onProgress: onBuilt });
    } finally {
      this.#busy.delete(thread);
      this.#tellFreed();
    }
    signal.throwIfAborted();
  }

  rest(): void {
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => this.#closeAll(), this.#restMs).unref();
  }

  /** Resolves when nobody reads the store any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    const exits = [...this.#threads].map(({ exited }) => exited);
    clearTimeout(this.#ending);
    this.#closeAll();
    await Promise.all(exits);
  }

  #closeAll(): void {
    for (const thread of this.#threads) this.#close(thread);
  }

  #free(): BuildThread | undefined {
    for (const thread of this.#threads) if (!this.#busy.has(thread)) return thread;
    return this.#threads.size < this.count ? this.#begin() : undefined;
  }

  #begin(): BuildThread {
    const thread: BuildThread = new Thread<BuildCalls, object>({
      name: 'a thread that builds the index',
      file: new URL('./build-worker.ts', import.meta.url),
      data: this.#options,
      start: this.#start,
      handlers: {},
      onEnd: () => {
        this.#threads.delete(thread);
        this.#tellFreed();
      },
    });
    this.#threads.add(thread);
    return thread;
  }

  #close(thread: BuildThread): void {
    this.#threads.delete(thread);
    thread.tell('close');
  }

  #tellFreed(): void {
    this.#freed.resolve();
    this.#freed = Promise.withResolvers();
  }
}

/** The data that the thread that merges is started with. */
export interface MergeThreadOptions {
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
  readonly #options: MergeThreadOptions;
  readonly #start: typeof startThread | undefined;
  #thread: Thread<MergeCalls, object> | undefined;

  constructor(options: MergeThreadOptions, start?: typeof startThread) {
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
