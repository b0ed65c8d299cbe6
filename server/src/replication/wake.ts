/** Lets one waiter sleep until there may be something to do. A wake without a waiter is kept for the next one. */
export class Wake {
  #isSet = false;
  #waiter: PromiseWithResolvers<void> | undefined;

  wake(): void {
    if (this.#waiter === undefined) this.#isSet = true;
    this.#waiter?.resolve();
    this.#waiter = undefined;
  }

  /** Rejects with the signal's reason when it is aborted. */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#isSet) {
      this.#isSet = false;
      return;
    }
    const waiter = Promise.withResolvers<void>();
    this.#waiter = waiter;
    const onAbort = (): void => waiter.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await waiter.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}
