import { ENDPOINT_TIMEOUT_MAX_MS } from '@trellis/contract/limits.ts';

/** Shorter times are counted as this one. */
const SHORTEST_MS = 0.01;
const BUCKETS_PER_DOUBLING = 8;
const BUCKETS = Math.ceil(bucketPosition(ENDPOINT_TIMEOUT_MAX_MS)) + 1;

/** How far a quantile may be from the exact one: half a bucket, as a factor. */
export const QUANTILE_ERROR_FACTOR = 2 ** (0.5 / BUCKETS_PER_DOUBLING);

/**
 * Durations in milliseconds, counted in buckets that grow by a constant factor: any quantile is
 * known to within 5 %, in less than 2 KB, however many there were.
 */
export class LatencyHistogram {
  /** Of numbers that do not overflow; made with the first duration. */
  #counts: Float64Array | undefined;
  #total = 0;

  add(ms: number): void {
    this.#counts ??= new Float64Array(BUCKETS);
    const bucket = ms <= SHORTEST_MS ? 0 : Math.min(BUCKETS - 1, Math.ceil(bucketPosition(ms)));
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#total++;
  }

  /** The duration that this share (0 to 1) of all did not exceed; undefined when there were none. */
  quantileMs(share: number): number | undefined {
    const rank = Math.max(1, Math.ceil(share * this.#total));
    let below = 0;
    for (const [bucket, count] of this.#counts?.entries() ?? []) {
      below += count;
      if (below >= rank) return middleMs(bucket);
    }
    return undefined;
  }
}

/** Bucket n has the durations with positions above n - 1 and up to n. */
function bucketPosition(ms: number): number {
  return Math.log2(ms / SHORTEST_MS) * BUCKETS_PER_DOUBLING;
}

function middleMs(bucket: number): number {
  return bucket === 0 ? SHORTEST_MS : SHORTEST_MS * 2 ** ((bucket - 0.5) / BUCKETS_PER_DOUBLING);
}
