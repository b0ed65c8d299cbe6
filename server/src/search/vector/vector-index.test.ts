import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scale, seed } from '../../../../test/support/scale.ts';
import { openVectorIndex } from './index-reader.ts';
import type { VectorIndexWriter } from './index-writer.ts';
import { clusteredVectors, cosine, exactNearest, normalized } from './testing/clustered-vectors.ts';
import { DIMENSIONS, finish, nodes, putAll, writerOf } from './testing/test-index.ts';

/** How far similarities may be off, as vectors and queries are rounded. */
const TOLERANCE = 2e-4;

describe('a small index', () => {
  const { vectors } = clusteredVectors({
    count: 800,
    dimensions: DIMENSIONS,
    clusters: 20,
    seed: 1,
  });
  const queries = clusteredVectors({
    count: 30,
    dimensions: DIMENSIONS,
    clusters: 20,
    seed: 2,
  }).vectors;

  it('finds what comparing in floating point finds, with its cosine', () => {
    const writer = writerOf();
    putAll(writer, vectors);
    const index = openVectorIndex(writer.handle);
    for (const query of queries) {
      const hits = index.search(query, { count: 10 });
      const exact = exactNearest(vectors, query, 10).map((i) => cosine(vectors[i]!, query));
      expect(hits).toHaveLength(10);
      for (const [i, { node, similarity }] of hits.entries()) {
        expect(Math.abs(similarity - cosine(vectors[node]!, query))).toBeLessThan(TOLERANCE);
        expect(Math.abs(similarity - exact[i]!)).toBeLessThan(TOLERANCE);
      }
    }
    expect(writer.stats).toEqual({ vectors: 800, deleted: 0, linked: 0, shards: 1 });
  });

  it('is empty, then has one vector', () => {
    const writer = writerOf();
    const index = openVectorIndex(writer.handle);
    expect(index.search(queries[0]!, { count: 10 })).toEqual([]);
    writer.put(2 ** 40 - 1, [{ chunk: 7, vector: queries[0]! }]);
    const [hit] = index.search(queries[0]!, { count: 10 });
    expect(hit).toMatchObject({ node: 2 ** 40 - 1, chunk: 7 });
    expect(hit?.similarity).toBeCloseTo(1, 4);
    expect(
      index.search(
        queries[0]!.map((value) => -value),
        { count: 1 },
      )[0]?.similarity,
    ).toBeCloseTo(-1, 4);
  });

  it('finds a node once, by its best chunk, and as many nodes as asked for', () => {
    const writer = writerOf();
    for (let node = 0; node < 8; node++) {
      const chunks = vectors.slice(node * 100, node * 100 + 100);
      writer.put(
        node,
        chunks.map((vector, chunk) => ({ chunk, vector })),
      );
    }
    const index = openVectorIndex(writer.handle);
    for (const query of queries) {
      const hits = index.search(query, { count: 8 });
      expect(nodes(hits).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      for (const { node, chunk } of hits) {
        const of = vectors.slice(node * 100, node * 100 + 100);
        const best = exactNearest(of, query, 1)[0]!;
        expect(cosine(of[chunk]!, query)).toBeGreaterThan(cosine(of[best]!, query) - TOLERANCE);
      }
    }
  });

  it('leaves out what is less similar than asked for', () => {
    const writer = writerOf();
    putAll(writer, vectors);
    const hits = openVectorIndex(writer.handle).search(queries[0]!, {
      count: 700,
      similarityMin: 0.2,
    });
    const expected = vectors.filter((vector) => cosine(vector, queries[0]!) >= 0.2);
    expect(hits.length).toBeGreaterThan(5);
    expect(Math.abs(hits.length - expected.length)).toBeLessThan(3);
    expect(Math.min(...hits.map((hit) => hit.similarity))).toBeGreaterThanOrEqual(0.2);
  });

  it('gives the vectors of a node back', () => {
    const writer = writerOf();
    writer.put(4, [
      { chunk: 3, vector: vectors[0]!.map((value) => value * 50) },
      { chunk: 1, vector: vectors[1]! },
    ]);
    const [first, second, ...rest] = openVectorIndex(writer.handle).vectorsOf(4);
    expect([first?.chunk, second?.chunk, rest]).toEqual([1, 3, []]);
    for (let d = 0; d < DIMENSIONS; d++) {
      expect(Math.abs(second!.vector[d]! - normalized(vectors[0]!)[d]!)).toBeLessThan(TOLERANCE);
    }
    expect(openVectorIndex(writer.handle).vectorsOf(5)).toEqual([]);
  });

  it('changes nothing when one vector of a node is refused', () => {
    const writer = writerOf();
    writer.put(1, [{ chunk: 0, vector: vectors[0]! }]);
    const chunks = [vectors[1]!, new Float32Array(DIMENSIONS)];
    expect(() =>
      writer.put(
        1,
        chunks.map((vector, chunk) => ({ chunk, vector })),
      ),
    ).toThrow(expect.objectContaining({ code: 'invalid_vector' }));
    expect(openVectorIndex(writer.handle).search(vectors[0]!, { count: 2 })).toHaveLength(1);
    expect(writer.stats.vectors).toBe(1);
  });

  it.each([1, 2, 15, 16, 17, 4096])('works in %i dimensions', (dimensions) => {
    const { vectors: few } = clusteredVectors({ count: 40, dimensions, clusters: 5, seed: 3 });
    const writer = writerOf({ dimensions });
    putAll(writer, few);
    const index = openVectorIndex(writer.handle);
    for (const query of few) {
      const [best] = index.search(query, { count: 1 });
      expect(best?.similarity).toBeGreaterThan(1 - 1e-3);
    }
  });
});

describe('puts, deletes, and searches in any order', () => {
  const { vectors } = clusteredVectors({ count: 60, dimensions: DIMENSIONS, clusters: 6, seed: 9 });
  const step = fc.oneof(
    fc.record({ put: fc.nat(15), vectors: fc.array(fc.nat(59), { maxLength: 4 }) }),
    fc.record({ delete: fc.nat(15) }),
    fc.record({ work: fc.integer({ min: 1, max: 30 }) }),
    fc.constant({ compact: true } as const),
  );

  it('finds what a map of vectors has', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 0, max: 20 }),
        (steps, scanMax) => {
          const writer = writerOf({ capacity: 16, scanMax });
          const model = new Map<number, readonly number[]>();
          for (const one of steps) {
            if ('put' in one) {
              writer.put(
                one.put,
                one.vectors.map((i, chunk) => ({ chunk, vector: vectors[i]! })),
              );
              model.set(one.put, one.vectors);
            } else if ('delete' in one) {
              writer.delete(one.delete);
              model.delete(one.delete);
            } else if ('work' in one) writer.work(one.work);
            else writer.compact();
          }
          expectSameAs(model, writer);
          finish(writer);
          expectSameAs(model, writer);
        },
      ),
      { seed: seed(), numRuns: scale({ sample: 100, soak: 10_000 }) },
    );
  });

  function expectSameAs(
    model: ReadonlyMap<number, readonly number[]>,
    writer: VectorIndexWriter,
  ): void {
    const index = openVectorIndex(writer.handle);
    const expected = [...model].filter(([, list]) => list.length > 0);
    const all = index.search(vectors[0]!, { count: 100 });
    expect(nodes(all).toSorted((a, b) => a - b)).toEqual(
      expected.map(([node]) => node).toSorted((a, b) => a - b),
    );
    for (const [node, list] of expected) {
      expect(index.vectorsOf(node)).toHaveLength(list.length);
      const best = Math.max(...list.map((i) => cosine(vectors[i]!, vectors[0]!)));
      const hit = all.find((one) => one.node === node);
      expect(Math.abs(hit!.similarity - best)).toBeLessThan(TOLERANCE);
    }
  }
});
