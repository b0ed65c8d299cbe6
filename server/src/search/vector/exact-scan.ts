import type { AllowedSlots } from './allow-list.ts';
import { BestHeap, type Candidates } from './best-heap.ts';
import type { AcceptsSlot, OpenShard } from './graph-search.ts';
import { BATCH_SLOTS_MAX, type Scratch } from './kernel.ts';
import {
  SKETCH_MARGIN,
  SKETCH_STEP,
  SKETCH_ZERO,
  type SketchQuery,
  sketchQueryOf,
} from './quantize.ts';

/** A search that compares one by one; the query stands in the scratch memory. */
export interface Scan {
  readonly open: OpenShard;
  readonly shardNumber: number;
  readonly scratch: Scratch;
  readonly queryScale: number;
  /** Called for slots that are similar enough. */
  readonly accepts: AcceptsSlot;
  /** Whether so many were refused that it is cheaper to sort by similarity before asking. */
  readonly isSelective: () => boolean;
  readonly candidates: Candidates;
}

/** The first batch is small, so that the next ones have a threshold. */
const BATCH_SLOTS_FIRST = 128;
/** Sketches that leave more than this share cost more than they save. */
const SIFTED_SHARE_MAX = 0.75;

/** Sifts a batch by its sketches, and compares only the rest. It misses one in a thousand. */
export class ExactScan {
  readonly #scan: Scan;
  #sifts = true;
  #sketchQuery: SketchQuery | undefined;
  /** Similar enough; `accepts` is asked at the end. */
  #deferred: BestHeap | undefined;

  constructor(scan: Scan) {
    this.#scan = scan;
  }

  range(first: number, end: number): void {
    const { scratch, open } = this.#scan;
    const { slots } = scratch;
    let size = BATCH_SLOTS_FIRST;
    for (let from = first; from < end; from += size, size = nextSize(size)) {
      const count = Math.min(size, end - from);
      for (let i = 0; i < count; i++) slots[i] = from + i;
      this.#batch(open.shard.scales.subarray(from, from + count));
    }
    this.#settle();
  }

  /** `first`: index in the list to begin at. */
  allowed({ slots, scales }: AllowedSlots, first: number): void {
    let size = BATCH_SLOTS_FIRST;
    for (let from = first; from < slots.length; from += size, size = nextSize(size)) {
      this.#scan.scratch.slots.set(slots.subarray(from, from + size));
      this.#batch(scales.subarray(from, from + size));
    }
    this.#settle();
  }

  /** Compares the slots in the scratch memory; `scales` has the scale of each. */
  #batch(scales: Float32Array): void {
    let count = scales.length;
    if (this.#sifts && this.#scan.candidates.isFull) {
      count = this.#sift(scales);
      this.#sifts = count <= scales.length * SIFTED_SHARE_MAX;
    }
    if (count > 0) this.#compare(count);
  }

  /** Moves the slots that may get in to the front. Returns their number. */
  #sift(scales: Float32Array): number {
    const { open, scratch, queryScale, candidates } = this.#scan;
    const { slots, dots } = scratch;
    this.#sketchQuery ??= sketchQueryOf(scratch.query, queryScale, scratch.sketchQuery);
    const { scale: sketchScale, sum } = this.#sketchQuery;
    open.kernel.sketchDots(open.shard.layout.sketchesAt, scales.length);
    const zero = SKETCH_ZERO * sum;
    const factor = SKETCH_STEP * sketchScale;
    const margin = SKETCH_STEP * SKETCH_MARGIN;
    const threshold = candidates.threshold - SKETCH_MARGIN * sketchScale;
    let count = 0;
    for (let i = 0; i < scales.length; i++) {
      const dot = dots[i]!;
      // 0 means an empty sketch; others hardly ever give it.
      if (dot === 0 || scales[i]! * ((dot - zero) * factor + margin) > threshold) {
        slots[count++] = slots[i]!;
      }
    }
    return count;
  }

  #compare(count: number): void {
    const { open, shardNumber, scratch, queryScale, candidates, accepts } = this.#scan;
    const { slots, dots } = scratch;
    const { shard } = open;
    const defers = this.#scan.isSelective();
    open.kernel.queryDots(shard.layout.coarseAt, count);
    let { threshold } = candidates;
    for (let i = 0; i < count; i++) {
      const slot = slots[i]!;
      const similarity = dots[i]! * shard.scales[slot]! * queryScale;
      if (similarity <= threshold) continue;
      if (defers) (this.#deferred ??= new BestHeap()).push(similarity, slot);
      else if (accepts(slot)) {
        candidates.offer(shardNumber, slot, similarity);
        ({ threshold } = candidates);
      }
    }
  }

  #settle(): void {
    const { shardNumber, candidates, accepts } = this.#scan;
    const deferred = this.#deferred;
    if (deferred === undefined) return;
    while (deferred.size > 0 && deferred.firstKey > candidates.threshold) {
      const { firstKey, firstValue } = deferred;
      deferred.pop();
      if (accepts(firstValue)) candidates.offer(shardNumber, firstValue, firstKey);
    }
  }
}

function nextSize(size: number): number {
  return Math.min(2 * size, BATCH_SLOTS_MAX);
}
