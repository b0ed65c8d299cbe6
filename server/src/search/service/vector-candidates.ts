import type { AllowList } from '../vector/allow-list.ts';
import type { VectorInput } from '../vector/quantize.ts';
import type { OpenedVectors } from './opened-snapshot.ts';

/** A vector to compare with: those of its model, or without one all of as many dimensions. */
export interface SoughtVector {
  readonly vector: VectorInput;
  readonly model?: string | undefined;
}

/** A node and its most similar vector. */
export interface VectorCandidate {
  readonly node: number;
  /** Cosine, -1 to 1. */
  readonly similarity: number;
  readonly chunk: number;
  readonly of: OpenedVectors;
}

export interface CandidateOptions {
  readonly count: number;
  readonly similarityMin: number;
  /** Only these nodes. */
  readonly allow: AllowList | undefined;
  /** Takes a node and the number of its type. Called only for nodes that are similar enough. */
  readonly accepts: ((node: number, type: number) => boolean) | undefined;
}

/**
 * The nodes most similar to any of the vectors, each once; best first, then the smaller id. Nodes
 * that may not be found are left out before ranking.
 */
export function vectorCandidates(
  fields: readonly OpenedVectors[],
  sought: readonly SoughtVector[],
  { count, similarityMin, allow, accepts }: CandidateOptions,
): VectorCandidate[] {
  const best = new Map<number, VectorCandidate>();
  for (const of of fields) {
    const type = of.type.id;
    const options = {
      count,
      similarityMin,
      ...(allow === undefined ? {} : { allow }),
      ...(accepts === undefined ? {} : { accepts: (node: number) => accepts(node, type) }),
    };
    for (const one of sought) {
      if (!isComparable(of, one)) continue;
      for (const { node, chunk, similarity } of of.index.search(one.vector, options)) {
        if (similarity > (best.get(node)?.similarity ?? -Infinity)) {
          best.set(node, { node, similarity, chunk, of });
        }
      }
    }
  }
  return [...best.values()]
    .toSorted((a, b) => b.similarity - a.similarity || a.node - b.node)
    .slice(0, count);
}

/** Vectors of two models cannot be compared, whatever their dimensions. */
export function isComparable(
  { index }: Pick<OpenedVectors, 'index'>,
  { vector, model }: SoughtVector,
): boolean {
  return (model === undefined || model === index.model) && vector.length === index.dimensions;
}
