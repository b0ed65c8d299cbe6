import { parentPort, workerData } from 'node:worker_threads';
import { must } from '#base/assert.ts';
import { openVectorIndex } from '../index-reader.ts';
import type { VectorIndexHandle } from '../vector-index.ts';
import { clusteredVectors } from './clustered-vectors.ts';

/** What a thread that reads is given: the words are below. */
export interface ReadWhileWritten {
  readonly handle: VectorIndexHandle;
  readonly words: Int32Array;
  readonly vectors: number;
  readonly dimensions: number;
}

/** Numbers that the writer publishes: nodes below `PUT` are in, those below `GONE` are deleted. */
export const PUT = 0;
export const GONE = 1;
export const STOP = 2;
/** The last word that readers count up once they run. */
export const READERS = 3;

export interface ReadResult {
  readonly searches: number;
  readonly problems: readonly string[];
}

/**
 * Searches as long as the writer writes, without WebAssembly's name, which endpoint workers do not
 * have either, and holds what it finds against what was published.
 */
function read({ handle, words, vectors: count, dimensions }: ReadWhileWritten): ReadResult {
  Reflect.deleteProperty(globalThis, 'WebAssembly');
  const { vectors } = clusteredVectors({ count, dimensions, clusters: 30, seed: 4 });
  const index = openVectorIndex(handle);
  const problems: string[] = [];
  let searches = 0;
  Atomics.add(words, READERS, 1);
  while (Atomics.load(words, STOP) === 0 && problems.length < 10) {
    const gone = Atomics.load(words, GONE);
    const put = Atomics.load(words, PUT);
    const newest = put - 1;
    const hits = index.search(must(vectors[newest], 'the newest vector'), { count: 10 });
    searches++;
    if (hits[0]?.node !== newest) problems.push(`node ${newest} is not found but ${hits[0]?.node}`);
    for (const { node, chunk, similarity } of hits) {
      if (!(node < count) || !Number.isInteger(node)) problems.push(`node ${node} was never put`);
      if (node < gone) problems.push(`node ${node} was deleted`);
      if (chunk !== node % 100) problems.push(`chunk ${chunk} of node ${node}`);
      if (!(similarity >= -1 && similarity <= 1)) problems.push(`similarity ${similarity}`);
    }
    const old = gone + Math.floor((newest - gone) / 2);
    const found = index.search(must(vectors[old], 'an old vector'), { count: 10 });
    const isGone = old < Atomics.load(words, GONE) + 100;
    if (found.length < 10) problems.push(`${found.length} hits`);
    if (!isGone && index.vectorsOf(old).length !== 1) problems.push(`vectors of node ${old}`);
  }
  return { searches, problems };
}

if (workerData !== null) parentPort?.postMessage(read(workerData as ReadWhileWritten));
