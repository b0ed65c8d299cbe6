import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { scale } from '../../../../test/support/scale.ts';
import { seededRandom } from '../../../../test/support/seeded-random.ts';
import { openVectorIndex } from './index-reader.ts';
import { VectorIndexWriter } from './index-writer.ts';
import { clusteredVectors, exactNearest, recall } from './testing/clustered-vectors.ts';
import { GONE, PUT, READERS, STOP } from './testing/read-while-written.ts';
import type { ReadResult, ReadWhileWritten } from './testing/read-while-written.ts';

const DIMENSIONS = 32;
const COUNT = scale({ sample: 6_000, soak: 100_000 });
const BEFORE = 500;
const QUERIES = 30;

it('shows two threads beside the writer the newest, no deleted one, and nothing that never was', async () => {
  const shape = { dimensions: DIMENSIONS, clusters: 30 };
  const all = clusteredVectors({ count: COUNT + QUERIES, seed: 4, ...shape }).vectors;
  const vectors = all.slice(0, COUNT);
  const random = seededRandom(6);
  const writer = new VectorIndexWriter({
    dimensions: DIMENSIONS,
    model: 'test',
    random,
    scanMax: 800,
    capacity: COUNT,
  });
  const words = new Int32Array(new SharedArrayBuffer(16));
  const put = (node: number): void => {
    writer.put(node, [{ chunk: node % 100, vector: vectors[node]! }]);
    Atomics.store(words, PUT, node + 1);
  };
  for (let node = 0; node < BEFORE; node++) put(node);
  const workerData: ReadWhileWritten = {
    handle: writer.handle,
    words,
    vectors: COUNT,
    dimensions: DIMENSIONS,
  };
  const workers = [1, 2].map(
    () => new Worker(new URL('testing/read-while-written.ts', import.meta.url), { workerData }),
  );
  const results = workers.map((worker) => once(worker, 'message'));
  while (Atomics.load(words, READERS) < 2) await new Promise(setImmediate);
  for (let node = BEFORE; node < COUNT; node++) {
    put(node);
    writer.work(1);
    if (node % 4 > 0) continue;
    const oldest = (node - BEFORE) / 4;
    writer.delete(oldest);
    Atomics.store(words, GONE, oldest + 1);
  }
  Atomics.store(words, STOP, 1);
  for (const result of results) {
    const [{ searches, problems }] = (await result) as [ReadResult];
    expect(problems).toEqual([]);
    expect(searches).toBeGreaterThan(50);
  }
  const gone = Atomics.load(words, GONE);
  const index = openVectorIndex(writer.handle);
  const recalls = all.slice(COUNT).map((query) => {
    const found = index.search(query, { count: 10 }).map(({ node }) => node);
    return recall(
      found,
      exactNearest(vectors, query, 10, (node) => node >= gone),
    );
  });
  expect(recalls.reduce((sum, one) => sum + one, 0) / recalls.length).toBeGreaterThan(0.98);
});
