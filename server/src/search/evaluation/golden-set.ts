import type {
  CheckedGoldenSet,
  SearchEvaluationList,
} from '@trellis/contract/shapes/search-evaluation.ts';
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

export function gradeOf(node: RelevantNode): { readonly uid: string; readonly grade: number } {
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
