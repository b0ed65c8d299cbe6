import type { List } from '@trellis/contract/shapes/list.ts';
import { LOG_LEVELS, type LogLevel } from '@trellis/contract/log-levels.ts';
import type {
  LiveLogRecord,
  LogCounts,
  LogFilter,
  LogRecord,
} from '@trellis/contract/shapes/log.ts';
import type { Clock } from '#base/clock.ts';
import {
  LOG_BATCH_LINES_MAX,
  LOG_KEPT_CHARACTERS_MAX,
  LOG_KEPT_LINES_MAX,
  LOG_SEARCH_TIME_MAX_MS,
} from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { RecentLines, type LineBatch } from '#base/recent-lines.ts';
import type { Direction, LineSpan, LogFile, LogFiles } from './log-files.ts';
import { headOf, lineMatcher, recordOf, timesOf } from './log-lines.ts';
import { LogCursor } from './log-cursor.ts';

/**
 * Where records come from. Without a folder for logs, there are only the last ones, in memory.
 */
export type LogSource = 'files' | 'memory';

/** \`total\` is a lower bound: larger than what was skipped and taken, when there is more. */
export interface LogSearchResult extends List<LogRecord> {
  readonly source: LogSource;
  /** False when the time of the search ran out first. */
  readonly isComplete: boolean;
  /** Of the page that comes next; null when all has been looked at. */
  readonly nextCursor: string | null;
}

export interface LogHistoryOptions {
  readonly clock: Clock;
  /** Undefined without a folder for logs. */
  readonly files: LogFiles | undefined;
  readonly linesMax?: number;
}

/**
 * The log of this server: to search, to watch, and to download. The lines contain no secrets,
 * because these were removed when the lines were written.
 */
export class LogHistory {
  readonly #options: LogHistoryOptions;
  readonly #recent: RecentLines<string>;

