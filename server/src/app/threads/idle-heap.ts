import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { IDLE_HEAP_GROWTH_BYTES_MIN, IDLE_HEAP_LOOK_MS, IDLE_HEAP_LOOKS } from '#base/limits.ts';
import { heapReleaser } from '#runtime/sandbox/garbage-collector.ts';

/** A thread that works less than this share of the time is idle. */
const IDLE_SHARE = 0.05;

/**
 * Gives memory of the present thread's heap back to the system when the thread is idle. V8 collects
 * garbage only as more is allocated, and keeps the pages that it has freed: so after a load each
 * thread would keep for good what the load has filled.
 */
export class IdleHeap {
  #release: (() => void) | undefined;
  #before = performance.eventLoopUtilization();
  /** What the heap had when it last gave memory back, or at first. */
  #kept = heapBytes();
  #peak = 0;
  #idleLooks = 0;

  /** Takes a look; call this every `IDLE_HEAP_LOOK_MS`. Returns whether memory was given back. */
  look(share = this.#shareSinceBefore()): boolean {
    this.#peak = Math.max(this.#peak, heapBytes());
    this.#idleLooks = share < IDLE_SHARE ? this.#idleLooks + 1 : 0;
    const isIdle = this.#idleLooks >= IDLE_HEAP_LOOKS;
    if (!isIdle || this.#peak - this.#kept < IDLE_HEAP_GROWTH_BYTES_MIN) return false;
    this.#release ??= heapReleaser();
    this.#release();
    this.#kept = this.#peak = heapBytes();
    return true;
  }

  /** The share of the time since the last look in which the thread has worked. */
  #shareSinceBefore(): number {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#before);
    this.#before = now;
    return utilization;
  }
}

/** Looks at the heap of the present thread as long as it runs, and does not keep it running. */
export function keepReleasingIdleHeap(): void {
  const heap = new IdleHeap();
  setInterval(() => heap.look(), IDLE_HEAP_LOOK_MS).unref();
}

function heapBytes(): number {
  return getHeapStatistics().total_heap_size;
}
