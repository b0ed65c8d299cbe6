import { availableParallelism } from 'node:os';
import type { PoolWorker } from './pool-worker.ts';

/** What a pool has to do at a moment. */
export interface PoolLoad {
  readonly workers: number;
  readonly ready: number;
  /** With calls. */
  readonly busy: number;
  /** Whose code does not come back. */
  readonly stalled: number;
  readonly running: number;
  /** For a worker. */
  readonly waiting: number;
}

/** How many workers a pool has by default: the main thread keeps a processor for itself. */
export function usualSize(): number {
  return Math.max(1, availableParallelism() - 1);
}

export function poolLoad(workers: ReadonlySet<PoolWorker>, waiting: number): PoolLoad {
  const all = [...workers];
  return {
    workers: all.length,
    ready: all.filter(({ isReady }) => isReady).length,
    busy: all.filter(({ calls }) => calls.size > 0).length,
    stalled: all.filter(({ isStalled }) => isStalled).length,
    running: all.reduce((sum, { calls }) => sum + calls.size, 0),
    waiting,
  };
}

/** The one to give the next call to; undefined when there is none. On the path of every call. */
export function leastBusyReady(workers: ReadonlySet<PoolWorker>): PoolWorker | undefined {
  let best: PoolWorker | undefined;
  for (const worker of workers) {
    if (!worker.isReady || !worker.isUsable) continue;
    if (best === undefined || worker.calls.size < best.calls.size) best = worker;
  }
  return best;
}

/** The least busy one, when more can be used than `size`. */
export function surplusWorker(
  workers: ReadonlySet<PoolWorker>,
  size: number,
): PoolWorker | undefined {
  const usable = [...workers].filter((worker) => worker.isUsable);
  if (usable.length <= size) return undefined;
  return usable.reduce((a, b) => (a.calls.size <= b.calls.size ? a : b));
}