  constructor(options: LogHistoryOptions) {
    const { clock, linesMax = LOG_KEPT_LINES_MAX } = options;
    this.#options = options;
    this.#recent = new RecentLines({
      linesMax,
      charactersMax: LOG_KEPT_CHARACTERS_MAX,
      charactersOf: (line) => line.length,
      now: () => clock.now(),
    });
  }

  get source(): LogSource {
    return this.#options.files === undefined ? 'memory' : 'files';
  }

  /** Takes a line as the logger writes it. */
  write(line: string): void {
    this.#recent.push(line.trimEnd());
  }

  /** Newest first. */
  async files(): Promise<{ readonly source: LogSource; readonly items: LogFile[] }> {
    return { source: this.source, items: (await this.#options.files?.list()) ?? [] };
  }

  /** Newest first. It ends after LOG_SEARCH_TIME_MAX_MS. */
  async search(
    query: LogFilter & {
      readonly skip: number;
      readonly take: number;
      readonly cursor?: string | undefined;
    },
  ): Promise<LogSearchResult> {
    const { skip, take } = query;
    const cursor = new LogCursor(query.cursor);
    const { fromMs, toMs } = timesOf(query);
    const fits = lineMatcher(query);
    const items: LogRecord[] = [];
    let total = 0;
    const isEnough = (): boolean => total > skip + take;
    const span = { fromMs, toMs: cursor.before(toMs) };
    const isComplete = await this.#look(span, (lines) => {
      for (const line of lines) {
        const record = fits(line) ? recordOf(line) : undefined;
        if (record === undefined || cursor.isPassed(record)) continue;
        total++;
        if (isEnough()) return 'enough';
        cursor.pass(record);
        if (total > skip) items.push(record);
      }
      cursor.reach(lines.at(-1));
      return cursor.hasMoved ? 'more' : 'more at once';
    });
    const nextCursor = isEnough() || !isComplete ? cursor.toString() : null;
    return { source: this.source, isComplete, nextCursor, items, total, skip, take };
  }

  /** How many records there are, by time and level. It ends after LOG_SEARCH_TIME_MAX_MS. */
  async count(query: LogFilter & { readonly spans: number }): Promise<LogCounts> {
    const wanted = timesOf(query);
    const nowMs = this.#options.clock.now();
    const endMs = wanted.toMs ?? Math.max(nowMs + 1, (wanted.fromMs ?? 0) + 1);
    const toMs = Math.min(Math.max(endMs, FIRST_MS + 1), LAST_MS);
    const beginMs = wanted.fromMs ?? Math.min((await this.#oldestMs()) ?? nowMs, toMs - 1);
    const fromMs = Math.min(Math.max(beginMs, FIRST_MS), LAST_MS - 1);
    const spanMs = Math.ceil((toMs - fromMs) / query.spans);
    const counts = Array.from({ length: Math.ceil((toMs - fromMs) / spanMs) }, noCounts);
    const fits = lineMatcher(query);
    let countedFromMs = toMs;
    const isComplete = await this.#look({ fromMs, toMs }, (lines) => {
      for (const line of lines) {
        const head = headOf(line);
        if (head === undefined || !fits(line)) continue;
        const span = counts[Math.floor((Date.parse(head.at) - fromMs) / spanMs)];
        if (span !== undefined) span[head.level]++;
      }
      countedFromMs = msOf(lines.at(-1)) ?? countedFromMs;
      return 'more';
    });
    return {
      source: this.source,
      from: isoOf(fromMs),
      to: isoOf(toMs),
      spanMs,
      isComplete,
      countedFrom: isoOf(isComplete ? fromMs : countedFromMs),
      spans: counts.map((span, at) => ({ at: isoOf(fromMs + at * spanMs), counts: span })),
    };
  }

  /**
   * Hands out all lines of a span of time, newest first, until `take` answers that it has enough.
   * False when the time of a search ran out first; `more at once` is not subject to that.
   */
  async #look(
    span: LineSpan,
    take: (lines: readonly string[]) => 'enough' | 'more' | 'more at once',
  ): Promise<boolean> {
    const { clock, files } = this.#options;
    const deadline = clock.now() + LOG_SEARCH_TIME_MAX_MS;
    for await (const lines of files?.lines('backward', span) ??
      this.#recentBlocks('backward', span)) {
      const wanted = take(lines);
      if (wanted === 'enough') return true;
      if (wanted === 'more' && clock.now() >= deadline) return false;
    }
    return true;
  }

  async #oldestMs(): Promise<number | undefined> {
    const blocks = this.#options.files?.lines('forward', {}) ?? this.#recentBlocks('forward', {});
    for await (const lines of blocks) {
      for (const line of lines) {
        const ms = msOf(line);
        if (ms !== undefined) return ms;
      }
    }
    return undefined;
  }

  /**
   * The records after the given one, or only new ones, until the signal aborts or the time `to` has
   * passed.
   */
  watch(
    filter: LogFilter,
    from: { readonly after: number | undefined; readonly signal: AbortSignal },
  ): AsyncIterable<LineBatch<LiveLogRecord>> {
    const fits = lineMatcher(filter);
    const endMs = filter.to === undefined ? Infinity : Date.parse(filter.to);
    return this.#recent.watch({ ...from, endMs, take: LOG_BATCH_LINES_MAX }, (line, sequence) => {
      const record = fits(line) ? recordOf(line) : undefined;
      return record === undefined ? undefined : { sequence, ...record };
    });
  }

  /**
   * The lines that fit, oldest first, each with its newline. Throws `log_file_not_found` before the
   * first line.
   */
  async *download(
    wanted: LogFilter & { readonly fileNames?: readonly string[] | undefined },
  ): AsyncGenerator<string> {
    const { fileNames: names, ...filter } = wanted;
    const span = timesOf(filter);
    const fits = lineMatcher(filter);
    const { files } = this.#options;
    if (files === undefined && names !== undefined) {
      throw new Problem(
        'log_file_not_found',
        'This server writes no log files: MSK_LOG_PATH is not set.',
      );
    }
    const blocks =
      files?.lines('forward', { names, ...span }) ?? this.#recentBlocks('forward', span);
    for await (const lines of blocks) {
      const found = lines.filter(fits);
      if (found.length > 0) yield `${found.join('\n')}\n`;
    }
  }

  *#recentBlocks(direction: Direction, span: LineSpan): Generator<string[]> {
    const { fromMs = -Infinity, toMs = Infinity } = span;
    const lines = [...this.#recent.newestFirst()]
      .map(([line]) => line)
      .filter((line) => {
        const ms = msOf(line) ?? fromMs;
        return ms >= fromMs && ms < toMs;
      });
    yield direction === 'forward' ? lines.toReversed() : lines;
  }
}

function msOf(line: string | undefined): number | undefined {
  const head = line === undefined ? undefined : headOf(line);
  return head === undefined ? undefined : Date.parse(head.at);
}

/** Other times are not written with a year of four digits, as answers have them. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

function noCounts(): Record<LogLevel, number> {
  return Object.fromEntries(LOG_LEVELS.map((level) => [level, 0])) as Record<LogLevel, number>;
}
