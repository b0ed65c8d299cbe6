/** The only way to learn the time outside `app`; tests hand in their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Repeated work; tests hand in timers that they fire themselves. */
export interface Timers {
  /** Runs every `intervalMs` until disposed. */
  every(intervalMs: number, run: () => void): Disposable;
}

/** They do not keep a process alive. */
export const systemTimers: Timers = {
  every: (intervalMs, run) => {
    const timer = setInterval(run, intervalMs).unref();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  },
};
