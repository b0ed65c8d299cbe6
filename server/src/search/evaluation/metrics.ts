import { EVALUATION_HITS } from '#base/search-limits.ts';

/** How good a ranking is, each from 0 to 1. All look at its first EVALUATION_HITS hits, as a page shows them. */
export interface Metrics {
  /**
   * Normalised discounted cumulated gain (Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS
   * 20(4), 2002): the grades of the hits, each divided by log2(rank + 1), as a share of what the best order would give. Gain and
   * discount are those of trec_eval.
   */
  readonly ndcg: number;
  /**
   * Mean reciprocal rank (Voorhees, "The TREC-8 Question Answering Track Report", 1999): 1 / rank of the first relevant hit, 0
   * without one.
   */
  readonly mrr: number;
  /** The share of EVALUATION_HITS that is relevant, also when there are fewer hits or fewer relevant nodes. */
  readonly precision: number;
  /** The share of the relevant nodes that is among the hits. */
  readonly recall: number;
}

export interface RankingQuality {
  readonly metrics: Metrics;
  /** Rank of the first relevant hit; 1 is the best, null when there is none. */
  readonly rank: number | null;
}

/** `grades`: of each relevant node, above 0; at least one. No hit comes twice. */
export function qualityOf(
  ranking: readonly string[],
  grades: ReadonlyMap<string, number>,
): RankingQuality {
  const hits = ranking.slice(0, EVALUATION_HITS).map((uid) => grades.get(uid) ?? 0);
  const found = hits.filter((grade) => grade > 0).length;
  const best = [...grades.values()].toSorted((a, b) => b - a).slice(0, EVALUATION_HITS);
  const first = hits.findIndex((grade) => grade > 0);
  const rank = first < 0 ? null : first + 1;
  return {
    metrics: {
      ndcg: discountedGain(hits) / discountedGain(best),
      mrr: rank === null ? 0 : 1 / rank,
      precision: found / EVALUATION_HITS,
      recall: found / grades.size,
    },
    rank,
  };
}

function discountedGain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, i) => sum + grade / Math.log2(i + 2), 0);
}

/** Without queries, all means are 0. */
export function meanMetrics(all: readonly Metrics[]): Metrics {
  const mean = (of: (one: Metrics) => number): number =>
    all.reduce((sum, one) => sum + of(one), 0) / Math.max(1, all.length);
  return {
    ndcg: mean(({ ndcg }) => ndcg),
    mrr: mean(({ mrr }) => mrr),
    precision: mean(({ precision }) => precision),
    recall: mean(({ recall }) => recall),
  };
}
