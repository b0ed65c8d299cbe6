import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What this thread holds, on the heap and outside of it, once all garbage is collected. */
export function liveHeapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') throw new Error('the garbage collector cannot be had');
  collect();
  const { used_heap_size: used, external_memory: external } = getHeapStatistics();
  return used + external;
}
