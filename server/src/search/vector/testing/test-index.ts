import { seededRandom } from '../../../../../test/support/seeded-random.ts';
import { VectorIndexWriter } from '../index-writer.ts';

export const DIMENSIONS = 24;

export function writerOf(
  options: { capacity?: number; scanMax?: number; dimensions?: number } = {},
) {
  const random = seededRandom(5);
  return new VectorIndexWriter({ dimensions: DIMENSIONS, model: 'test', random, ...options });
}

export function putAll(writer: VectorIndexWriter, vectors: readonly Float32Array[]): void {
  for (const [node, vector] of vectors.entries()) writer.put(node, [{ chunk: 0, vector }]);
}

export function finish(writer: VectorIndexWriter): void {
  while (writer.work(1_000));
}

export function nodes(hits: readonly { node: number }[]): number[] {
  return hits.map(({ node }) => node);
}
