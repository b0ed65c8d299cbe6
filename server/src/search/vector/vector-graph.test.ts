import { describe, expect, it } from 'vitest';
import { AllowList } from './allow-list.ts';
import { openVectorIndex } from './index-reader.ts';
import { clusteredVectors, exactNearest, normalized, recall } from './testing/clustered-vectors.ts';
import { DIMENSIONS, finish, nodes, putAll, writerOf } from './testing/test-index.ts';

describe('an index with a graph', () => {
  const COUNT = 12_000;
  const shape = { dimensions: DIMENSIONS, clusters: 60 };
  const { vectors, clusterOf } = clusteredVectors({ count: COUNT, seed: 11, ...shape });
  const queries = clusteredVectors({ count: 40, seed: 12, ...shape }).vectors;
  const writer = writerOf({ scanMax: 1_000, capacity: 5_000 });
  putAll(writer, vectors);
  finish(writer);
  const index = openVectorIndex(writer.handle);

  function meanRecall(
    options: { allow?: AllowList; accepts?: (node: number) => boolean },
    accepts: (node: number) => boolean,
  ): number {
    const recalls = queries.map((query) => {
      const found = nodes(index.search(query, { count: 10, ...options }));
      expect(found.every(accepts)).toBe(true);
      return recall(found, exactNearest(vectors, query, 10, accepts));
    });
    return recalls.reduce((sum, one) => sum + one, 0) / recalls.length;
  }

  it('finds nearly all, in several shards', () => {
    expect(writer.stats).toEqual({ vectors: COUNT, deleted: 0, linked: COUNT, shards: 3 });
    expect(meanRecall({}, () => true)).toBeGreaterThan(0.98);
  });

  it.each([
    ['half of them', (node: number) => node % 2 === 0],
    ['a tenth of them', (node: number) => node % 10 === 3],
    ['a few clusters', (node: number) => clusterOf[node]! < 6],
    ['three nodes', (node: number) => node < 3],
    ['none', () => false],
  ])('finds only what is accepted: %s', (_, accepts) => {
    expect(meanRecall({ accepts }, accepts)).toBeGreaterThan(0.98);
    const allowed = [...vectors.keys()].filter(accepts);
    const allow = new AllowList(Float64Array.from(allowed));
    expect(meanRecall({ allow }, accepts)).toBeGreaterThan(0.98);
    expect(
      meanRecall(
        { allow, accepts: (node) => node % 3 > 0 },
        (node) => accepts(node) && node % 3 > 0,
      ),
    ).toBeGreaterThan(0.98);
  });

  it.each([
    ['half of them', (node: number) => node % 2 === 0],
    ['a tenth of them', (node: number) => node % 10 === 3],
    ['a few clusters', (node: number) => clusterOf[node]! < 6],
  ])('finds in the graph only what a long allow-list has: %s', (_, isAllowed) => {
    const through = openVectorIndex(writer.handle, 10);
    const allow = new AllowList(Float64Array.from([...vectors.keys()].filter(isAllowed)));
    const accepts = (node: number): boolean => node % 7 > 0;
    for (const options of [{ allow }, { allow, accepts }]) {
      const isFound = (node: number): boolean =>
        isAllowed(node) && (options.accepts?.(node) ?? true);
      const recalls = queries.map((query) => {
        const found = nodes(through.search(query, { count: 10, ...options }));
        expect(found.every(isFound)).toBe(true);
        return recall(found, exactNearest(vectors, query, 10, isFound));
      });
      expect(recalls.reduce((sum, one) => sum + one, 0) / recalls.length).toBeGreaterThan(0.98);
    }
  });

  it('goes through the graph for a list that is longer than may be compared one by one', () => {
    const list = Array.from({ length: 2_000 }, (_, i) => 2 * i);
    const firstAsked = (listScanMax: number): number[] => {
      const asked: number[] = [];
      const accepts = (node: number): boolean => asked.push(node) > 0;
      const allow = new AllowList(Float64Array.from(list));
      openVectorIndex(writer.handle, listScanMax).search(queries[0]!, { count: 1, allow, accepts });
      return asked.slice(0, 10);
    };
    // One by one they are asked in the order of their slots; the graph is begun at some all over
    // the list.
    expect(firstAsked(list.length)).toEqual(list.slice(0, 10));
    expect(firstAsked(list.length - 1)).not.toEqual(list.slice(0, 10));
  });

  it('finds the same without WebAssembly', () => {
    const plain = openVectorIndex({ ...writer.handle, kernel: null });
    for (const query of queries.slice(0, 5)) {
      expect(plain.search(query, { count: 10 })).toEqual(index.search(query, { count: 10 }));
    }
  });

  it('finds what is newly put at once, also by an allow-list that was used before', () => {
    const allow = new AllowList(Float64Array.from([1, 2, COUNT + 5]));
    const query = normalized(queries[0]!.map((value, d) => value + d));
    expect(nodes(index.search(query, { count: 5, allow })).toSorted((a, b) => a - b)).toEqual([
      1, 2,
    ]);
    writer.put(COUNT + 5, [{ chunk: 0, vector: query }]);
    const [best] = openVectorIndex(writer.handle).search(query, { count: 5 });
    expect(best?.node).toBe(COUNT + 5);
    expect(nodes(index.search(query, { count: 5, allow }))[0]).toBe(COUNT + 5);
    writer.delete(COUNT + 5);
    expect(nodes(index.search(query, { count: 5, allow }))).not.toContain(COUNT + 5);
    expect(nodes(index.search(query, { count: 5 }))).not.toContain(COUNT + 5);
  });

  it('finds nearly all of the rest after many deletes, before and after they are compacted', () => {
    const isLeft = (node: number): boolean => clusterOf[node]! % 3 > 0;
    for (const node of vectors.keys()) if (!isLeft(node)) writer.delete(node);
    const old = meanRecall({}, isLeft);
    expect(old).toBeGreaterThan(0.98);
    const before = writer.handle;
    finish(writer);
    expect(writer.handle.version).toBeGreaterThan(before.version);
    expect(writer.stats.deleted).toBe(0);
    const copied = openVectorIndex(writer.handle);
    const recalls = queries.map((query) =>
      recall(nodes(copied.search(query, { count: 10 })), exactNearest(vectors, query, 10, isLeft)),
    );
    expect(recalls.reduce((sum, one) => sum + one, 0) / recalls.length).toBeGreaterThan(0.98);
    // Whoever has the old shards open does not find what is deleted from now on either.
    const [best] = index.search(queries[0]!, { count: 1 });
    writer.delete(best!.node);
    expect(nodes(index.search(queries[0]!, { count: 10 }))).not.toContain(best!.node);
    writer.releaseRetired();
  });
});
