import { setImmediate as turn } from 'node:timers/promises';
import {
  EVALUATION_HITS,
  EVALUATION_SLICE_MS,
  EVALUATION_TIMEOUT_MS,
} from '#base/search-limits.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Searcher } from '../service/searcher.ts';
import { gradeOf, type GoldenQuery, type GoldenSet, type QueryResult } from './golden-set.ts';
import { meanMetrics, qualityOf, type Metrics } from './metrics.ts';

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

/** Of the nodes that exist. */
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
