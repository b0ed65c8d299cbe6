import { EVALUATION_LISTED_MAX } from '#base/search-limits.ts';
import type { QueryResult } from './golden-set.ts';

/** A query that did better or worse than in the run before. */
export interface QueryChange {
  readonly query: string;
  readonly ndcg: Change<number>;
  /** Of the first relevant hit; null when there was none. */
  readonly rank: Change<number | null>;
}

export interface Change<T> {
  readonly now: T;
  readonly before: T;
}

/** The first of a list that may be long. */
export interface Listed<T> {
  readonly total: number;
  readonly items: readonly T[];
}

export interface Comparison {
  /** Those that lost most come first. */
  readonly worse: Listed<QueryChange>;
  /** Those that gained most come first. */
  readonly better: Listed<QueryChange>;
}

/** Of the queries that are in both runs. */
export function compareEvaluations(
  now: readonly QueryResult[],
  before: readonly QueryResult[],
): Comparison {
  const earlier = new Map(before.map((result) => [result.query, result]));
  const changes: (QueryChange & { readonly gain: number })[] = [];
  for (const { query, ndcg, rank } of now) {
    const old = earlier.get(query);
    if (old === undefined || old.ndcg === ndcg) continue;
    changes.push({
      query,
      ndcg: { now: ndcg, before: old.ndcg },
      rank: { now: rank, before: old.rank },
      gain: ndcg - old.ndcg,
    });
  }
  const sorted = changes.toSorted((a, b) => a.gain - b.gain);
  const worse = sorted.filter(({ gain }) => gain < 0);
  const better = sorted.filter(({ gain }) => gain > 0).toReversed();
  return { worse: listed(worse.map(withoutGain)), better: listed(better.map(withoutGain)) };
}

function withoutGain({ query, ndcg, rank }: QueryChange): QueryChange {
  return { query, ndcg, rank };
}

export function listed<T>(all: readonly T[]): Listed<T> {
  return { total: all.length, items: all.slice(0, EVALUATION_LISTED_MAX) };
}
