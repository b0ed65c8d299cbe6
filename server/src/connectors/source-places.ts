/** As much work at once as there are places; the rest waits, in the order in which it came. */
export class SourcePlaces {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  get areTaken(): boolean {
    return this.#free === 0;
  }

  /** Rejects with the signal's reason while it waits. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    return { [Symbol.dispose]: () => this.#giveBack() };
  }

  #giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }

  #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      const at = this.#waiting.indexOf(begin);
      if (at !== -1) this.#waiting.splice(at, 1);
      reject(signal.reason);
    };
    const begin = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    this.#waiting.push(begin);
    signal.addEventListener('abort', leave, { once: true });
    return promise;
  }
}
