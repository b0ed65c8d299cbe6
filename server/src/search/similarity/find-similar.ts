import { SIMILAR_VECTORS_MAX } from '#base/search-limits.ts';
import { QueryContext, type FoundNode, type WantedSimilarity } from '#graph/query/query-context.ts';
import type { Visibility } from '#graph/reader.ts';
import { vectorOf } from '../embeddings/embedding-record.ts';
import { invalid } from '../request/members.ts';
import type { SearchSources } from '../service/prepared-search.ts';
import { similarTo, vectorsOfNode, type NodeVector } from '../service/similar-nodes.ts';

const HINT = 'Set vector for a field of text in the search settings.';

type Sources = Pick<SearchSources, 'reader' | 'snapshot'>;

/**
 * For `startAtVectors`, `startAtSimilar` and `similar` of a query: see `FindSimilar`. A node that is hidden is neither found nor
 * compared with. Throws as `similarTo` does, and `invalid_vector`.
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
  const all = ids.map((id) => vectorsOfNode(sources, id, visibility));
  const vectors = comparedVectors(all, fields);
  if (vectors.length === 0) return [];
  return similarTo(sources, { ...wanted, vectors, except: new Set(ids) }, visibility);
}

/** From all vectors of some nodes, picks those that others are compared with. */
export function comparedVectors(
  ofNodes: readonly (readonly NodeVector[])[],
  fields: readonly string[] | undefined,
): readonly NodeVector[] {
  const each = ofNodes.flatMap((vectors) => byField(vectors, fields));
  const max = Math.ceil(SIMILAR_VECTORS_MAX / Math.max(1, each.length));
  return each.flatMap((vectors) => spread(vectors, max));
}

function byField(
  vectors: readonly NodeVector[],
  fields: readonly string[] | undefined,
): (readonly NodeVector[])[] {
  const wanted = vectors.filter(({ field }) => fields?.includes(field) !== false);
  return [...Map.groupBy(wanted, ({ field }) => field).values()];
}

/** Of a long text some pieces, from its beginning to its end: to compare with each would take too long. */
function spread<T>(list: readonly T[], max: number): readonly T[] {
  if (list.length <= max) return list;
  return Array.from({ length: max }, (_, i) => list[Math.floor((i * list.length) / max)]!);
}
