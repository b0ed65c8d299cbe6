import { Worker } from 'node:worker_threads';
import {
  ENDPOINT_SEARCH_STUCK_MS,
  SEARCH_CALLERS_KNOWN_MAX,
  SEARCH_HEAVY_MS,
} from '#base/endpoint-limits.ts';
import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import type { CallSignal } from './endpoint-call.ts';
import { FrameWriter } from './frame.ts';

export interface SearchThreadSetup {
  readonly storage: string;
  readonly environmentKey: string | undefined;
}

/**
 * To a thread that searches for the code of endpoints: what can be found, or a frame of asks (see
 * `frame.ts`).
 */
export type ToSearchThread = SearchSnapshot | string;

/**
 * Items of frames to it, after the length of the payload: `ask`, number, operation, length of the
 * caller. Payload: JSON of the caller, then that of the arguments. It answers each with one text:
 * number, the sequence of the commit that it shows, `+` or `-`, and JSON of the value or of the
 * problem, with a space after each number.
 */
export type SearchAsk = readonly [
  number,
  'ask',
  id: number,
  operation: string,
  callerLength: number,
];

/** Something that is searched for, by the code of an endpoint or over HTTP. */
export interface Search {
  /** JSON of the caller, whom the main thread knows. */
  readonly caller: string;
  /** See `budgetKey`. */
  readonly budget: string;
  /** Whether anybody still waits for it. */
  readonly signal: CallSignal;
  readonly operation: string;
  /** JSON that the guest made. */
  readonly payload: string;
  /** A time of `performance.now()`. */
  readonly deadline: number;
}

export interface AskedSearch extends Search {
  /** How often a thread ended under it. */
  retries: number;
  resolve(answer: SearchReply): void;
  reject(reason: unknown): void;
}

export interface SearchReply {
  readonly isValue: boolean;
  /** Of the commit whose nodes it shows. */
  readonly sequence: number;
  readonly json: string;
}

interface SearchThreadEvents {
  onReady(): void;
  /** It took so many milliseconds. */
  onAnswer(search: AskedSearch, ms: number): void;
  /** Told what has no answer when it ends by itself. */
  onEnd(thread: SearchThread, reason: Error, asked: readonly AskedSearch[]): void;
}

/**
 * One thread that searches, as the main thread sees it. It answers in the order in which it is
 * asked.
 */
export class SearchThread {
  readonly #worker: Worker;
  readonly #outbox = new FrameWriter();
  readonly #asked = new Map<number, AskedSearch>();
  #lastId = 0;
  #hasEnded = false;
  #isReady = false;
  /**
   * It can be ended without harm: LMDB ends the whole process when it is interrupted while it
   * opens.
   */
  readonly #opened = Promise.withResolvers<void>();
  #answered = performance.now();

  readonly #events: SearchThreadEvents;

