import { SIMILAR_VECTORS_MAX } from '#base/search-limits.ts';
import { type FoundNode, QueryContext, type WantedSimilarity } from '#graph/query/query-context.ts';
import type { Visibility } from '#graph/reader.ts';
import { vectorOf } from '../embeddings/embedding-record.ts';
import { invalid } from '../request/members.ts';
import { conditionsOf, type SearchSources } from '../service/prepared-search.ts';
import { SearchScope } from '../service/scope.ts';
import { type SoughtVector, vectorCandidates } from '../service/vector-candidates.ts';

export interface WantedSimilar {
  /** A node is as similar as its best vector is to the best of these. */
  readonly vectors: readonly SoughtVector[];
  /** Types of the nodes that are found; undefined: all. */
  readonly types?: readonly string[] | undefined;
  /** Fields to compare; undefined: all with vectors. */
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
  /** The number of its piece of text. */
  readonly chunk: number;
  /** Its length is 1. */
  readonly vector: Float32Array;
}

/**
 * The most similar nodes that somebody may see, by fields that they may read; best first, with
 * cosines. Throws `invalid_query` for an unknown type, `invalid_request` if nothing has vectors.
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

/** The vectors of a node in fields that somebody may read; none when they do not see it. */
export function vectorsOfNode(
  { reader, snapshot }: Sources,
  id: number,
  visibility: Visibility | undefined,
  fields?: readonly string[],
): NodeVector[] {
  const context = new QueryContext(reader, visibility, undefined);
  const type = context.typeId(id);
  if (type === 0 || !context.sees(id)) return [];
  const scope = new SearchScope(snapshot, context, { types: undefined, fields: undefined });
  const planned = scope.vectors(fields).filter((one) => one.type.id === type);
  return scope.opened(planned).flatMap(({ field, index }) =>
    index.vectorsOf(id).map(({ chunk, vector }) => ({
      field: field.name,
      model: index.model,
      chunk,
      vector,
    })),
  );
}

const HINT = 'Set vector for a field of text in the search settings.';

type Sources = Pick<SearchSources, 'reader' | 'snapshot'>;

/**
 * For `startAtVectors`, `startAtSimilar` and `similar` of a query: see `FindSimilar`. Hidden nodes
 * are neither found nor compared with. Throws as `similarTo`, and `invalid_vector`.
 */
export function findSimilar(
  sources: Sources,
  wanted: WantedSimilarity,
  visibility: Visibility | undefined,
): readonly FoundNode[] {
  if ('vectors' in wanted) {
    if (Object.keys(wanted.vectors).length === 0) {
      const context = new QueryContext(sources.reader, visibility, undefined);
      if ((wanted.types ?? [undefined]).some((type) => context.conceals(type))) return [];
      throw invalid(
        'startAtSimilarText',
        'there is no field of text with vectors to compare',
        HINT,
      );
    }
    const vectors = Object.entries(wanted.vectors).map(([model, vector]) => ({
      model,
      vector: vectorOf(vector),
    }));
    return similarTo(sources, { ...wanted, vectors }, visibility);
  }
  const { ids, fields } = wanted;
  const all = ids.map((id) => vectorsOfNode(sources, id, visibility, fields));
  const vectors = comparedVectors(all);
  if (vectors.length === 0) return [];
  return similarTo(sources, { ...wanted, vectors, except: new Set(ids) }, visibility);
}

/** Picks the vectors to compare with from all vectors of some nodes. */
export function comparedVectors(
  ofNodes: readonly (readonly NodeVector[])[],
): readonly NodeVector[] {
  const each = ofNodes.flatMap(byField);
  const max = Math.ceil(SIMILAR_VECTORS_MAX / Math.max(1, each.length));
  return each.flatMap((vectors) => spread(vectors, max));
}

function byField(vectors: readonly NodeVector[]): (readonly NodeVector[])[] {
  return [...Map.groupBy(vectors, ({ field }) => field).values()];
}

/** At most `max` pieces, spread over the text: comparing all of a long text takes too long. */
function spread<T>(list: readonly T[], max: number): readonly T[] {
  if (list.length <= max) return list;
  return Array.from({ length: max }, (_, i) => list[Math.floor((i * list.length) / max)]!);
}
