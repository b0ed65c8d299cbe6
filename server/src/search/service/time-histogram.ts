import { SEARCH_FACET_VALUES_MAX } from '#base/search-limits.ts';
import { TIME_MAX_MS, TIME_MIN_MS } from '#graph/time.ts';
import type { TimeFacet, TimeUnit } from '../request/search-request.ts';
import type { MatchCollector } from '../text/match-collectors.ts';
import type { Segment } from '../text/segment.ts';

/** Counts all hits of a search in one way. */
export interface Facet {
  readonly name: string;
  readonly collector: MatchCollector;
  /** Nobody asked for it by its name, which may be none of the searcher's business. */
  readonly isLeftOutWhenEmpty?: boolean;
  counts(): readonly FacetCount[];
}

/** The same shape as that of `@trellis/endpoint`. */
export interface FacetCount {
  readonly value: string;
  readonly label?: string | undefined;
  readonly count: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 1970-01-01 was a Thursday; weeks begin on Monday (ISO 8601). */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** Counts hits by the year, month, week, day or hour of their timestamps, in UTC. */
export class TimeHistogram implements Facet, MatchCollector {
  readonly name: string;
  readonly collector = this;
  readonly #request: TimeFacet;
  readonly #counts = new Map<number, number>();
  #timestampsMs: Float64Array = new Float64Array();

  constructor(request: TimeFacet) {
    this.name = request.name;
    this.#request = request;
  }

  startSegment({ documents }: Segment): void {
    this.#timestampsMs = documents.timestampsMs;
  }

  collect(documents: Uint32Array): void {
    const { unit, fromMs = TIME_MIN_MS, toMs = TIME_MAX_MS } = this.#request;
    for (const document of documents) {
      const ms = this.#timestampsMs[document]!;
      if (ms < fromMs || ms > toMs) continue;
      const start = startOf(ms, unit);
      this.#counts.set(start, (this.#counts.get(start) ?? 0) + 1);
    }
  }

  /** In the order of time; of too many, the newest. */
  counts(): readonly FacetCount[] {
    return [...this.#counts]
      .toSorted(([a], [b]) => a - b)
      .slice(-SEARCH_FACET_VALUES_MAX)
      .map(([ms, count]) => ({ value: new Date(ms).toISOString(), count }));
  }
}

/** Milliseconds since the Unix epoch at which the unit of time begins. */
function startOf(ms: number, unit: TimeUnit): number {
  switch (unit) {
    case 'hour':
      return Math.floor(ms / HOUR_MS) * HOUR_MS;
    case 'day':
      return Math.floor(ms / DAY_MS) * DAY_MS;
    case 'week':
      return Math.floor((ms - FIRST_MONDAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS + FIRST_MONDAY_MS;
    case 'month': {
      const date = new Date(ms);
      return startOfMonth(date.getUTCFullYear(), date.getUTCMonth());
    }
    case 'year':
      return startOfMonth(new Date(ms).getUTCFullYear(), 0);
  }
}

/** Date.UTC takes the years 0 to 99 for those of 1900. */
function startOfMonth(year: number, month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 1);
  return date.getTime();
}
