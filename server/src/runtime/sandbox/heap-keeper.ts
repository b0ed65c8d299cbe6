import { getHeapStatistics } from 'node:v8';
import { ENDPOINT_HEAP_SOFT_BYTES, ENDPOINT_WATCHDOG_MS } from '#base/endpoint-limits.ts';
import { garbageCollector } from './garbage-collector.ts';

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
