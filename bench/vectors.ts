import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AllowList } from '../server/src/search/vector/allow-list.ts';
import { openVectorIndex } from '../server/src/search/vector/index-reader.ts';
import { VectorIndexWriter } from '../server/src/search/vector/index-writer.ts';
import { clusteredVectors, recall } from '../server/src/search/vector/testing/clustered-vectors.ts';
import { loadVectorIndex, saveVectorIndex } from '../server/src/search/vector/vector-files.ts';
import { seededRandom } from '../test/support/seeded-random.ts';
import { compareLatency, timed, type Latency } from './measure.ts';
import { UsearchVectors } from './peers/usearch.ts';
import type { Report } from './report.ts';

const VECTORS = 100_000;
const DIMENSIONS = 384;
const CLUSTERS = 400;
const QUERIES = 200;
const HITS = 10;
const DELETED_SHARE = 0.2;

type Search = (query: Float32Array) => number[];

/**
 * In process: 100,000 clustered vectors of 384 dimensions beside usearch, with the exact answers
 * known.
 */
export async function benchVectors(report: Report): Promise<void> {
  const { vectors, queries, clusterOf } = makeVectors();
  const writer = newWriter();
  const usearch = new UsearchVectors(DIMENSIONS);
  await benchBuild(report, { vectors, writer, usearch });
  const index = openVectorIndex(writer.handle);
  const ours: Search = (query) => nodesOf(index.search(query, { count: HITS }));
  benchSearch(report, { vectors, queries, ours, usearch });
  const random = seededRandom(3);
  const allowed = Array.from({ length: VECTORS }, () => random() < 0.1);
  const lists = {
    'random tenth': (node: number) => allowed[node] === true,
    'tenth of the clusters': (node: number) => clusterOf[node]! < CLUSTERS / 10,
  };
  for (const [name, accepts] of Object.entries(lists)) {
    const nodes = [...vectors.keys()].filter(accepts);
    const allow = new AllowList(Float64Array.from(nodes));
    const filtered: Search = (query) => nodesOf(index.search(query, { count: HITS, allow }));
    benchAllowList(report, { name, vectors, queries, ours, filtered, accepts });
  }
  await benchSnapshot(report, writer);
  benchDeletes(report, { vectors, queries, ours, writer });
}

function makeVectors() {
  const shape = { dimensions: DIMENSIONS, clusters: CLUSTERS };
  const made = clusteredVectors({ count: VECTORS + QUERIES, seed: 7, ...shape });
  const { vectors, clusterOf } = made;
  return { vectors: vectors.slice(0, VECTORS), queries: vectors.slice(VECTORS), clusterOf };
}

function newWriter(): VectorIndexWriter {
  // A graph from the first vector on: at this size an index would still do without.
  const options = { dimensions: DIMENSIONS, model: 'bench', random: seededRandom(1), scanMax: 0 };
  return new VectorIndexWriter(options);
}

async function benchBuild(
  report: Report,
  subjects: {
    readonly vectors: readonly Float32Array[];
    readonly writer: VectorIndexWriter;
    readonly usearch: UsearchVectors;
  },
): Promise<void> {
  const { vectors, writer, usearch } = subjects;
  const put = await timed(() => {
    for (const [node, vector] of vectors.entries()) writer.put(node, [{ chunk: 0, vector }]);
  });
  const link = await timed(() => {
    while (writer.work(VECTORS));
  });
  const peer = await timed(() => usearch.load(vectors));
  const seconds = put.seconds + link.seconds;
  const ratio = peer.seconds / seconds;
  report.add({
    what: `vectors: build ${VECTORS} x ${DIMENSIONS}, one thread`,
    ours: `${rate(seconds)} vectors/s, of which found before linked ${rate(put.seconds)}/s`,
    others: [`usearch f16 ${rate(peer.seconds)} vectors/s`],
    ratio: ratio.toFixed(2),
    target: '0.5',
    reached: ratio >= 0.5,
  });
}

function benchSearch(
  report: Report,
  subjects: {
    readonly vectors: readonly Float32Array[];
    readonly queries: readonly Float32Array[];
    readonly ours: Search;
    readonly usearch: UsearchVectors;
  },
): void {
  const { vectors, queries, ours, usearch } = subjects;
  const peer: Search = (query) => usearch.search(query, HITS);
  const expected = exactAnswers(vectors, queries, () => true);
  const recalls = [meanRecall(ours, queries, expected), meanRecall(peer, queries, expected)];
  const latency = compare(queries, { ours, peer });
  const ratio = latency.ours.p50 / latency.peer.p50;
  report.add({
    what: `vectors: ${HITS} nearest of ${VECTORS} x ${DIMENSIONS}`,
    ours: `${shown(latency.ours)}, recall ${recalls[0]!.toFixed(4)}`,
    others: [`usearch f16 ${shown(latency.peer)}, recall ${recalls[1]!.toFixed(4)}`],
    ratio: `${ratio.toFixed(2)} of usearch at p50`,
    target: '1 with recall 0.99',
    reached: ratio <= 1 && recalls[0]! >= 0.99,
  });
}

