import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Turns of the event loop until a condition holds; the test's own timeout ends it when it never
 * does.
 */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextTurn();
}

/** A value once it has not changed for many turns of the event loop. */
export async function settled<T>(read: () => T): Promise<T> {
  const TURNS = 2_000;
  let value = read();
  for (let same = 0; same < TURNS; same++) {
    await nextTurn();
    const now = read();
    if (now === value) continue;
    value = now;
    same = 0;
  }
  return value;
}
