import type { AllowedSlots } from './allow-list.ts';
import type { Candidates } from './candidates.ts';
import type { AcceptsSlot, OpenShard } from './graph-search.ts';
import { BATCH_SLOTS_MAX } from './kernel.ts';
import type { Scratch } from './kernel.ts';

/** A search that compares one by one; the query stands in the scratch memory. */
export interface Scan {
  readonly open: OpenShard;
  readonly shardNumber: number;
  readonly scratch: Scratch;
  readonly queryScale: number;
  /** Asked of those that are similar enough. */
  readonly accepts: AcceptsSlot;
  readonly candidates: Candidates;
}

export function scanRange(scan: Scan, first: number, end: number): void {
  const { slots } = scan.scratch;
  for (let from = first; from < end; from += BATCH_SLOTS_MAX) {
    const count = Math.min(BATCH_SLOTS_MAX, end - from);
    for (let i = 0; i < count; i++) slots[i] = from + i;
    scanBatch(scan, scan.open.shard.scales.subarray(from, from + count));
  }
}

/** `first`: index in the list to begin at. */
export function scanAllowed(scan: Scan, { slots, scales }: AllowedSlots, first: number): void {
  for (let from = first; from < slots.length; from += BATCH_SLOTS_MAX) {
    scan.scratch.slots.set(slots.subarray(from, from + BATCH_SLOTS_MAX));
    scanBatch(scan, scales.subarray(from, from + BATCH_SLOTS_MAX));
  }
}

/** Of the slots in the scratch memory, with the scale of each. */
function scanBatch(scan: Scan, scales: Float32Array): void {
  const { open, scratch, queryScale, candidates, accepts } = scan;
  const { slots, dots } = scratch;
  open.kernel.queryDots(open.shard.layout.coarseAt, scales.length);
  let { threshold } = candidates;
  for (let i = 0; i < scales.length; i++) {
    const similarity = dots[i]! * scales[i]! * queryScale;
    if (similarity > threshold && accepts(slots[i]!)) {
      candidates.offer(scan.shardNumber, slots[i]!, similarity);
      ({ threshold } = candidates);
    }
  }
}
