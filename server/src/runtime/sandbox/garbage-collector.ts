import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * The flag is of the whole process: another thread that does the same may take it away at that
 * moment.
 */
const TRIES_MAX = 1_000;

/**
 * Collects all garbage of the thread that it was made in. It is a global of new realms while the
 * flag is set, which no guest's realm may have.
 */
export function garbageCollector(): () => void {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('globalThis.gc');
    setFlagsFromString('--no-expose-gc');
    if (typeof collect === 'function') return () => void collect();
  }
  throw new Error('the garbage collector cannot be had');
}