  constructor(setup: SearchThreadSetup, events: SearchThreadEvents) {
    this.#events = events;
    this.#worker = new Worker(new URL('./search-worker.ts', import.meta.url), {
      workerData: setup,
      env: {},
    });
    const end = (reason: Error): void => {
      this.#opened.resolve();
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      events.onEnd(this, reason, [...this.#asked.values()]);
    };
    this.#worker.on('message', (text: string) => this.#receive(text));
    this.#worker.on('error', (error) =>
      end(error instanceof Error ? error : new Error(String(error))),
    );
    this.#worker.on('exit', (code) => end(new Error(`the thread exited with code ${code}`)));
  }

  /** How much it has to do. */
  get size(): number {
    return this.#asked.size;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** `caller`: its `budgetKey`. */
  hasSearchesOf(caller: string): boolean {
    for (const { budget } of this.#asked.values()) if (budget === caller) return true;
    return false;
  }

  receive(snapshot: SearchSnapshot): void {
    this.#post(snapshot);
  }

  ask(search: AskedSearch): void {
    const id = ++this.#lastId;
    if (this.#asked.size === 0) this.#answered = performance.now();
    this.#asked.set(id, search);
    if (this.#outbox.isEmpty) setImmediate(() => this.#flush());
    const { caller, operation, payload } = search;
    const item = `"ask",${id},${JSON.stringify(operation)},${caller.length}`;
    this.#outbox.push(item, caller + payload);
  }

  /** What is at work belongs to a call that is over, for so long that it will not end soon. */
  isStuck(now: number): boolean {
    const [first] = this.#asked.values();
    if (first === undefined || !this.#isReady) return false;
    return now > first.deadline && now - this.#answered > ENDPOINT_SEARCH_STUCK_MS;
  }

  /** Ends it; gives what has no answer, the one at work first. */
  terminate(): readonly AskedSearch[] {
    this.#hasEnded = true;
    void this.#worker.terminate();
    return [...this.#asked.values()];
  }

  async close(): Promise<void> {
    this.#hasEnded = true;
    await this.#opened.promise;
    await this.#worker.terminate();
  }

  #receive(text: string): void {
    if (text === 'ready') this.#opened.resolve();
    if (this.#hasEnded) return;
    if (text === 'ready') {
      this.#isReady = true;
      this.#answered = performance.now();
      this.#events.onReady();
      return;
    }
    const space = text.indexOf(' ');
    const id = Number(text.slice(0, space));
    const search = this.#asked.get(id);
    if (search === undefined) return;
    this.#asked.delete(id);
    const before = this.#answered;
    this.#answered = performance.now();
    const next = text.indexOf(' ', space + 1);
    const sequence = Number(text.slice(space, next));
    search.resolve({ isValue: text[next + 1] === '+', sequence, json: text.slice(next + 2) });
    this.#events.onAnswer(search, this.#answered - before);
  }

  #flush(): void {
    if (!this.#outbox.isEmpty) this.#post(this.#outbox.take());
  }

  #post(message: ToSearchThread): void {
    if (!this.#hasEnded) this.#worker.postMessage(message);
  }
}

/** What the last search counts of how long those of a caller take. */
const WEIGHT = 0.3;

/** Searches that wait for a thread: callers take turns, however much each of them asks for. */
export class SearchLines {
  /** By caller; whose turn comes next is first. */
  readonly #lines = new Map<string, AskedSearch[]>();
  /** By caller: how long a search takes, in milliseconds. The newest is last. */
  readonly #costs = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** How many asks of one caller wait. */
  waiting(caller: string): number {
    return this.#lines.get(caller)?.length ?? 0;
  }

  push(search: AskedSearch): void {
    this.#lineOf(search).push(search);
  }

  /** Before what its caller asked later. */
  putBack(search: AskedSearch): void {
    this.#lineOf(search).unshift(search);
  }

  /** Gives each caller's next search to `begin` in turn, until it takes none of them. */
  advance(begin: (search: AskedSearch) => boolean): void {
    // One that goes back to the end of the line is seen again.
    for (const [caller, line] of this.#lines) {
      const [search] = line;
      if (search === undefined || !begin(search)) continue;
      line.shift();
      this.#lines.delete(caller);
      if (line.length > 0) this.#lines.set(caller, line);
    }
  }

  /** Lets go of those that nobody waits for any more, and tells them so. */
  drop(reasonFor: (search: AskedSearch) => unknown): void {
    for (const [caller, line] of this.#lines) {
      const left = line.filter((search) => {
        const reason = reasonFor(search);
        if (reason !== undefined) search.reject(reason);
        return reason === undefined;
      });
      if (left.length > 0) this.#lines.set(caller, left);
      else this.#lines.delete(caller);
    }
  }

  /** A search took so long. */
  note({ budget }: AskedSearch, ms: number): void {
    const before = this.#costs.get(budget) ?? ms;
    this.#costs.delete(budget);
    this.#costs.set(budget, before + (ms - before) * WEIGHT);
    const [oldest] = this.#costs.keys();
    if (this.#costs.size > SEARCH_CALLERS_KNOWN_MAX) this.#costs.delete(oldest ?? '');
  }

  /** Whether the searches of a caller take so long that others would wait for them. */
  isHeavy(caller: string): boolean {
    return (this.#costs.get(caller) ?? 0) >= SEARCH_HEAVY_MS;
  }

  #lineOf({ budget }: AskedSearch): AskedSearch[] {
    let line = this.#lines.get(budget);
    if (line === undefined) {
      line = [];
      this.#lines.set(budget, line);
    }
    return line;
  }
}
