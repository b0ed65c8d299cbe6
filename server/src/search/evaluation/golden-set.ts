import { tryParseUid } from '#base/uid.ts';
import type { Metrics } from './metrics.ts';
import { invalid } from '../request/members.ts';
import { readSearchRequest } from '../request/read-request.ts';

/** Queries with the nodes that they should find (open-shapes, section 6). The same shape as the contract's. */
export interface GoldenSet {
  readonly description: string;
  /** What every search of the set has beside its query: types, fields, filters and the like. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly queries: readonly GoldenQuery[];
}

export interface GoldenQuery {
  readonly query: string;
  readonly relevant: readonly RelevantNode[];
}

/** A UID alone has the grade 1. */
export type RelevantNode = string | { readonly uid: string; readonly grade: number };

/** How one query did. */
export interface QueryResult {
  readonly query: string;
  readonly ndcg: number;
  /** Rank of the first relevant hit; null when there is none. */
  readonly rank: number | null;
}

/** A golden set as it was searched at one time. */
export interface Evaluation {
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Sequence of the workspace when the evaluation began. */
  readonly sequence: number;
  /** How many queries the metrics are the mean of. */
  readonly queries: number;
  readonly metrics: Metrics;
}

export function gradeOf(node: RelevantNode): { readonly uid: string; readonly grade: number } {
  return typeof node === 'string' ? { uid: node, grade: 1 } : node;
}

/** Members of a search that the evaluation sets itself, or that do not change what is found first. */
const REFUSED = ['query', 'skip', 'take', 'explain', 'facets'];

/**
 * What the contract's shape does not tell; throws `invalid_request`. Whether the nodes exist is found out when the set is run:
 * they come and go.
 */
export function checkGoldenSet({ request, queries }: GoldenSet): void {
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
