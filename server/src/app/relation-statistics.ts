import type { Clock } from '#base/clock.ts';
import { countRelations, type RelationCounts } from '#graph/relation-counts.ts';
import type { RelationStatistics } from '@trellis/contract/shapes/stats.ts';

/** While the graph changes, counts are kept for this long. */
const KEPT_MS = 60_000;

interface RelationCounterParts {
  readonly storage: string;
  readonly environmentKey: string | undefined;
  readonly clock: Clock;
  readonly sequence: () => number;
}

/**
 * Counts of edges by the types at their ends. To count takes time that grows with the graph: all
 * who ask meanwhile share it, and while much is written it is not done again and again.
 */
export class RelationCounter {
  readonly #parts: RelationCounterParts;
  #last: (RelationCounts & { readonly countedAtMs: number }) | undefined;
  #counting: Promise<RelationStatistics> | undefined;

  constructor(parts: RelationCounterParts) {
    this.#parts = parts;
  }

  get(): Promise<RelationStatistics> {
    const { sequence, clock } = this.#parts;
    const last = this.#last;
    const isKept =
      last !== undefined &&
      (last.sequence === sequence() || clock.now() - last.countedAtMs < KEPT_MS);
    if (isKept) return Promise.resolve(shown(last));
    this.#counting ??= this.#count().finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #count(): Promise<RelationStatistics> {
    const { storage, environmentKey, clock } = this.#parts;
    const counts = await countRelations({ storage, environmentKey });
    this.#last = { ...counts, countedAtMs: clock.now() };
    return shown(this.#last);
  }
}

function shown({
  countedAtMs,
  ...counts
}: RelationCounts & { readonly countedAtMs: number }): RelationStatistics {
  return { ...counts, countedAt: new Date(countedAtMs).toISOString() };
}
