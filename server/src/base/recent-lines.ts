export interface RecentLinesOptions<Line> {
  readonly linesMax: number;
  readonly charactersMax: number;
  readonly charactersOf: (line: Line) => number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export interface WatchFrom {
  /** Sequence of the line to begin after; undefined for those that are yet to come. */
  readonly after: number | undefined;
  readonly signal: AbortSignal;
  /** When it ends, milliseconds since the Unix epoch. */
  readonly endMs: number;
  /** Lines that are given at a time. */
  readonly take: number;
}

export interface LineBatch<Shown> {
  readonly lines: Shown[];
  /** Lines, of any kind, that were gone before they could be given. */
  readonly dropped: number;
  /** Up to this line all were looked at. */
  readonly sequence: number;
}

/**
 * Sequences of a process that starts later are higher than those before, up to so many lines in a
 * millisecond.
 */
const LINES_PER_MS = 100;

/**
 * The last lines of a log, in memory: the oldest go when there are too many, or too long ones. Each
 * has a sequence, which rises by 1. Whoever watches reads from here at their own pace, so a slow
 * one costs nothing and misses what has gone.
 */
export class RecentLines<Line> {
  readonly #options: RecentLinesOptions<Line>;
  /** The line of a sequence is at its remainder. */
  readonly #ring: Line[] = [];
  readonly #firstEver: number;
  /** Sequences: of the oldest line that there is, and of the next one. */
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
    // The newest stays in any case.
    while (this.#characters > charactersMax && this.#next - this.#oldest > 1) this.#drop();
    for (const wake of this.#waiting) wake();
  }

  /** With their sequences. */
  *newestFirst(): Generator<readonly [line: Line, sequence: number], void, undefined> {
    for (let sequence = this.#next - 1; sequence >= this.#oldest; sequence--) {
      yield [this.#at(sequence), sequence];
    }
  }

  /**
   * The lines after the given one as they come, as `show` gives them; what it gives undefined for
   * is passed over. Ends when the signal aborts or the time has come. A sequence that has not been
   * given yet stands for the last one.
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
      // The first also when it is empty: it says where the watcher is.
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

/** What a timer can wait for. */
const TIMEOUT_MAX_MS = 2 ** 31;
