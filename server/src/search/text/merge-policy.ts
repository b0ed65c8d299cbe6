/** What the policy knows of a segment. */
export interface SegmentSize {
  readonly documentCount: number;
  readonly deletedCount: number;
  readonly bytes: number;
}

/** Limits of the segment that a merge makes. */
export interface MergedSizeLimits {
  readonly segmentDocumentsMax: number;
  readonly segmentBytesMax: number;
}

/**
 * Segments within this factor of size form a tier; as many of them merge into one of the next tier.
 */
const TIER_FACTOR = 8;
/** Smaller segments form one tier, whatever their size: a refresh makes many of them. */
const SMALLEST_TIER = 256;
/** A segment with more deleted documents than this share is written again without them. */
const DELETED_SHARE_MAX = 0.25;

/**
 * Chooses the segments to merge next, by index; undefined if there is nothing to do. Each document
 * is rewritten about once for each tier, and a search reads at most seven segments of a tier. First
 * comes a segment full of deleted documents, then the smallest tier that is full.
 *
 * A thread that `isIdle` leaves one segment in each tier but the smallest, as each costs every
 * search time.
 */
export function planMerge(
  segments: readonly SegmentSize[],
  limits: MergedSizeLimits,
  isIdle: boolean,
): number[] | undefined {
  const full = segments.findIndex(
    ({ documentCount, deletedCount }) => deletedCount > documentCount * DELETED_SHARE_MAX,
  );
  if (full >= 0) return [full];
  const tiers = new Map<number, number[]>();
  segments.forEach((segment, index) => {
    const tier = tierOf(segment);
    tiers.set(tier, [...(tiers.get(tier) ?? []), index]);
  });
  for (const [tier, members] of [...tiers].toSorted(([a], [b]) => a - b)) {
    const isDue = members.length >= TIER_FACTOR || (isIdle && tier > 0 && members.length > 1);
    if (!isDue) continue;
    const chosen = withinLimits(segments, members, limits);
    if (chosen.length > 1) return chosen;
  }
  return undefined;
}

function tierOf(segment: SegmentSize): number {
  const size = Math.max(SMALLEST_TIER, livingCount(segment));
  return Math.floor(Math.log(size / SMALLEST_TIER) / Math.log(TIER_FACTOR));
}

/** The smallest segments, as many as fit into one. */
function withinLimits(
  segments: readonly SegmentSize[],
  members: readonly number[],
  { segmentDocumentsMax, segmentBytesMax }: MergedSizeLimits,
): number[] {
  const chosen: number[] = [];
  let documents = 0;
  let bytes = 0;
  const size = (index: number): number => livingCount(segments[index]!);
  for (const index of members.toSorted((a, b) => size(a) - size(b))) {
    documents += size(index);
    bytes += segments[index]!.bytes;
    if (documents > segmentDocumentsMax || bytes > segmentBytesMax) break;
    chosen.push(index);
  }
  return chosen.toSorted((a, b) => a - b);
}

function livingCount({ documentCount, deletedCount }: SegmentSize): number {
  return documentCount - deletedCount;
}
