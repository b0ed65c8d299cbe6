import type {
  CheckedGoldenSet,
  QueryChange,
  SearchEvaluationList,
  SearchEvaluationReport,
  SearchMetrics,
} from '@trellis/contract/shapes/search-evaluation.ts';
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
import { tryParseUid } from '#base/uid.ts';
import { invalid } from '../request/members.ts';
import { readSearchRequest } from '../request/read-request.ts';

export type GoldenQuery = CheckedGoldenSet['queries'][number];
type RelevantNode = GoldenQuery['relevant'][number];
/** One run of a golden set. */
export type Evaluation = SearchEvaluationList['items'][number];

/** The result of one query. */
export interface QueryResult {
  readonly query: string;
  readonly ndcg: number;
  /** Rank of the first relevant hit; null when there is none. */
  readonly rank: number | null;
}

function gradeOf(node: RelevantNode): { readonly uid: string; readonly grade: number } {
  return typeof node === 'string' ? { uid: node, grade: 1 } : node;
}

/** Members of a search that the evaluation sets itself, or that do not change the first hits. */
const REFUSED = ['query', 'skip', 'take', 'explain', 'facets'];

/**
 * Checks what the contract's shape does not; throws `invalid_request`. A run, not this check, finds
 * nodes that do not exist: they come and go.
 */
export function checkGoldenSet({ request, queries }: CheckedGoldenSet): void {
  for (const name of REFUSED) {
    if (Object.hasOwn(request, name)) throw invalid(`request.${name}`, 'is set by the evaluation');
  }
  readSearchRequest(request);
  const known = new Set<string>();
  for (const [i, { query, relevant }] of queries.entries()) {
    if (known.has(query)) throw invalid(`queries[${i}].query`, `"${query}" is there twice`);
    known.add(query);
    checkRelevant(relevant, `queries[${i}].relevant`);
  }
}

function checkRelevant(relevant: readonly RelevantNode[], path: string): void {
  const known = new Set<string>();
  for (const [i, node] of relevant.entries()) {
    const { uid } = gradeOf(node);
    if (tryParseUid(uid) === undefined) throw invalid(`${path}[${i}]`, `"${uid}" is not a UID`);
    if (known.has(uid)) throw invalid(`${path}[${i}]`, `"${uid}" is there twice`);
    known.add(uid);
  }
}

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

type MissingNode = SearchEvaluationReport['missing']['items'][number];

/** The outcome. Queries whose relevant nodes are all gone count for nothing. */
export interface Evaluated {
  readonly metrics: SearchMetrics;
  readonly results: readonly QueryResult[];
  readonly missing: readonly MissingNode[];
}

/**
 * Searches every query of the set as the system, so the result is the same whoever asks. Yields the
 * thread every few milliseconds. Throws `evaluation_timeout`, what the searcher and the provider of
 * embeddings throw, and the reason of the signal.
 */
export async function evaluate(
  { request, queries }: CheckedGoldenSet,
  { reader, searcher, embedQuery, clock }: EvaluationParts,
  signal: AbortSignal,
): Promise<Evaluated> {
  const isText = (request['mode'] ?? 'text') === 'text';
  const startedAt = clock.now();
  let sliceAt = startedAt;
  const missing: MissingNode[] = [];
  const results: QueryResult[] = [];
  const metrics: SearchMetrics[] = [];
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

/** Stored with every run; more digits say nothing. */
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

/** The first items of a long list. */
interface Listed<T> {
  readonly total: number;
  readonly items: readonly T[];
}

/** Compares the queries that are in both runs. */
export function compareEvaluations(
  now: readonly QueryResult[],
  before: readonly QueryResult[],
): Pick<SearchEvaluationReport, 'worse' | 'better'> {
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

interface RankingQuality {
  readonly metrics: SearchMetrics;
  /** Rank of the first relevant hit; 1 is the best, null when there is none. */
  readonly rank: number | null;
}

/**
 * How good the first EVALUATION_HITS hits are, as a page shows them. Each hit comes once; `grades`
 * has each relevant node, above 0, and at least one.
 *
 * - ndcg: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS
 *   20(4), 2002; gain and discount are those of trec_eval.
 * - mrr: Voorhees, "The TREC-8 Question Answering Track Report", 1999; 0 without a relevant hit.
 * - precision: a share of EVALUATION_HITS, also when there are fewer hits or relevant nodes.
 */
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
export function meanMetrics(all: readonly SearchMetrics[]): SearchMetrics {
  const mean = (of: (one: SearchMetrics) => number): number =>
    all.reduce((sum, one) => sum + of(one), 0) / Math.max(1, all.length);
  return {
    ndcg: mean(({ ndcg }) => ndcg),
    mrr: mean(({ mrr }) => mrr),
    precision: mean(({ precision }) => precision),
    recall: mean(({ recall }) => recall),
  };
}
