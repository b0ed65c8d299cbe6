interface Waiting {
  readonly tell: (before: number) => void;
  readonly begin: () => void;
}

/** Researches take their turn in the order in which they came, so many at a time. */
export class ResearchQueue {
  readonly #runningMax: () => number;
  readonly #waiting: Waiting[] = [];
  #running = 0;

  constructor(runningMax: () => number) {
    this.#runningMax = runningMax;
  }

  /**
   * Resolves when the turn has come; disposing what it gives lets the next one in. Rejects with the reason of the signal. `tell` hears
   * how many are before this one, under way or waiting: at once, and when that changes; 0 when its turn has come.
   */
  async turn(tell: (before: number) => void, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { tell, begin: resolve };
    const leave = (): void => {
      const at = this.#waiting.indexOf(waiting);
      if (at < 0) return;
      this.#waiting.splice(at, 1);
      reject(signal.reason);
      this.advance();
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.push(waiting);
    this.advance();
    await promise.finally(() => signal.removeEventListener('abort', leave));
    return {
      [Symbol.dispose]: () => {
        this.#running--;
        this.advance();
      },
    };
  }

  /** To be called when more may be under way than before. */
  advance(): void {
    while (this.#running < this.#runningMax()) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#running++;
      next.tell(0);
      next.begin();
    }
    for (const [at, { tell }] of this.#waiting.entries()) tell(this.#running + at);
  }
}
