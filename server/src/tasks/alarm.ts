/** What rings once, after a time; tests hand in their own. Disposed before, it does not ring. */
export type Alarm = (afterMs: number, ring: () => void) => Disposable;

/** It keeps no process from ending. */
export const timerAlarm: Alarm = (afterMs, ring) => {
  const timer = setTimeout(ring, afterMs).unref();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
};
