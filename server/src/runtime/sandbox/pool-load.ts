import { availableParallelism } from 'node:os';
import { ENDPOINT_STALLED_WORKERS_PER_CALLER_MAX } from '#base/endpoint-limits.ts';
import type { PoolWorker } from './pool-worker.ts';

/** What a pool has to do at a moment. */
export interface PoolLoad {
  /** Workers that are asked for: none as long as nobody could call one. */
  readonly wanted: number;
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

/**
 * How many workers a pool has by default: one for each processor but that of the main thread, and
 * one more, as whoever calls leaves one to others.
 */
export function usualSize(): number {
  return Math.max(1, availableParallelism() - 1) + 1;
}

export function poolLoad(
  workers: ReadonlySet<PoolWorker>,
  { wanted, waiting }: Pick<PoolLoad, 'wanted' | 'waiting'>,
): PoolLoad {
  const all = [...workers];
  return {
    wanted,
    workers: all.length,
    ready: all.filter(({ isReady }) => isReady).length,
    busy: all.filter(({ calls }) => calls.size > 0).length,
    stalled: all.filter(({ isStalled }) => isStalled).length,
    running: all.reduce((sum, { calls }) => sum + calls.size, 0),
    waiting,
  };
}

/**
 * The worker to give the next call of a caller to; undefined when it has to wait. However much one
 * caller asks for, of a pool of two workers or more one that can be used keeps free of it: the
 * calls of others find it there. On the path of every call.
 */
export function workerFor(
  workers: ReadonlySet<PoolWorker>,
  size: number,
  caller: string,
): PoolWorker | undefined {
  let own: PoolWorker | undefined;
  let other: PoolWorker | undefined;
  let others = 0;
  let occupied = 0;
  for (const worker of workers) {
    const isOwn = worker.hasCallsOf(caller);
    if (isOwn) occupied++;
    if (!worker.isReady || !worker.isUsable) continue;
    if (isOwn) own = lessBusy(own, worker);
    else {
      others++;
      other = lessBusy(other, worker);
    }
  }
  const mayTakeOther =
    size === 1 ||
    occupied === 0 ||
    (others > 1 && occupied < size - 1 + ENDPOINT_STALLED_WORKERS_PER_CALLER_MAX);
  if (!mayTakeOther || other === undefined) return own;
  return own === undefined ? other : lessBusy(other, own);
}

function lessBusy(a: PoolWorker | undefined, b: PoolWorker): PoolWorker {
  return a === undefined || b.calls.size < a.calls.size ? b : a;
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
