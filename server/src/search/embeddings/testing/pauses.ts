/** Pauses that a test ends, or whoever aborts them. */
export class Pauses {
  readonly lengths: number[] = [];
  #end: (() => void) | undefined;
  #begun = Promise.withResolvers<void>();

  readonly pause = async (ms: number, signal: AbortSignal): Promise<void> => {
    this.lengths.push(ms);
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve());
    this.#end = resolve;
    this.#begun.resolve();
    await promise;
  };

  /** Waits until there is one. */
  begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** The same, ends it, and answers its length. */
  async pass(): Promise<number> {
    await this.begun();
    this.#begun = Promise.withResolvers<void>();
    this.#end?.();
    return this.lengths.at(-1)!;
  }
}
