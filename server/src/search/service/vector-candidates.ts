import type { AllowList } from '../vector/allow-list.ts';
import type { VectorInput } from '../vector/quantize.ts';
import type { OpenedVectors } from './opened-snapshot.ts';

/** A vector to which others are compared: those of its model, or all of as many dimensions. */
export interface SoughtVector {
  readonly vector: VectorInput;
  readonly model?: string | undefined;
}

/** A node with the vector of it that is the most similar. */
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
  /** Of a node and the number of its type: asked only of nodes that are similar enough. */
  readonly accepts: ((node: number, type: number) => boolean) | undefined;
}

/**
 * The nodes that are the most similar to any of the vectors, each once: best first, of equal ones the smaller id first. What is
 * not to be found is left out before any is ranked.
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

/** What two models make cannot be compared, whatever its dimensions. */
export function isComparable(
  { index }: Pick<OpenedVectors, 'index'>,
  { vector, model }: SoughtVector,
): boolean {
  return (model === undefined || model === index.model) && vector.length === index.dimensions;
}
