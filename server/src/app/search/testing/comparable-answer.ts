import { Problem } from '#base/problem.ts';
import type { SearchAnswer } from '#search/service/searcher.ts';

/** Hits of the same score come in any order; a refusal is its code. */
export function comparable(search: () => SearchAnswer): unknown {
  try {
    const { hits, total, facets } = search();
    const shown = hits.map(({ node, score, highlights }) => ({
      uid: node.UID,
      score: Number(score.toPrecision(9)),
      highlights,
    }));
    return {
      total,
      facets,
      hits: shown.toSorted((a, b) => b.score - a.score || (a.uid < b.uid ? -1 : 1)),
    };
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}
