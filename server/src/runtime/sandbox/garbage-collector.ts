import { setFlagsFromString, getHeapStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ENDPOINT_HEAP_SOFT_BYTES, ENDPOINT_WATCHDOG_MS } from '#base/endpoint-limits.ts';

/**
 * The flag is of the whole process: another thread that does the same may take it away at that
 * moment.
 */
const TRIES_MAX = 1_000;

/** Collects all garbage of the thread that it was made in. */
export function garbageCollector(): () => void {
  const collect = exposedCollector();
  return () => void collect();
}

/**
 * The same, and gives all memory that the heap does not need back to the system, which V8 otherwise
 * keeps for later. It takes longer: it is for threads that are idle.
 */
export function heapReleaser(): () => void {
  const collect = exposedCollector();
  return () => void collect({ type: 'major', flavor: 'last-resort', execution: 'sync' });
}

/** It is a global of new realms while the flag is set, which no guest's realm may have. */
function exposedCollector(): (options?: object) => unknown {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('globalThis.gc');
    setFlagsFromString('--no-expose-gc');
    if (isCollector(collect)) return collect;
  }
  throw new Error('the garbage collector cannot be had');
}

function isCollector(value: unknown): value is (options?: object) => unknown {
  return typeof value === 'function';
}

/**
 * Keeps garbage from counting as use. The watchdog sees the whole heap, and V8 lets it grow far
 * beyond what lives in it as long as there is room: so garbage is collected between turns when it
 * alone could bring the worker to its limit.
 */
export class HeapKeeper {
  readonly #collect = garbageCollector();
  #lastLook = 0;
  #threshold = 0;

  constructor() {
    // V8 derives from the first collection how soon it begins the next ones itself.
    this.#collectNow();
  }

  /** To be called between turns. */
  look(): void {
    const now = performance.now();
    if (now - this.#lastLook < ENDPOINT_WATCHDOG_MS) return;
    this.#lastLook = now;
    if (heapBytes() > this.#threshold) this.#collectNow();
  }

  #collectNow(): void {
    this.#collect();
    this.#threshold = (heapBytes() + ENDPOINT_HEAP_SOFT_BYTES) / 2;
  }
}

function heapBytes(): number {
  const { used_heap_size: used, external_memory: external } = getHeapStatistics();
  return used + external;
}
