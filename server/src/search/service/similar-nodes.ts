import { QueryContext, type FoundNode } from '#graph/query/query-context.ts';
import type { Visibility } from '#graph/reader.ts';
import { invalid } from '../request/members.ts';
import { conditionsOf } from './conditions.ts';
import { SearchScope } from './scope.ts';
import type { SearchSources } from './prepared-search.ts';
import { vectorCandidates, type SoughtVector } from './vector-candidates.ts';

export interface WantedSimilar {
  /** A node is as similar as its best vector is to the best of these. */
  readonly vectors: readonly SoughtVector[];
  /** Types of the nodes that are found; undefined: all. */
  readonly types?: readonly string[] | undefined;
  /** Whose vectors are compared; undefined: all that have any. */
  readonly fields?: readonly string[] | undefined;
  /** At most `VECTOR_HITS_MAX`. */
  readonly count: number;
  /** Cosine, -1 to 1. */
  readonly similarityMin?: number | undefined;
  /** Nodes that are not to be found. */
  readonly except?: ReadonlySet<number> | undefined;
}

export interface NodeVector {
  readonly field: string;
  readonly model: string;
  /** The number of the piece of text that it stands for. */
  readonly chunk: number;
  /** Its length is 1. */
  readonly vector: Float32Array;
}

type Sources = Pick<SearchSources, 'reader' | 'snapshot'>;

/**
 * The nodes that are the most similar, of those that somebody may see, by fields that they may read; the best first, with their
 * cosines. Throws `invalid_query` for a type that there is not, `invalid_request` where nothing has vectors.
 */
export function similarTo(
  { reader, snapshot }: Sources,
  wanted: WantedSimilar,
  visibility: Visibility | undefined,
): FoundNode[] {
  const { types, fields, except } = wanted;
  const context = new QueryContext(reader, visibility, undefined);
  const scope = new SearchScope(snapshot, context, { types, fields: undefined });
  const planned = scope.vectors(fields);
  if (planned.length === 0) {
    if (scope.concealsVectors(fields)) return [];
    throw invalid('fields', 'no field of these has vectors', 'Set vector in the search settings.');
  }
  const { test } = conditionsOf(context, { filters: [], relatedTo: [], targetUids: undefined });
  const isExcepted = except !== undefined && except.size > 0;
  const accepts = isExcepted
    ? (node: number, type: number) => !except.has(node) && test?.(node, type) !== false
    : test;
  const { count, similarityMin = -1 } = wanted;
  const options = { count, similarityMin, allow: undefined, accepts };
  return vectorCandidates(scope.opened(planned), wanted.vectors, options).map(
    ({ node, similarity }) => ({ id: node, score: similarity }),
  );
}

/** The vectors of a node in the fields that somebody may read; none when they do not see it. */
export function vectorsOfNode(
  { reader, snapshot }: Sources,
  id: number,
  visibility: Visibility | undefined,
): NodeVector[] {
  const context = new QueryContext(reader, visibility, undefined);
  const type = context.typeId(id);
  if (type === 0 || !context.sees(id)) return [];
  const scope = new SearchScope(snapshot, context, { types: undefined, fields: undefined });
  const planned = scope.vectors(undefined).filter((one) => one.type.id === type);
  return scope.opened(planned).flatMap(({ field, index }) =>
    index.vectorsOf(id).map(({ chunk, vector }) => ({
      field: field.name,
      model: index.model,
      chunk,
      vector,
    })),
  );
}
