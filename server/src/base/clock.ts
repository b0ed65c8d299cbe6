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

/** What rings once, after a time; tests hand in their own. Disposed before, it does not ring. */
export type Alarm = (afterMs: number, ring: () => void) => Disposable;

/** It keeps no process from ending. */
export const timerAlarm: Alarm = (afterMs, ring) => {
  const timer = setTimeout(ring, afterMs).unref();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
};

/** Resolves after the time, or when the signal is aborted; at once if there is nothing to wait. */
export function pauseFor(alarm: Alarm, ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const ringing = alarm(ms, resolve);
  const stop = (): void => {
    ringing[Symbol.dispose]();
    resolve();
  };
  signal.addEventListener('abort', stop, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', stop));
}
