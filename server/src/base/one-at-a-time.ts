/**
 * Runs one piece of work after the other, also after one that has failed: for changes that first
 * look whether they may be made, such as that a name is still free. There is one process that
 * writes.
 */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves once all that was asked for so far has ended. */
  async ended(): Promise<void> {
    await this.#last;
  }
}
