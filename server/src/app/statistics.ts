import type { AccessIndex } from '#access/access-index.ts';
import type { Caller } from '#access/caller.ts';
import { countTypes, databaseStatistics } from '#access/database-statistics.ts';
import { LOAD_SAMPLE_INTERVAL_MS } from '#base/limits.ts';
import { textTable } from '#base/text-table.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { StatisticsService } from '#http/services.ts';
import type { EndpointService } from '#runtime/endpoint-service.ts';
import { startSampling, type SampledLoad, type SampledLoadParts } from './sampled-load.ts';

export interface StatisticsParts extends Omit<SampledLoadParts, 'calls'> {
  readonly reader: GraphReader;
  readonly endpoints: EndpointService;
  readonly access: AccessIndex;
}

/**
 * Counters for administrators: of calls, of the graph, and of this process (specification, sections
 * 4.4 and 4.7).
 */
export class Statistics implements StatisticsService, Disposable {
  readonly #parts: StatisticsParts;
  readonly #load: SampledLoad;

  constructor(parts: StatisticsParts) {
    this.#parts = parts;
    this.#load = startSampling({ ...parts, calls: () => parts.endpoints.calls });
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
    this.#load[Symbol.dispose]();
  }
}
