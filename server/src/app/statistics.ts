import type { AccessIndex } from '#access/access-index.ts';
import type { Caller } from '#access/caller.ts';
import { countTypes, databaseStatistics } from '#access/database-statistics.ts';
import { LOAD_SAMPLE_INTERVAL_MS } from '#base/limits.ts';
import { textTable } from '#base/text-table.ts';
import { countRelations } from '#graph/relation-counts.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { StatisticsService } from '#http/services.ts';
import type { EndpointService } from '#runtime/endpoint-service.ts';
import type { ReplicaHealth } from '@trellis/contract/shapes/replica.ts';
import { systemClock } from '#base/clock.ts';
import { diskOf } from '#observe/health.ts';
import { LoadSamples, type ReplicaLag } from '#observe/load-samples.ts';
import type { Logger } from '#observe/logger.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';
import type { ReadState } from './open-storage.ts';
import { RelationCounter } from './relation-statistics.ts';

export interface StatisticsParts {
  readonly reader: GraphReader;
  readonly endpoints: EndpointService;
  readonly access: AccessIndex;
  readonly sequence: AppliedSequence;
  readonly store: Pick<ReadState['store'], 'storage' | 'environmentKey'>;
  readonly logger: Logger;
  readonly replicaLag: () => Promise<ReplicaLag | undefined>;
}

/**
 * Counters for administrators: of calls, of the graph, and of this process (specification, sections
 * 4.4 and 4.7).
 */
export class Statistics implements StatisticsService, Disposable {
  readonly #parts: StatisticsParts;
  /** How busy this process was in the last hour. */
  readonly #load: LoadSamples;
  readonly #relations: RelationCounter;
  readonly #sampling: NodeJS.Timeout;

  constructor(parts: StatisticsParts) {
    const { sequence, store, endpoints, logger, reader, replicaLag: lag } = parts;
    const { storage, environmentKey } = store;
    this.#parts = parts;
    this.#relations = new RelationCounter({
      count: () => countRelations({ storage, environmentKey }),
      clock: systemClock,
      sequence: () => reader.refresh(),
    });
    this.#load = new LoadSamples({
      clock: systemClock,
      counters: () => ({
        commits: sequence.commits,
        operations: sequence.get(),
        calls: endpoints.calls,
      }),
      rssBytes: () => process.memoryUsage.rss(),
      diskFreeBytes: async () => (await diskOf(storage))?.freeBytes ?? null,
      lag,
    });
    const sample = (): void => {
      this.#load.take().catch((err: unknown) => logger.warn({ err }, 'the load is not sampled'));
    };
    this.#sampling = setInterval(sample, LOAD_SAMPLE_INTERVAL_MS).unref();
  }

  endpoints(caller: Caller) {
    return this.#parts.endpoints.metrics(caller);
  }

  database(_caller: Caller): string {
    return databaseStatistics(this.#parts.reader);
  }

  overview(_caller: Caller) {
    const { samples } = this.#load;
    const counts = countTypes(this.#parts.reader);
    return { ...counts, sampleIntervalMs: LOAD_SAMPLE_INTERVAL_MS, samples };
  }

  relations(_caller: Caller) {
    return this.#relations.get();
  }

  pool(_caller: Caller): string {
    const { endpoints, access } = this.#parts;
    const { running, waiting, ...workers } = endpoints.load();
    const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
    const groups: Readonly<Record<string, Readonly<Record<string, number>>>> = {
      'endpoint workers': workers,
      'endpoint calls': { running, waiting },
      'endpoint definitions': { kept: endpoints.kept },
      'access of users': { kept: access.usersKept },
      'memory, bytes': { rss, heapUsed, heapTotal, external, arrayBuffers },
    };
    const rows = Object.entries(groups).flatMap(([group, counters]) =>
      Object.entries(counters).map(([name, value]) => [group, name, value] as const),
    );
    return textTable(['POOL', 'COUNTER', 'VALUE'], rows);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#sampling);
  }
}

/** The lag of the replicas; undefined on a server that has none. */
export function lagIn(health: ReplicaHealth): ReplicaLag | undefined {
  if (!('currentLag' in health)) return undefined;
  const { currentLag, averageLag, emaLag } = health;
  return { currentLag, averageLag, emaLag };
}
