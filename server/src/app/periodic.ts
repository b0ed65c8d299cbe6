/**
 * Does a piece of housekeeping every so often, one run after the other. Disposing does it a last
 * time. A run that fails is reported, and the next one is its repetition.
 */
export function startPeriodic(
  intervalMs: number,
  run: () => Promise<void>,
  onFailed: (error: unknown) => void,
): AsyncDisposable {
  let last = Promise.resolve();
  let isRunning = false;
  const runNext = (): Promise<void> => {
    isRunning = true;
    last = last.then(run).catch(onFailed);
    return last.finally(() => (isRunning = false));
  };
  const timer = setInterval(() => {
    if (!isRunning) void runNext();
  }, intervalMs).unref();
  return {
    [Symbol.asyncDispose]: () => {
      clearInterval(timer);
      return runNext();
    },
  };
}
