import type { Worker } from 'node:worker_threads';
import { systemClock } from '#base/clock.ts';
import { SEARCH_OPENING_WAIT_MS } from '#base/search-limits.ts';
import { Followers } from '#log/followers.ts';
import type { Logger } from '#observe/logger.ts';
import { degraded, failed, OK, type PartState } from '#observe/health.ts';
import type { IndexState, SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import type { WantedText, WantedTexts } from '#search/embeddings/embed-texts.ts';
import { startThread } from '../start-thread.ts';
import { errorOf } from '../thread-failure.ts';
import type { FromIndex, IndexOptions, IndexThreadOptions, ToIndex } from './index-messages.ts';
import { RestartRule } from './restart-rule.ts';

const NOTHING_YET: IndexState = {
  sequence: null,
  documents: 0,
  segments: 0,
  bytes: 0,
  bytesOnDisk: 0,
  rebuild: null,
  vectors: [],
  texts: { waiting: 0, refused: 0 },
};

interface Run {
  readonly worker: Worker;
  readonly closed: PromiseWithResolvers<void>;
}

interface Asked {
  readonly max: number;
  readonly texts: PromiseWithResolvers<readonly WantedText[]>;
}

/**
 * The thread that indexes, as the others see it. The workspace goes on without it: then nothing new is found. A thread that
 * ends by itself is followed by another one, which goes on from the files and the log; a few times within an hour.
 */
export class IndexThread implements WantedTexts, AsyncDisposable {
  readonly #options: IndexOptions;
  readonly #logger: Logger;
  readonly #start: typeof startThread;
  readonly #restarts = new RestartRule(systemClock);
  readonly #listeners: ((snapshot: SearchSnapshot) => void)[] = [];
  #run: Run | undefined;
  #restart: NodeJS.Timeout | undefined;
  #nextSegment = 1;
  #state = NOTHING_YET;
  #newest: SearchSnapshot | undefined;
  #isClosing = false;
  #isLost = false;
  #asked: Asked | undefined;
  #onUnused: (keys: readonly string[]) => void = () => {};
  readonly #opened = Promise.withResolvers<void>();

  constructor(options: IndexOptions, logger: Logger, start = startThread) {
    this.#options = options;
    this.#logger = logger;
    this.#start = start;
    this.#begin();
  }

  get state(): IndexState {
    return this.#state;
  }

  /**
   * Resolves when what was saved can be searched: at once where nothing was, whatever is built anew from then on. After
   * SEARCH_OPENING_WAIT_MS nobody waits for it any more, nor for a thread that ends again and again.
   */
  async opened(): Promise<void> {
    const waited = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#logger.warn(
        'the saved search index takes long to open: searches are refused until it is',
      );
      waited.resolve();
    }, SEARCH_OPENING_WAIT_MS);
    await Promise.race([this.#opened.promise, waited.promise]);
    clearTimeout(timer);
  }

  /** Whether it has ended so often that there will be no other one. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** How it is, for whoever looks after the server. */
  condition(): PartState {
    if (this.#isLost) return failed('thread_ended');
    return this.#run === undefined ? degraded('thread_restarting') : OK;
  }

  /** Calls the listener with what can be found, now and from now on. */
  onSnapshot(listener: (snapshot: SearchSnapshot) => void): void {
    this.#listeners.push(listener);
    if (this.#newest !== undefined) listener(this.#newest);
  }

  async next(max: number, signal: AbortSignal): Promise<readonly WantedText[]> {
    signal.throwIfAborted();
    const asked = (this.#asked = { max, texts: Promise.withResolvers() });
    const leave = (): void => asked.texts.reject(signal.reason);
    signal.addEventListener('abort', leave);
    this.#post({ kind: 'next-texts', max });
    try {
      return await asked.texts.promise;
    } finally {
      signal.removeEventListener('abort', leave);
      if (this.#asked === asked) this.#asked = undefined;
    }
  }

  retryRefused(): void {
    this.#post({ kind: 'retry-refused' });
  }

  /** Looks for embeddings that no text has any more; names them some at a time. */
  sweep(onUnused: (keys: readonly string[]) => void): void {
    this.#onUnused = onUnused;
    this.#post({ kind: 'sweep' });
  }

  giveBack(keys: readonly string[], as: 'again' | 'refused'): void {
    this.#post({ kind: 'give-back', keys, as });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    this.#opened.resolve();
    clearTimeout(this.#restart);
    if (this.#run === undefined) return;
    const { worker, closed } = this.#run;
    this.#post({ kind: 'close' });
    await closed.promise;
    await worker.terminate();
  }

  #begin(): void {
    const options: IndexThreadOptions = { ...this.#options, firstSegment: this.#nextSegment };
    const worker = this.#start(new URL('./index-worker.ts', import.meta.url), options);
    const closed = Promise.withResolvers<void>();
    this.#run = { worker, closed };
    worker.on('message', (message: FromIndex) => this.#receive(message));
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', (code) => {
      closed.resolve();
      this.#ended(code);
    });
    // What is still asked for is asked of this one.
    if (this.#asked !== undefined) this.#post({ kind: 'next-texts', max: this.#asked.max });
  }

  #ended(code: number): void {
    this.#run = undefined;
    if (this.#isClosing) return;
    const delayMs = this.#restarts.next();
    if (delayMs === undefined) {
      this.#isLost = true;
      this.#opened.resolve();
      const followers = new Followers(this.#options.followers);
      for (const kind of ['text index', 'vector index'] as const) followers.release(kind);
      this.#logger.error('nothing new is found by search until the server is started again');
      return;
    }
    this.#logger.warn(`the thread that indexes ended with ${code}: the next one starts soon`);
    this.#restart = setTimeout(() => this.#begin(), delayMs);
  }

  #post(message: ToIndex): void {
    this.#run?.worker.postMessage(message);
  }

  /** When nobody wants them any more, others will. */
  #deliver(texts: readonly WantedText[]): void {
    const asked = this.#asked;
    this.#asked = undefined;
    if (asked !== undefined) asked.texts.resolve(texts);
    else
      this.giveBack(
        texts.map(({ key }) => key),
        'again',
      );
  }

  #receive(message: FromIndex): void {
    switch (message.kind) {
      case 'snapshot':
        this.#show(message.snapshot);
        return;
      case 'unused':
        this.#onUnused(message.keys);
        return;
      case 'texts':
        this.#deliver(message.texts);
        return;
      case 'note':
        this.#logger[message.level](message.text);
        return;
      case 'failed':
        this.#fail(errorOf(message.failure));
        return;
      case 'closed':
        this.#run?.closed.resolve();
    }
  }

  /** An index that is built anew is shown when it is whole, where there was a whole one before. */
  #show(snapshot: SearchSnapshot): void {
    const { state, view } = snapshot;
    this.#state = state;
    for (const { id } of view.parts) this.#nextSegment = Math.max(this.#nextSegment, id + 1);
    const hasWhole = this.#newest !== undefined && this.#newest.state.sequence !== null;
    if (state.sequence === null && hasWhole) return;
    this.#newest = snapshot;
    for (const listener of this.#listeners) listener(snapshot);
    this.#opened.resolve();
  }

  #fail(error: unknown): void {
    if (!this.#isClosing) this.#logger.error({ err: error }, 'nothing new is found by search');
  }
}
