import { setImmediate as turn } from 'node:timers/promises';
import {
  EVALUATION_HITS,
  EVALUATION_LISTED_MAX,
  EVALUATION_SLICE_MS,
  EVALUATION_TIMEOUT_MS,
} from '#base/search-limits.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Searcher } from '../service/searcher.ts';
import { type GoldenQuery, type GoldenSet, gradeOf, type QueryResult } from './golden-set.ts';
import { meanMetrics, type Metrics, qualityOf } from './metrics.ts';

export interface EvaluationParts {
  readonly reader: GraphReader;
  readonly searcher: Pick<Searcher, 'search'>;
  /** The vectors of a request's query, by model: see `embedQuery`. */
  readonly embedQuery: (
    request: object,
    signal: AbortSignal,
  ) => Promise<Readonly<Record<string, string>>>;
  readonly clock: Clock;
}

export interface MissingNode {
  readonly query: string;
  readonly uid: string;
}

/** What came out of it. Queries that have no relevant node any more count for nothing. */
export interface Evaluated {
  readonly metrics: Metrics;
  readonly results: readonly QueryResult[];
  readonly missing: readonly MissingNode[];
}

/**
 * Searches every query of the set as the system, so that it does not matter who asks. The thread is left to others every few
 * milliseconds. Throws `evaluation_timeout`, what the searcher and the provider of embeddings throw, and the reason of the signal.
 */
export async function evaluate(
  { request, queries }: GoldenSet,
  { reader, searcher, embedQuery, clock }: EvaluationParts,
  signal: AbortSignal,
): Promise<Evaluated> {
  const isText = (request['mode'] ?? 'text') === 'text';
  const startedAt = clock.now();
  let sliceAt = startedAt;
  const missing: MissingNode[] = [];
  const results: QueryResult[] = [];
  const metrics: Metrics[] = [];
  for (const [i, golden] of queries.entries()) {
    const now = clock.now();
    if (now - sliceAt >= EVALUATION_SLICE_MS) {
      if (now - startedAt > EVALUATION_TIMEOUT_MS) throw timeout(i, queries.length);
      await turn();
      signal.throwIfAborted();
      reader.refresh();
      sliceAt = clock.now();
    }
    const grades = gradesOf(golden, reader, missing);
    if (grades.size === 0) continue;
    const { query } = golden;
    const wanted = { ...request, query, take: EVALUATION_HITS };
    const vectors = isText ? {} : { queryVectors: await embedQuery(wanted, signal) };
    const { hits } = searcher.search({ ...wanted, ...vectors }, undefined);
    const quality = qualityOf(
      hits.map(({ node }) => node.UID),
      grades,
    );
    metrics.push(quality.metrics);
    results.push({ query, ndcg: rounded(quality.metrics.ndcg), rank: quality.rank });
  }
  return { metrics: meanMetrics(metrics), results, missing };
}

/** Grades of the nodes that exist. */
function gradesOf(
  { query, relevant }: GoldenQuery,
  reader: GraphReader,
  missing: MissingNode[],
): Map<string, number> {
  const grades = new Map<string, number>();
  for (const node of relevant) {
    const { uid, grade } = gradeOf(node);
    if (reader.id({ uid }) === undefined) missing.push({ query, uid });
    else grades.set(uid, grade);
  }
  return grades;
}

/** Kept with every run: more digits tell nothing. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function timeout(done: number, total: number): Problem {
  const seconds = EVALUATION_TIMEOUT_MS / 1_000;
  return new Problem(
    'evaluation_timeout',
    `After ${seconds} seconds ${done} of ${total} queries were searched.`,
  );
}

/** A query that did better or worse than in the run before. */
interface QueryChange {
  readonly query: string;
  readonly ndcg: Change<number>;
  /** Rank of the first relevant hit; null when there was none. */
  readonly rank: Change<number | null>;
}

interface Change<T> {
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

/** Compares the queries that are in both runs. */
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
