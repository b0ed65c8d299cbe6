import { getHeapStatistics } from 'node:v8';
import process from 'node:process';
import {
  TRACE_NOTE_QUERY_CHARACTERS_MAX,
  TRACE_QUERIES_CHARACTERS_MAX,
  TRACE_QUERY_CHARACTERS_MAX,
  TRACE_SLOW_MS,
  TRACE_SPANS_MAX,
  TRACE_TELL_MS,
} from '#base/trace-limits.ts';
import type { QueryRun } from '#graph/query/run.ts';
import { querySummary } from '../tracing/query-summary.ts';

/** What a worker tells of a call that it has run, as JSON. Times are in ms since its begin. */
export interface ToldTrace {
  readonly ms: number;
  /** Of the turns in which code of the endpoint was at work; null when it was not measured. */
  readonly cpuMs: number | null;
  /** The most that the heap of the worker had in use. */
  readonly heapBytes: number;
  readonly queries: readonly ToldQuery[];
  /** Reads and writes by operation. */
  readonly reads: readonly ToldReads[];
}

export interface ToldQuery extends Partial<QueryRun> {
  readonly startMs: number;
  readonly ms: number;
  /** See `querySummary`; empty for a query that was too long to be kept. */
  readonly summary: string;
  /** Of a query that failed. */
  readonly code?: string;
}

export interface ToldReads {
  readonly operation: string;
  readonly count: number;
  /** From the first to the end of the last; null when they were only counted. */
  readonly startMs: number | null;
  readonly ms: number | null;
  /** How long they took together. */
  readonly busyMs: number | null;
}

/**
 * What is written down at once, should its call not come back: a query with its JSON, which is
 * empty where it is long, or how many reads of another kind there were so far.
 */
export type NotedRead =
  | { readonly query: Omit<ToldQuery, 'summary'>; readonly payload: string }
  | { readonly operation: string; readonly count: number };

interface NotedQuery extends Omit<ToldQuery, 'summary' | 'startMs'> {
  readonly at: number;
  readonly payload: string | undefined;
}

interface Reads {
  count: number;
  first: number;
  last: number;
  busyMs: number;
}

// The realm is locked later on.
const threadCpuUsage = process.threadCpuUsage.bind(process);

/**
 * What a call reads, noted where its code runs. Every call is noted, as it may fail: but unless it
 * is traced anyway, only queries are timed, and reads of single nodes are counted.
 */
export class ReadTrace {
  /** Everything is timed, and told whatever comes of the call. */
  readonly isFull: boolean;
  readonly #startedAt: number;
  #queries: NotedQuery[] | undefined;
  #queryCharacters = 0;
  #reads: Map<string, Reads> | undefined;
  #cpuMs: number | null = null;
  /** What the thread had used when the turn began that it is in. */
  #resumedAt: number | undefined;
  #heapBytes = 0;
  #hasNews = false;
  /** When it is to be told what there is so far. */
  #tellAt: number;

  /** `startedAt` is a time of `performance.now()`. */
  constructor(isFull: boolean, startedAt: number) {
    this.isFull = isFull;
    this.#startedAt = startedAt;
    this.#tellAt = startedAt + TRACE_TELL_MS;
    this.resume();
  }

  /** When an operation begins; 0 when it is not timed. */
  begin(operation: string): number {
    return this.isFull || operation === 'query' ? performance.now() : 0;
  }

  /** A query has ended. `code` says why it failed. */
  query(
    at: number,
    payload: string,
    run: QueryRun | undefined,
    code?: string,
  ): NotedRead | undefined {
    this.#queries ??= [];
    this.#hasNews = true;
    const ms = performance.now() - at;
    if (this.#queries.length >= TRACE_SPANS_MAX) {
      return countNoted('query', this.#count('query', at, ms));
    }
    const isKept =
      payload.length <= TRACE_QUERY_CHARACTERS_MAX &&
      this.#queryCharacters + payload.length <= TRACE_QUERIES_CHARACTERS_MAX;
    if (isKept) this.#queryCharacters += payload.length;
    const failure = code === undefined ? {} : { code };
    this.#queries.push({ at, ms, payload: isKept ? payload : undefined, ...run, ...failure });
    const isNoted = payload.length <= TRACE_NOTE_QUERY_CHARACTERS_MAX;
    const query = { startMs: at - this.#startedAt, ms, ...run, ...failure };
    return { query, payload: isNoted ? payload : '' };
  }

  /** Another read, or a write, has ended; `at` is what `begin` gave. */
  operation(operation: string, at: number): NotedRead | undefined {
    const ms = at === 0 ? 0 : performance.now() - at;
    return countNoted(operation, this.#count(operation, at, ms));
  }

  /** Gives how many there were. */
  #count(operation: string, at: number, ms: number): number {
    this.#reads ??= new Map();
    this.#hasNews = true;
    const known = this.#reads.get(operation);
    if (known === undefined) {
      this.#reads.set(operation, { count: 1, first: at, last: at + ms, busyMs: ms });
      return 1;
    }
    known.count++;
    known.last = at + ms;
    known.busyMs += ms;
    return known.count;
  }

  /** Code of its endpoint is at work from now on. */
  resume(): void {
    if (this.isFull) this.#resumedAt = threadCpuMs();
  }

  pause(): void {
    if (this.#resumedAt === undefined) return;
    this.#cpuMs = (this.#cpuMs ?? 0) + threadCpuMs() - this.#resumedAt;
    this.#resumedAt = undefined;
    this.#heapBytes = Math.max(this.#heapBytes, usedHeapBytes());
  }

  /** JSON of what is to be told of it; undefined when that is nothing. */
  told(hasFailed: boolean): string | undefined {
    const ms = performance.now() - this.#startedAt;
    this.pause();
    return !this.isFull && !hasFailed && ms < TRACE_SLOW_MS ? undefined : this.#json(ms);
  }

  /**
   * The same of a call that goes on, now and then: should it be killed, this is what is known of
   * it.
   */
  toldSoFar(now: number): string | undefined {
    if (!this.#hasNews || now < this.#tellAt) return undefined;
    this.#hasNews = false;
    const ms = now - this.#startedAt;
    this.#tellAt = now + ms;
    return this.#json(ms);
  }

  #json(ms: number): string {
    const queries = (this.#queries ?? []).map(({ at, payload, ...query }): ToldQuery => {
      const summary = payload === undefined ? '' : querySummary(payload);
      return { ...query, startMs: at - this.#startedAt, summary };
    });
    const told: ToldTrace = {
      ms,
      cpuMs: this.#cpuMs,
      heapBytes: Math.max(this.#heapBytes, usedHeapBytes()),
      queries,
      reads: [...(this.#reads ?? [])].map(([operation, reads]) =>
        this.#toldReads(operation, reads),
      ),
    };
    return JSON.stringify(told);
  }

  #toldReads(operation: string, { count, first, last, busyMs }: Reads): ToldReads {
    if (first === 0) return { operation, count, startMs: null, ms: null, busyMs: null };
    return { operation, count, startMs: first - this.#startedAt, ms: last - first, busyMs };
  }
}

/** Of many, only that there were two, four, eight and so on: most calls do come back. */
function countNoted(operation: string, count: number): NotedRead | undefined {
  return (count & (count - 1)) === 0 ? { operation, count } : undefined;
}

/** Milliseconds of the processor that this thread has used. */
function threadCpuMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1_000;
}

function usedHeapBytes(): number {
  const { used_heap_size: used, external_memory: external } = getHeapStatistics();
  return used + external;
}
