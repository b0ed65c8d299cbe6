import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import {
  ENDPOINT_LOG_BATCH_LINES_MAX,
  ENDPOINT_LOG_KEPT_CHARACTERS_MAX,
  ENDPOINT_LOG_KEPT_LINES_MAX,
} from '#base/limits.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type EndpointLogLevel = (typeof LEVELS)[number];

export interface EndpointLogLine {
  readonly sequence: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly endpoint: string;
  readonly level: EndpointLogLevel;
  readonly message: string;
  readonly data?: unknown;
  /** UID; null for a token that acts as nobody. */
  readonly user: string | null;
  readonly run: number;
}

/** What is logged. */
export interface NewLogLine extends Pick<
  EndpointLogLine,
  'endpoint' | 'level' | 'message' | 'user' | 'run'
> {
  /** JSON text; empty for none. */
  readonly data: string;
}

/** A line must fit all that is given. */
export interface EndpointLogFilter {
  /** A name; with "/" at its end all names that begin with it. */
  readonly endpoint?: string | undefined;
  /** This one or a more urgent one. */
  readonly level?: EndpointLogLevel | undefined;
  /** In the message or the data, in any case of letters. */
  readonly query?: string | undefined;
  /** ISO 8601: not before, and before. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface EndpointLogBatch {
  readonly lines: EndpointLogLine[];
  /** Lines, of any endpoint, that were gone before they could be given. */
  readonly dropped: number;
  /** Up to this line all were looked at. */
  readonly sequence: number;
}

export interface EndpointLogOptions {
  readonly clock: Clock;
  /** Takes secrets out of JSON text. */
  readonly redact: (json: string) => string;
  readonly linesMax?: number;
  readonly charactersMax?: number;
}

interface StoredLine extends NewLogLine {
  readonly sequence: number;
  readonly atMs: number;
  readonly characters: number;
  /** Secrets are taken out when it is looked at first: that costs more than to keep the line, and most lines nobody sees. */
  message: string;
  data: string;
  isRedacted: boolean;
}

/** Sequences of a server that starts later are higher than those before, up to so many lines in a millisecond. */
const LINES_PER_MS = 100;

/**
 * The last lines that endpoints have logged on this server, in memory: the oldest go when there are too many, or too long ones.
 * Whoever watches reads from here at their own pace, so a slow one costs nothing and misses what has gone.
 */
export class EndpointLog {
  readonly #clock: Clock;
  readonly #redact: (json: string) => string;
  readonly #linesMax: number;
  readonly #charactersMax: number;
  /** A ring: the line of a sequence is at its remainder. */
  readonly #ring: StoredLine[] = [];
  readonly #firstEver: number;
  /** Sequences: of the oldest line that there is, and of the next one. */
  #oldest: number;
  #next: number;
  #characters = 0;
  #runs = 0;
  readonly #waiting = new Set<() => void>();

  constructor(options: EndpointLogOptions) {
    this.#clock = options.clock;
    this.#redact = options.redact;
    this.#linesMax = options.linesMax ?? ENDPOINT_LOG_KEPT_LINES_MAX;
    this.#charactersMax = options.charactersMax ?? ENDPOINT_LOG_KEPT_CHARACTERS_MAX;
    this.#firstEver = Math.max(1, Math.floor(options.clock.now() * LINES_PER_MS));
    this.#oldest = this.#firstEver;
    this.#next = this.#firstEver;
  }

  /** Names a run that begins to log. */
  nextRun(): number {
    return ++this.#runs;
  }

  push(line: NewLogLine): void {
    if (this.#next - this.#oldest >= this.#linesMax) this.#drop();
    const sequence = this.#next++;
    const atMs = this.#clock.now();
    const characters = charactersOf(line);
    const stored = { ...line, sequence, atMs, characters, isRedacted: false };
    this.#ring[sequence % this.#linesMax] = stored;
    this.#characters += characters;
    // The newest stays in any case.
    while (this.#characters > this.#charactersMax && this.#next - this.#oldest > 1) this.#drop();
    for (const wake of this.#waiting) wake();
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
    for (let sequence = this.#next - 1; sequence >= this.#oldest; sequence--) {
      const line = this.#at(sequence);
      if (line === undefined || !fits(line)) continue;
      if (total >= skip && items.length < take) items.push(lineOf(this.#shown(line)));
      total++;
    }
    return { items, total, skip, take };
  }

  /**
   * The lines after the given one, or those that are yet to come, as they come; ends when the signal aborts or `to` has passed. A
   * sequence that has not been given yet stands for the last one.
   */
  async *watch(
    _caller: Caller,
    filter: EndpointLogFilter,
    { after, signal }: { readonly after: number | undefined; readonly signal: AbortSignal },
  ): AsyncGenerator<EndpointLogBatch> {
    const fits = this.#matcherOf(filter);
    const endMs = filter.to === undefined ? Infinity : Date.parse(filter.to);
    let next = Math.max(this.#firstEver, Math.min(after ?? Infinity, this.#next - 1) + 1);
    let isFirst = true;
    while (!signal.aborted) {
      const dropped = Math.max(0, this.#oldest - next);
      const lines: EndpointLogLine[] = [];
      for (next += dropped; next < this.#next; next++) {
        if (lines.length === ENDPOINT_LOG_BATCH_LINES_MAX) break;
        const line = this.#at(next);
        if (line !== undefined && fits(line)) lines.push(lineOf(this.#shown(line)));
      }
      // The first also when it is empty: it says where the watcher is.
      if (isFirst || lines.length > 0 || dropped > 0) yield { lines, dropped, sequence: next - 1 };
      else if (this.#clock.now() >= endMs) return;
      else await this.#untilGrown(signal, endMs - this.#clock.now());
      isFirst = false;
    }
  }

  #at(sequence: number): StoredLine | undefined {
    return this.#ring[sequence % this.#linesMax];
  }

  #drop(): void {
    const line = this.#at(this.#oldest++);
    if (line !== undefined) this.#characters -= line.characters;
  }

  /** A line is found by what is shown of it, so that nobody finds out secrets by searching for them. */
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

  #untilGrown(signal: AbortSignal, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer =
        timeoutMs < TIMEOUT_MAX_MS ? setTimeout(() => wake(), Math.max(1, timeoutMs)) : undefined;
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}

/** What a timer can wait for. */
const TIMEOUT_MAX_MS = 2 ** 31;

/** Beside its texts, a line takes about this. */
const LINE_CHARACTERS = 100;

function charactersOf({ endpoint, message, data }: NewLogLine): number {
  return endpoint.length + message.length + data.length + LINE_CHARACTERS;
}

function lineOf({ sequence, atMs, endpoint, level, message, data, user, run }: StoredLine) {
  const at = new Date(atMs).toISOString();
  const more: { data?: unknown } = data === '' ? {} : { data: JSON.parse(data) as unknown };
  return { sequence, at, endpoint, level, message, ...more, user, run };
}

function matcherOf({ endpoint, level, query, from, to }: EndpointLogFilter) {
  const least = level === undefined ? 0 : LEVELS.indexOf(level);
  const wanted = query?.toLowerCase();
  const fromMs = from === undefined ? -Infinity : Date.parse(from);
  const toMs = to === undefined ? Infinity : Date.parse(to);
  const isFolder = endpoint?.endsWith('/') === true;
  return (line: StoredLine): boolean => {
    if (line.atMs < fromMs || line.atMs >= toMs || LEVELS.indexOf(line.level) < least) return false;
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
