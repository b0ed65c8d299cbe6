import type { List } from '@trellis/contract/shapes/list.ts';
import type { LiveLogRecord, LogFilter, LogRecord } from '@trellis/contract/shapes/log.ts';
import type { Clock } from '#base/clock.ts';
import {
  LOG_BATCH_LINES_MAX,
  LOG_KEPT_CHARACTERS_MAX,
  LOG_KEPT_LINES_MAX,
  LOG_SEARCH_TIME_MAX_MS,
} from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { RecentLines, type LineBatch } from '#base/recent-lines.ts';
import { headOf, lineMatcher, type LogFile, type LogFiles, recordOf } from './log-files.ts';

/**
 * Where records come from. Without a folder for logs, there are only the last ones, in memory.
 */
export type LogSource = 'files' | 'memory';

/** \`total\` is a lower bound: larger than what was skipped and taken, when there is more. */
export interface LogSearchResult extends List<LogRecord> {
  readonly source: LogSource;
  /** False when the time of the search ran out first. */
  readonly isComplete: boolean;
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
    query: LogFilter & { readonly skip: number; readonly take: number },
  ): Promise<LogSearchResult> {
    const { skip, take } = query;
    const { clock, files } = this.#options;
    const fits = lineMatcher(query);
    const fromMs = query.from === undefined ? -Infinity : Date.parse(query.from);
    const deadline = clock.now() + LOG_SEARCH_TIME_MAX_MS;
    const items: LogRecord[] = [];
    let total = 0;
    let isComplete = true;
    const blocks = files?.lines('backward', query) ?? this.#recentBlocks();
    for await (const lines of blocks) {
      for (const line of lines) {
        const record = fits(line) ? recordOf(line) : undefined;
        if (record === undefined) continue;
        if (total >= skip && items.length < take) items.push(record);
        total++;
        if (total > skip + take) break;
      }
      if (total > skip + take || isBefore(lines.at(-1), fromMs)) break;
      if (clock.now() >= deadline) {
        isComplete = false;
        break;
      }
    }
    return { source: this.source, isComplete, items, total, skip, take };
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
   * The lines that contain the text, oldest first, each with its newline. Throws
   * `log_file_not_found` before the first line.
   */
  async *download(wanted: {
    readonly query?: string | undefined;
    readonly fileNames?: readonly string[] | undefined;
  }): AsyncGenerator<string> {
    const { query, fileNames: names } = wanted;
    const fits = lineMatcher({ query });
    const { files } = this.#options;
    if (files === undefined && names !== undefined) {
      throw new Problem(
        'log_file_not_found',
        'This server writes no log files: MSK_LOG_PATH is not set.',
      );
    }
    const blocks = files?.lines('forward', { names }) ?? this.#recentBlocks('forward');
    for await (const lines of blocks) {
      const found = lines.filter(fits);
      if (found.length > 0) yield `${found.join('\n')}\n`;
    }
  }

  *#recentBlocks(direction: 'forward' | 'backward' = 'backward'): Generator<string[]> {
    const lines = [...this.#recent.newestFirst()].map(([line]) => line);
    yield direction === 'forward' ? lines.toReversed() : lines;
  }
}

/** Whether this line, and so every older one, is before the time. */
function isBefore(line: string | undefined, timeMs: number): boolean {
  const head = line === undefined ? undefined : headOf(line);
  return head !== undefined && Date.parse(head.at) < timeMs;
}
