import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SegmentMemory, chooseForFile } from './text-index.ts';

const segments = fc.array(
  fc
    .record({ residentBytes: fc.nat(1_000), rest: fc.nat(3_000) })
    .map(({ residentBytes, rest }): SegmentMemory => ({
      residentBytes,
      bytes: residentBytes + rest,
    })),
  { maxLength: 20 },
);

function memoryOf(all: readonly SegmentMemory[], inFile: ReadonlySet<number>): number {
  return all.reduce(
    (sum, { bytes, residentBytes }, index) => sum + (inFile.has(index) ? residentBytes : bytes),
    0,
  );
}

describe('chooseForFile', () => {
  it('leaves all in memory that fits, and chooses the greatest first', () => {
    const all = [100, 400, 300].map((bytes) => ({ bytes, residentBytes: bytes / 4 }));
    expect(chooseForFile(all, 800)).toEqual(new Set());
    expect(chooseForFile(all, 799)).toEqual(new Set([1]));
    expect(chooseForFile(all, 499)).toEqual(new Set([1, 2]));
    expect(chooseForFile(all, 0)).toEqual(new Set([1, 2, 0]));
  });

  it('keeps to the budget, or leaves only what frees next to nothing', () => {
    fc.assert(
      fc.property(segments, fc.nat(60_000), (all, memoryBytesMax) => {
        const inFile = chooseForFile(all, memoryBytesMax);
        if (memoryOf(all, inFile) <= memoryBytesMax) return;
        for (const [index, { bytes, residentBytes }] of all.entries()) {
          if (inFile.has(index)) continue;
          expect(bytes - residentBytes).toBeLessThan(Math.max(1, memoryBytesMax / 64));
        }
      }),
    );
  });
});
