import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planMerge, type SegmentSize } from './text-index.ts';

const MAX = { segmentDocumentsMax: 1_000_000, segmentBytesMax: Infinity };
const DOCUMENT_BYTES = 100;

function ofSizes(...sizes: number[]): SegmentSize[] {
  return sizes.map((documentCount) => sized(documentCount, 0));
}

function sized(documentCount: number, deletedCount: number): SegmentSize {
  return { documentCount, deletedCount, bytes: documentCount * DOCUMENT_BYTES };
}

describe('planMerge', () => {
  it('leaves seven of a tier alone, and merges eight', () => {
    expect(planMerge(ofSizes(1, 5, 2, 1, 1, 1, 1), MAX, false)).toBeUndefined();
    expect(planMerge(ofSizes(1, 5, 2, 50_000, 1, 1, 1, 1, 200), MAX, false)).toEqual([
      0, 1, 2, 4, 5, 6, 7, 8,
    ]);
  });

  it('merges two of a tier but the smallest for a thread that has nothing else to do', () => {
    expect(planMerge(ofSizes(1, 1, 20_000, 20_000, 3_000), MAX, true)).toEqual([2, 3]);
    expect(planMerge(ofSizes(1, 1, 40_000, 3_000), MAX, true)).toBeUndefined();
    expect(planMerge(ofSizes(600_000, 600_000), MAX, true)).toBeUndefined();
  });

  it('rewrites a segment when more than a quarter of it is deleted', () => {
    const segments = [...ofSizes(10), sized(100, 26)];
    expect(planMerge(segments, MAX, false)).toEqual([1]);
    expect(planMerge([sized(100, 25)], MAX, false)).toBeUndefined();
  });

  it('makes no segment of more documents than allowed', () => {
    const sizes = ofSizes(...Array.from({ length: 8 }, () => 300_000));
    expect(planMerge(sizes, MAX, false)).toEqual([0, 1, 2]);
    expect(planMerge(sizes, { ...MAX, segmentDocumentsMax: 500_000 }, false)).toBeUndefined();
  });

  it('makes no segment of more bytes than allowed', () => {
    const sizes = ofSizes(...Array.from({ length: 8 }, () => 3_000));
    const limits = { ...MAX, segmentBytesMax: 4 * 3_000 * DOCUMENT_BYTES };
    expect(planMerge(sizes, limits, false)).toEqual([0, 1, 2, 3]);
  });

  it('comes to an end, with few segments, having written each document a few times', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 3_000 }), { maxLength: 300, size: 'max' }),
        (sizes) => {
          let segments: SegmentSize[] = [];
          let written = 0;
          let total = 0;
          for (const size of sizes) {
            segments.push(...ofSizes(size));
            total += size;
            for (
              let plan = planMerge(segments, MAX, false);
              plan;
              plan = planMerge(segments, MAX, false)
            ) {
              const chosen = new Set(plan);
              const sum = plan.reduce((all, index) => all + segments[index]!.documentCount, 0);
              written += sum;
              segments = [...segments.filter((_, index) => !chosen.has(index)), ...ofSizes(sum)];
            }
          }
          const tiers = Math.ceil(Math.log(Math.max(total / 256, 1)) / Math.log(8)) + 1;
          expect(segments.length).toBeLessThanOrEqual(7 * (tiers + 1));
          expect(written).toBeLessThanOrEqual(total * (tiers + 8));
        },
      ),
      { numRuns: 100 },
    );
  });
});
