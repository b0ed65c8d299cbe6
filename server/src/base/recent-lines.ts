export interface RecentLinesOptions<Line> {
  readonly linesMax: number;
  readonly charactersMax: number;
  readonly charactersOf: (line: Line) => number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export interface WatchFrom {
  /** Begin after the line with this sequence; undefined for new lines only. */
  readonly after: number | undefined;
  readonly signal: AbortSignal;
  /** When watching ends, in milliseconds since the Unix epoch. */
  readonly endMs: number;
  /** The most lines of one batch. */
  readonly take: number;
}

export interface LineBatch<Shown> {
  readonly lines: Shown[];
  /** The number of lines, shown or not, that were dropped before the watcher could get them. */
  readonly dropped: number;
  /** The last line that was looked at. */
  readonly sequence: number;
}

/**
 * The first sequence is the start time multiplied by this. So a process that starts later has
 * higher sequences, as long as there are fewer lines in a millisecond.
 */
const LINES_PER_MS = 100;

/**
 * The last lines of a log, in memory. The oldest are dropped when the lines are too many or too
 * long. Each line has a sequence, which rises by 1. Watchers read at their own pace: a slow one
 * costs nothing, and misses dropped lines.
 */
export class RecentLines<Line> {
  readonly #options: RecentLinesOptions<Line>;
  /** A line is at its sequence modulo `linesMax`. */
  readonly #ring: Line[] = [];
  readonly #firstEver: number;
  /** Sequences of the oldest line that is kept, and of the next line. */
  #oldest: number;
  #next: number;
  #characters = 0;
  readonly #waiting = new Set<() => void>();

  constructor(options: RecentLinesOptions<Line>) {
    this.#options = options;
    this.#firstEver = Math.max(1, Math.floor(options.now() * LINES_PER_MS));
    this.#oldest = this.#firstEver;
    this.#next = this.#firstEver;
  }

  push(line: Line): void {
    const { linesMax, charactersMax, charactersOf } = this.#options;
    if (this.#next - this.#oldest >= linesMax) this.#drop();
    this.#ring[this.#next++ % linesMax] = line;
    this.#characters += charactersOf(line);
    // The newest line always stays.
    while (this.#characters > charactersMax && this.#next - this.#oldest > 1) this.#drop();
    for (const wake of this.#waiting) wake();
  }

  /** The lines with their sequences. */
  *newestFirst(): Generator<readonly [line: Line, sequence: number], void, undefined> {
    for (let sequence = this.#next - 1; sequence >= this.#oldest; sequence--) {
      yield [this.#at(sequence), sequence];
    }
  }

  /**
   * The lines after the given one, as they come, in the form that `show` returns. Lines for which
   * it returns undefined are skipped. Ends when the signal aborts, or at `endMs`. A sequence that
   * does not exist yet counts as the last one.
   */
  async *watch<Shown>(
    { after, signal, endMs, take }: WatchFrom,
    show: (line: Line, sequence: number) => Shown | undefined,
  ): AsyncGenerator<LineBatch<Shown>> {
    let next = Math.max(this.#firstEver, Math.min(after ?? Infinity, this.#next - 1) + 1);
    let isFirst = true;
    while (!signal.aborted) {
      const dropped = Math.max(0, this.#oldest - next);
      const lines: Shown[] = [];
      for (next += dropped; next < this.#next && lines.length < take; next++) {
        const shown = show(this.#at(next), next);
        if (shown !== undefined) lines.push(shown);
      }
      // The first batch may be empty: it tells the watcher the sequence.
      if (isFirst || lines.length > 0 || dropped > 0) yield { lines, dropped, sequence: next - 1 };
      else if (this.#options.now() >= endMs) return;
      else await this.#untilGrown(signal, endMs - this.#options.now());
      isFirst = false;
    }
  }

  #at(sequence: number): Line {
    return this.#ring[sequence % this.#options.linesMax]!;
  }

  #drop(): void {
    this.#characters -= this.#options.charactersOf(this.#at(this.#oldest++));
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

/** The longest time of a timer. */
const TIMEOUT_MAX_MS = 2 ** 31;
