import { ENDPOINT_LOG_LEVELS, type EndpointLogLevel } from '@trellis/contract/log-levels.ts';
import type { EndpointLogFilter, EndpointLogLine } from '@trellis/contract/shapes/endpoint-log.ts';
import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import { RecentLines, type LineBatch } from '#base/recent-lines.ts';
import {
  ENDPOINT_LOG_BATCH_LINES_MAX,
  ENDPOINT_LOG_KEPT_CHARACTERS_MAX,
  ENDPOINT_LOG_KEPT_LINES_MAX,
} from '#base/endpoint-limits.ts';

/** What is none that the scope has counts as the usual one. */
export function levelOf(level: string): EndpointLogLevel {
  return level === 'debug' || level === 'warn' || level === 'error' ? level : 'info';
}

/** What is logged. */
export interface NewLogLine extends Pick<
  EndpointLogLine,
  'endpoint' | 'level' | 'message' | 'user' | 'run'
> {
  /** JSON text; empty for none. */
  readonly data: string;
}

export type EndpointLogBatch = LineBatch<EndpointLogLine>;

export interface EndpointLogOptions {
  readonly clock: Clock;
  /** Takes secrets out of JSON text. */
  readonly redact: (json: string) => string;
  readonly linesMax?: number;
  readonly charactersMax?: number;
}

interface StoredLine extends NewLogLine {
  readonly atMs: number;
  readonly characters: number;
  /**
   * Secrets are taken out when it is looked at first: that costs more than to keep the line, and
   * most lines nobody sees.
   */
  message: string;
  data: string;
  isRedacted: boolean;
}

/** The last lines that endpoints have logged on this server. */
export class EndpointLog {
  readonly #clock: Clock;
  readonly #redact: (json: string) => string;
  readonly #lines: RecentLines<StoredLine>;
  #runs = 0;

  constructor({ clock, redact, linesMax, charactersMax }: EndpointLogOptions) {
    this.#clock = clock;
    this.#redact = redact;
    this.#lines = new RecentLines({
      linesMax: linesMax ?? ENDPOINT_LOG_KEPT_LINES_MAX,
      charactersMax: charactersMax ?? ENDPOINT_LOG_KEPT_CHARACTERS_MAX,
      charactersOf: ({ characters }) => characters,
      now: () => clock.now(),
    });
  }

  /** Names a run that begins to log. */
  nextRun(): number {
    return ++this.#runs;
  }

  push(line: NewLogLine): void {
    const characters = charactersOf(line);
    this.#lines.push({ ...line, atMs: this.#clock.now(), characters, isRedacted: false });
  }

  /** Newest first. */
  list(
    _caller: Caller,
    query: EndpointLogFilter & { readonly skip: number; readonly take: number },
  ) {
    const { skip, take } = query;
    const fits = this.#matcherOf(query);
    const items: EndpointLogLine[] = [];
    let total = 0;
    for (const [line, sequence] of this.#lines.newestFirst()) {
      if (!fits(line)) continue;
      if (total >= skip && items.length < take) items.push(lineOf(this.#shown(line), sequence));
      total++;
    }
    return { items, total, skip, take };
  }

  /**
   * The lines after the given one, or those that are yet to come, as they come; ends when the
   * signal aborts or `to` has passed. A sequence that has not been given yet stands for the last
   * one.
   */
  watch(
    _caller: Caller,
    filter: EndpointLogFilter,
    from: { readonly after: number | undefined; readonly signal: AbortSignal },
  ): AsyncGenerator<EndpointLogBatch> {
    const fits = this.#matcherOf(filter);
    const endMs = filter.to === undefined ? Infinity : Date.parse(filter.to);
    return this.#lines.watch(
      { ...from, endMs, take: ENDPOINT_LOG_BATCH_LINES_MAX },
      (line, sequence) => (fits(line) ? lineOf(this.#shown(line), sequence) : undefined),
    );
  }

  /**
   * A line is found by what is shown of it, so that nobody finds out secrets by searching for them.
   */
  #matcherOf(filter: EndpointLogFilter): (line: StoredLine) => boolean {
    const fits = matcherOf(filter);
    if (filter.query === undefined) return fits;
    return (line) => fits(line) && (line.isRedacted || fits(this.#shown(line)));
  }

  #shown(line: StoredLine): StoredLine {
    if (!line.isRedacted) {
      line.message = this.#redactText(line.message);
      if (line.data !== '') line.data = this.#redact(line.data);
      line.isRedacted = true;
    }
    return line;
  }

  /** What is redacted is JSON: a text that is JSON itself is looked into as well. */
  #redactText(text: string): string {
    return String(JSON.parse(this.#redact(JSON.stringify(this.#redact(text)))));
  }
}

/** Beside its texts, a line takes about this. */
const LINE_CHARACTERS = 100;

function charactersOf({ endpoint, message, data }: NewLogLine): number {
  return endpoint.length + message.length + data.length + LINE_CHARACTERS;
}

function lineOf(line: StoredLine, sequence: number): EndpointLogLine {
  const { atMs, endpoint, level, message, data, user, run } = line;
  const at = new Date(atMs).toISOString();
  const more: { data?: unknown } = data === '' ? {} : { data: JSON.parse(data) as unknown };
  return { sequence, at, endpoint, level, message, ...more, user, run };
}

function matcherOf({ endpoint, level, query, from, to }: EndpointLogFilter) {
  const least = level === undefined ? 0 : ENDPOINT_LOG_LEVELS.indexOf(level);
  const wanted = query?.toLowerCase();
  const fromMs = from === undefined ? -Infinity : Date.parse(from);
  const toMs = to === undefined ? Infinity : Date.parse(to);
  const isFolder = endpoint?.endsWith('/') === true;
  return (line: StoredLine): boolean => {
    if (line.atMs < fromMs || line.atMs >= toMs || ENDPOINT_LOG_LEVELS.indexOf(line.level) < least)
      return false;
    if (endpoint !== undefined) {
      if (isFolder ? !line.endpoint.startsWith(endpoint) : line.endpoint !== endpoint) return false;
    }
    return (
      wanted === undefined ||
      line.message.toLowerCase().includes(wanted) ||
      line.data.toLowerCase().includes(wanted)
    );
  };
}

/** The part of the server's logger that the runtime uses; pino's fits. */
export interface RuntimeLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