function benchAllowList(
  report: Report,
  subjects: {
    readonly name: string;
    readonly vectors: readonly Float32Array[];
    readonly queries: readonly Float32Array[];
    readonly ours: Search;
    readonly filtered: Search;
    readonly accepts: (node: number) => boolean;
  },
): void {
  const { name, vectors, queries, ours, filtered, accepts } = subjects;
  const reached = meanRecall(filtered, queries, exactAnswers(vectors, queries, accepts));
  const latency = compare(queries, { ours: filtered, peer: ours });
  const ratio = latency.ours.p50 / latency.peer.p50;
  report.add({
    what: `vectors: ${HITS} nearest among an allow-list, ${name}`,
    ours: `${shown(latency.ours)}, recall ${reached.toFixed(4)}`,
    others: [`among all ${shown(latency.peer)}`],
    ratio: ratio.toFixed(2),
    target: '3 with recall 0.99',
    reached: ratio <= 3 && reached >= 0.99,
  });
}

async function benchSnapshot(report: Report, writer: VectorIndexWriter): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    const save = await timed(() => saveVectorIndex(folder, writer, 1));
    const options = { dimensions: DIMENSIONS, model: 'bench', random: seededRandom(1) };
    const load = await timed(() => loadVectorIndex(folder, options));
    report.add({
      what: `vectors: open the snapshot of ${VECTORS} x ${DIMENSIONS}, all bytes checked`,
      ours: `${load.seconds.toFixed(2)} s`,
      others: [`written and synced in ${save.seconds.toFixed(2)} s`],
      ratio: load.seconds.toFixed(2),
      target: '1 s',
      reached: load.seconds <= 1,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function benchDeletes(
  report: Report,
  subjects: {
    readonly vectors: readonly Float32Array[];
    readonly queries: readonly Float32Array[];
    readonly ours: Search;
    readonly writer: VectorIndexWriter;
  },
): void {
  const { vectors, queries, ours, writer } = subjects;
  const before = compare(queries, { ours, peer: ours }).ours;
  const isLeft = (node: number): boolean => node >= VECTORS * DELETED_SHARE;
  for (const node of vectors.keys()) if (!isLeft(node)) writer.delete(node);
  const reached = meanRecall(ours, queries, exactAnswers(vectors, queries, isLeft));
  const after = compare(queries, { ours, peer: ours }).ours;
  const ratio = after.p50 / before.p50;
  report.add({
    what: `vectors: ${HITS} nearest after ${DELETED_SHARE * 100} % were deleted, not compacted yet`,
    ours: `${shown(after)}, recall ${reached.toFixed(4)}`,
    others: [`before ${shown(before)}`],
    ratio: ratio.toFixed(2),
    target: '2 with recall 0.99',
    reached: ratio <= 2 && reached >= 0.99,
  });
}

function compare(
  queries: readonly Float32Array[],
  subjects: { readonly ours: Search; readonly peer: Search },
): { readonly ours: Latency; readonly peer: Latency } {
  const timedSubjects = {
    ours: (i: number) => subjects.ours(queries[i]!),
    peer: (i: number) => subjects.peer(queries[i]!),
  };
  const { ours, peer } = compareLatency(timedSubjects, QUERIES);
  if (ours === undefined || peer === undefined) throw new Error('a subject was not measured');
  return { ours, peer };
}

/** Vectors and queries have length 1. */
function exactAnswers(
  vectors: readonly Float32Array[],
  queries: readonly Float32Array[],
  accepts: (node: number) => boolean,
): number[][] {
  const nodes = [...vectors.keys()].filter(accepts);
  return queries.map((query) => {
    const places = nodes.map((node) => ({ node, similarity: dot(vectors[node]!, query) }));
    places.sort((a, b) => b.similarity - a.similarity);
    return places.slice(0, HITS).map(({ node }) => node);
  });
}

function dot(first: Float32Array, second: Float32Array): number {
  let sum = 0;
  for (let d = 0; d < DIMENSIONS; d++) sum += first[d]! * second[d]!;
  return sum;
}

function meanRecall(
  search: Search,
  queries: readonly Float32Array[],
  expected: readonly number[][],
): number {
  const recalls = queries.map((query, i) => recall(search(query), expected[i]!));
  return recalls.reduce((sum, one) => sum + one, 0) / recalls.length;
}

function nodesOf(hits: readonly { readonly node: number }[]): number[] {
  return hits.map(({ node }) => node);
}

function rate(seconds: number): number {
  return Math.round(VECTORS / seconds);
}

function shown({ p50, p99 }: Latency): string {
  return `p50 ${p50.toFixed(0)} us, p99 ${p99.toFixed(0)} us`;
}
