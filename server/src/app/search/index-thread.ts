import { type Clock, systemClock } from '#base/clock.ts';
import {
  SEARCH_OPENING_WAIT_MS,
  SEARCH_RESTART_DELAY_MAX_MS,
  SEARCH_RESTART_DELAY_MS,
  SEARCH_RESTARTS_MAX,
  SEARCH_RESTARTS_WINDOW_MS,
} from '#base/search-limits.ts';
import { Followers } from '#log/followers.ts';
import { degraded, failed, OK, type PartState } from '#observe/health.ts';
import type { Logger } from '#observe/logger.ts';
import type { WantedText, WantedTexts } from '#search/embeddings/embed-texts.ts';
import type { IndexState, SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import { type startThread, Thread } from '../threads/thread.ts';
import type { IndexOptions } from './index-options.ts';

/** Options of one of the threads that index one after the other. */
export interface IndexThreadOptions extends IndexOptions {
  /** Threads that search know the segments of earlier threads by smaller numbers. */
  readonly firstSegment: number;
}

/** The calls that the thread that indexes answers. */
export interface IndexCalls {
  /** Looks for embeddings that no text has any more, which `unused` names. */
  sweep(): void;
  /** `texts` follows as soon as there are some; a second call takes the place of the first. */
  nextTexts(max: number): void;
  retryRefused(): void;
  giveBack(returned: ReturnedTexts): void;
  /** Answered once it indexes no more. */
  close(): void;
}

export interface ReturnedTexts {
  readonly keys: readonly string[];
  readonly as: 'again' | 'refused';
}

/** The calls that it makes to the thread that started it. */
export interface IndexNotices {
  /** There is something new to be found. */
  snapshot(snapshot: SearchSnapshot): void;
  unused(keys: readonly string[]): void;
  texts(texts: readonly WantedText[]): void;
  note(note: { readonly level: 'debug' | 'info' | 'warn'; readonly text: string }): void;
}

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

interface Asked {
  readonly max: number;
  readonly texts: PromiseWithResolvers<readonly WantedText[]>;
}

/**
 * The thread that indexes, as the others see it. The workspace goes on without it: then nothing new
 * is found. A thread that ends by itself is followed by another one, which goes on from the files
 * and the log; a few times within an hour.
 */
export class IndexThread implements WantedTexts, AsyncDisposable {
  readonly #options: IndexOptions;
  readonly #logger: Logger;
  readonly #start: typeof startThread | undefined;
  readonly #restarts = new RestartRule(systemClock);
  readonly #listeners = new Set<(snapshot: SearchSnapshot) => void>();
  #thread: Thread<IndexCalls, IndexNotices> | undefined;
  #restart: NodeJS.Timeout | undefined;
  #nextSegment = 1;
  #state = NOTHING_YET;
  #newest: SearchSnapshot | undefined;
  #isClosing = false;
  #isLost = false;
  #asked: Asked | undefined;
  #onUnused: (keys: readonly string[]) => void = () => {};
  readonly #opened = Promise.withResolvers<void>();

  constructor(options: IndexOptions, logger: Logger, start?: typeof startThread) {
    this.#options = options;
    this.#logger = logger;
    this.#start = start;
    this.#begin();
  }

  get state(): IndexState {
    return this.#state;
  }

  /**
   * Resolves when what was saved can be searched: at once where nothing was, whatever is built
   * again from then on. After SEARCH_OPENING_WAIT_MS nobody waits for it any more, nor for a thread
   * that ends again and again.
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
    return this.#thread === undefined ? degraded('thread_restarting') : OK;
  }

  /** Calls the listener with what can be found, now and from now on, until it is disposed of. */
  onSnapshot(listener: (snapshot: SearchSnapshot) => void): Disposable {
    this.#listeners.add(listener);
    if (this.#newest !== undefined) listener(this.#newest);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async next(max: number, signal: AbortSignal): Promise<readonly WantedText[]> {
    signal.throwIfAborted();
    const asked = (this.#asked = { max, texts: Promise.withResolvers() });
    const leave = (): void => asked.texts.reject(signal.reason);
    signal.addEventListener('abort', leave);
    this.#thread?.tell('nextTexts', max);
    try {
      return await asked.texts.promise;
    } finally {
      signal.removeEventListener('abort', leave);
      if (this.#asked === asked) this.#asked = undefined;
    }
  }

  retryRefused(): void {
    this.#thread?.tell('retryRefused');
  }

  /** Looks for embeddings that no text has any more; names them some at a time. */
  sweep(onUnused: (keys: readonly string[]) => void): void {
    this.#onUnused = onUnused;
    this.#thread?.tell('sweep');
  }

  giveBack(keys: readonly string[], as: ReturnedTexts['as']): void {
    this.#thread?.tell('giveBack', { keys, as });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    this.#opened.resolve();
    clearTimeout(this.#restart);
    const thread = this.#thread;
    // A thread that has ended meanwhile is closed as well.
    await thread?.ask('close').catch(() => undefined);
    await thread?.terminate();
  }

  #begin(): void {
    const options: IndexThreadOptions = { ...this.#options, firstSegment: this.#nextSegment };
    const thread = new Thread<IndexCalls, IndexNotices>({
      name: 'the thread that indexes',
      file: new URL('./index-worker.ts', import.meta.url),
      data: options,
      start: this.#start,
      handlers: {
        snapshot: (snapshot) => this.#show(snapshot),
        unused: (keys) => this.#onUnused(keys),
        texts: (texts) => this.#deliver(texts),
        note: ({ level, text }) => this.#logger[level](text),
      },
    });
    this.#thread = thread;
    void thread.exited.then((why) => this.#ended(why));
    // What is still asked for is asked of this one.
    if (this.#asked !== undefined) thread.tell('nextTexts', this.#asked.max);
  }

  #ended(error: Error): void {
    this.#thread = undefined;
    if (this.#isClosing) return;
    const delayMs = this.#restarts.next();
    if (delayMs === undefined) {
      this.#isLost = true;
      this.#opened.resolve();
      const followers = new Followers(this.#options.followers);
      for (const kind of ['text index', 'vector index'] as const) followers.release(kind);
      this.#logger.error(
        { err: error },
        'nothing new is found by search until the server is started again',
      );
      return;
    }
    this.#logger.warn(
      { err: error },
      'the thread that indexes has ended: the next one starts soon',
    );
    this.#restart = setTimeout(() => this.#begin(), delayMs);
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

  /** An index that is built again is shown when it is whole, where there was a whole one before. */
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
}

/**
 * When a thread that ended by itself is started again: later each time, and only so often within an
 * hour.
 */
export class RestartRule {
  readonly #clock: Clock;
  #timesMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds to wait before the start that is due now; undefined when there were too many. */
  next(): number | undefined {
    const now = this.#clock.now();
    this.#timesMs = this.#timesMs.filter((time) => time > now - SEARCH_RESTARTS_WINDOW_MS);
    const count = this.#timesMs.length;
    if (count >= SEARCH_RESTARTS_MAX) return undefined;
    this.#timesMs.push(now);
    return Math.min(SEARCH_RESTART_DELAY_MAX_MS, SEARCH_RESTART_DELAY_MS * 4 ** count);
  }
}
