/** Jobs that run one after the other, in the order they were asked for. */
export class JobQueue {
  readonly #waiting = new Set<() => void>();
  #isBusy = false;

  /** Rejects as the job does; with the signal's reason, and at once, when it aborts before the job begins. */
  async run<T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#turn(signal);
    try {
      return await job();
    } finally {
      this.#next();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (this.#isBusy) {
      this.#waiting.add(resolve);
      const leave = () => {
        if (this.#waiting.delete(resolve)) reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      void promise.catch(() => {}).finally(() => signal?.removeEventListener('abort', leave));
    } else {
      this.#isBusy = true;
      resolve();
    }
    return promise;
  }

  #next(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#isBusy = false;
    } else {
      this.#waiting.delete(next);
      next();
    }
  }
}
