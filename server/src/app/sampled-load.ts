import type { LoadSample } from '@trellis/contract/shapes/stats.ts';
import type { ReplicaHealth } from '@trellis/contract/shapes/replica.ts';
import { systemClock } from '#base/clock.ts';
import { LOAD_SAMPLE_INTERVAL_MS } from '#base/limits.ts';
import { diskOf } from '#observe/health.ts';
import { LoadSamples, type ReplicaLag } from '#observe/load-samples.ts';
import type { Logger } from '#observe/logger.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';

export interface SampledLoadParts {
  readonly sequence: AppliedSequence;
  readonly storage: string;
  readonly logger: Logger;
  readonly replicaLag: () => Promise<ReplicaLag | undefined>;
  /** Calls of endpoints since the start. */
  readonly calls: () => number;
}

/** How busy this process was in the last hour. */
export interface SampledLoad extends Disposable {
  /** Oldest first. */
  readonly samples: readonly LoadSample[];
}

export function startSampling(parts: SampledLoadParts): SampledLoad {
  const { sequence, storage, logger, replicaLag, calls } = parts;
  const load = new LoadSamples({
    clock: systemClock,
    counters: () => ({ commits: sequence.commits, operations: sequence.get(), calls: calls() }),
    rssBytes: () => process.memoryUsage.rss(),
    diskFreeBytes: async () => (await diskOf(storage))?.freeBytes ?? null,
    lag: replicaLag,
  });
  const take = (): void => {
    load.take().catch((err: unknown) => logger.warn({ err }, 'the load is not sampled'));
  };
  const timer = setInterval(take, LOAD_SAMPLE_INTERVAL_MS).unref();
  return {
    get samples() {
      return load.samples;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** The lag of the replicas; undefined on a server that has none. */
export function lagIn(health: ReplicaHealth): ReplicaLag | undefined {
  if (!('currentLag' in health)) return undefined;
  const { currentLag, averageLag, emaLag } = health;
  return { currentLag, averageLag, emaLag };
}
