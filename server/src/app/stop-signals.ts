/** Resolves with the first SIGTERM or SIGINT; later ones change nothing, the stop is bounded in time by itself. */
export function stopSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal));
  return promise;
}
