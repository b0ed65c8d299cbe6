import type { Clock } from '#base/clock.ts';
import type { RelationCounts } from '#graph/relation-counts.ts';
import type { RelationStatistics } from '@trellis/contract/shapes/stats.ts';

/** While the graph changes, counts are kept this many times as long as it took to count, */
const KEPT_TIMES = 10;
/** and at most so long: of a small graph everybody sees what is there. */
const KEPT_MS_MAX = 60_000;

interface RelationCounterParts {
  readonly count: () => Promise<RelationCounts>;
  readonly clock: Clock;
  readonly sequence: () => number;
}

interface KeptCounts {
  readonly counts: RelationCounts;
  readonly countedAtMs: number;
  readonly tookMs: number;
}

/**
 * Counts of edges by the types at their ends. To count takes time that grows with the graph: all
 * who ask meanwhile share it, and while much is written it is not done again and again.
 */
export class RelationCounter {
  readonly #parts: RelationCounterParts;
  #last: KeptCounts | undefined;
  #counting: Promise<RelationStatistics> | undefined;

  constructor(parts: RelationCounterParts) {
    this.#parts = parts;
  }

  get(): Promise<RelationStatistics> {
    const { sequence, clock } = this.#parts;
    const last = this.#last;
    const isKept =
      last !== undefined &&
      (last.counts.sequence === sequence() || clock.now() - last.countedAtMs < keptMs(last));
    if (isKept) return Promise.resolve(shown(last));
    this.#counting ??= this.#count().finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #count(): Promise<RelationStatistics> {
    const { count, clock } = this.#parts;
    const startMs = clock.now();
    const counts = await count();
    const countedAtMs = clock.now();
    this.#last = { counts, countedAtMs, tookMs: countedAtMs - startMs };
    return shown(this.#last);
  }
}

function keptMs({ tookMs }: KeptCounts): number {
  return Math.min(KEPT_MS_MAX, KEPT_TIMES * tookMs);
}

function shown({ counts, countedAtMs }: KeptCounts): RelationStatistics {
  return { ...counts, countedAt: new Date(countedAtMs).toISOString() };
}
