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
