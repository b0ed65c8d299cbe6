import { describe, expect, it } from 'vitest';
import { Candidates } from './best-heap.ts';
import { ExactScan } from './exact-scan.ts';
import type { AcceptsSlot } from './graph-search.ts';
import { createScratch, openKernel } from './kernel.ts';
import { quantizeQuery } from './quantize.ts';
import { Shard, shardLayout } from './shard.ts';
import { clusteredVectors } from './testing/clustered-vectors.ts';
import { putAll, writerOf } from './testing/test-index.ts';

const WIDTH = 30;
const QUERIES = 20;
const shape = { clusters: 30, seed: 21 };

/** What scans compare, and what they find, the slots by similarity. */
function scene(vectors: readonly Float32Array[]) {
  const stored = vectors.slice(QUERIES);
  const dimensions = stored[0]!.length;
  const writer = writerOf({ dimensions, capacity: stored.length });
  putAll(writer, stored);
  const { handle } = writer;
  const layout = shardLayout(dimensions, stored.length);
  const scratch = createScratch(layout.stride);
  const shard = new Shard(handle.shards[0]!, layout);
  const kernel = openKernel(shard.memory, handle.kernel, scratch, layout.stride);
  const done = { compared: 0, sketched: 0 };
  const counting = {
    queryDots(base: number, count: number): void {
      done.compared += count;
      kernel.queryDots(base, count);
    },
    sketchDots(base: number, count: number): void {
      done.sketched += count;
      kernel.sketchDots(base, count);
    },
    pairDot: (first: number, second: number) => kernel.pairDot(first, second),
  };
  const find = (
    query: Float32Array,
    accepts: AcceptsSlot = () => true,
    isSelective = () => false,
  ): number[] => {
    const candidates = new Candidates();
    candidates.clear(WIDTH);
    const queryScale = quantizeQuery(query, dimensions, scratch.query);
    const open = { shard, kernel: counting };
    const one = { open, shardNumber: 0, scratch, queryScale };
    new ExactScan({ ...one, accepts, isSelective, candidates }).range(0, stored.length);
    const list = candidates.list().toSorted((a, b) => b.similarity - a.similarity);
    return list.map(({ slot }) => slot);
  };
  /** The same without a sketch. */
  const nearest = (query: Float32Array, accepts: AcceptsSlot = () => true): number[] => {
    const queryScale = quantizeQuery(query, dimensions, scratch.query);
    const places = stored.map((_, slot) => {
      scratch.slots[0] = slot;
      kernel.queryDots(layout.coarseAt, 1);
      return { slot, similarity: scratch.dots[0]! * shard.scales[slot]! * queryScale };
    });
    return places
      .filter(({ slot }) => accepts(slot))
      .toSorted((a, b) => b.similarity - a.similarity)
      .slice(0, WIDTH)
      .map(({ slot }) => slot);
  };
  return { find, nearest, done, queries: vectors.slice(0, QUERIES), count: stored.length };
}

describe('a scan', () => {
  const { vectors } = clusteredVectors({ count: 5_000, dimensions: 192, ...shape });

  it('finds what comparing all finds, and compares few', () => {
    const { find, nearest, done, queries, count } = scene(vectors);
    for (const query of queries) expect(find(query)).toEqual(nearest(query));
    expect(done.sketched).toBeGreaterThan(QUERIES * count * 0.9);
    expect(done.compared).toBeLessThan(QUERIES * count * 0.25);
  });

  it('compares all where one value dwarfs the others, and leaves the sketches soon', () => {
    // As some models make them: of the others four bits say nothing.
    const { vectors: even } = clusteredVectors({ count: 2_000, dimensions: 768, ...shape });
    const { find, nearest, done, queries, count } = scene(even.map((one) => one.with(7, 1)));
    for (const query of queries) expect(find(query)).toEqual(nearest(query));
    expect(done.compared).toBe(QUERIES * count);
    expect(done.sketched).toBeLessThan(QUERIES * count * 0.25);
  });

  it('asks of fewer where most are refused, and finds the same', () => {
    const { find, nearest, queries } = scene(vectors);
    const accepts: AcceptsSlot = (slot) => slot % 50 === 1;
    const counts = [Infinity, 100].map((refusedMax) => {
      let asked = 0;
      let refused = 0;
      const asks: AcceptsSlot = (slot) => {
        asked++;
        if (!accepts(slot)) refused++;
        return accepts(slot);
      };
      for (const query of queries) {
        refused = 0;
        expect(find(query, asks, () => refused > refusedMax)).toEqual(nearest(query, accepts));
      }
      return asked;
    });
    expect(counts[1]).toBeLessThan(counts[0]! * 0.6);
  });
});
