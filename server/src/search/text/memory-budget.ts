/** What a segment takes in memory: as a whole, or without what can be read from its file. */
export interface SegmentMemory {
  readonly bytes: number;
  readonly residentBytes: number;
}

/** Of the budget: a segment that would free less stays in memory. There are few of these, as segments are merged. */
const FREED_SHARE_MIN = 1 / 64;

/**
 * Which segments are read from their files, by index, so that all others fit into memory: the greatest first, as a search goes
 * through small ones as often. Where that is not enough, it is all of them that are worth it.
 */
export function chooseForFile(
  segments: readonly SegmentMemory[],
  memoryBytesMax: number,
): ReadonlySet<number> {
  const freed = segments.map(({ bytes, residentBytes }) => bytes - residentBytes);
  const freedMin = Math.max(1, memoryBytesMax * FREED_SHARE_MIN);
  let sum = segments.reduce((all, { bytes }) => all + bytes, 0);
  const chosen = new Set<number>();
  for (const index of freed
    .keys()
    .toArray()
    .toSorted((a, b) => freed[b]! - freed[a]!)) {
    if (sum <= memoryBytesMax || freed[index]! < freedMin) break;
    chosen.add(index);
    sum -= freed[index]!;
  }
  return chosen;
}
