import type { DocumentFilter } from './document-filter.ts';
import type { Matches } from './match-collectors.ts';
import { NO_DOCUMENT } from './postings-cursor.ts';
import type { SearchCursor } from './search-cursor.ts';
import type { Segment } from './segment.ts';
import type { TopHits } from './top-hits.ts';

/** Score of a document that no word was asked of. */
export const SCORE_WITHOUT_WORDS = 1;

/** A search in one segment: what its ways of searching have in common. */
export interface SegmentSearch {
  readonly segment: Segment;
  /** Number of the segment's part in the view. */
  readonly part: number;
  readonly musts: readonly SearchCursor[];
  readonly shoulds: readonly SearchCursor[];
  readonly nots: readonly SearchCursor[];
  readonly filter: DocumentFilter;
  readonly order: 'relevance' | 'newest' | 'oldest';
  readonly decay: ((timestampMs: number) => number) | undefined;
  readonly top: TopHits;
  /** Where all matches are asked for; else those without a chance are passed over. */
  readonly matches: Matches | undefined;
}

/** Whether a `not` group matches a document. Documents ascend from call to call. */
export function isRefused({ nots }: SegmentSearch, document: number): boolean {
  for (const cursor of nots) {
    cursor.seek(document);
    if (cursor.document === document) return true;
  }
  return false;
}

/** Puts a match where it belongs among the best ones. `textScore` is not asked for in an order by time. */
export function offer(search: SegmentSearch, document: number, textScore: number): void {
  const { nodes, timestampsMs } = search.segment.documents;
  const timestampMs = timestampsMs[document]!;
  let value = textScore;
  if (search.order === 'newest') value = timestampMs;
  else if (search.order === 'oldest') value = -timestampMs;
  else if (search.decay !== undefined) value *= search.decay(timestampMs);
  if (value >= search.top.threshold) {
    search.top.offer(value, nodes[document]!, search.part, document);
  }
}

/** Every document: for filters and facets without words. */
export function searchAll(search: SegmentSearch): void {
  const { filter, matches, segment } = search;
  for (let document = 0; document < segment.documents.count; document++) {
    if (!filter.accepts(document) || isRefused(search, document)) continue;
    matches?.add(document);
    offer(search, document, SCORE_WITHOUT_WORDS);
  }
}

/**
 * Documents that all `must` groups match. The rarest group leads, the others follow. Scores are added up in the order
 * of the query's groups, so that equal documents have equal scores wherever they are.
 */
export function searchConjunction(search: SegmentSearch): void {
  const { musts, shoulds, filter, top, matches, order } = search;
  const byCost = musts.toSorted((a, b) => a.cost - b.cost);
  const lead = byCost[0]!;
  const shouldsMax = shoulds.reduce((sum, { scoreMax }) => sum + scoreMax, 0);
  const isRanked = order === 'relevance';
  let document = lead.document;
  while (document !== NO_DOCUMENT) {
    const allowed = filter.firstAllowed(document);
    const other = allowed === document ? firstBeyond(byCost, document) : allowed;
    if (other !== document) {
      lead.seek(other);
      document = lead.document;
      continue;
    }
    const hasChance = !isRanked || blockScoreMax(musts) + shouldsMax >= top.threshold;
    if (!hasChance && matches === undefined) {
      lead.seek(Math.min(afterBlocks(musts), NO_DOCUMENT));
      document = lead.document;
      continue;
    }
    if (filter.accepts(document) && !isRefused(search, document)) {
      matches?.add(document);
      if (hasChance) {
        offer(search, document, isRanked ? scoreAt(musts, shoulds, document) : 0);
      }
    }
    lead.next();
    document = lead.document;
  }
}

/** The document itself where all cursors come to stand at it, else a later one that is the next it can be. */
function firstBeyond(cursors: readonly SearchCursor[], document: number): number {
  for (let i = 1; i < cursors.length; i++) {
    const cursor = cursors[i]!;
    cursor.seek(document);
    if (cursor.document !== document) return cursor.document;
  }
  return document;
}

function blockScoreMax(cursors: readonly SearchCursor[]): number {
  let sum = 0;
  for (const cursor of cursors) sum += cursor.blockScoreMax();
  return sum;
}

function afterBlocks(cursors: readonly SearchCursor[]): number {
  let last = NO_DOCUMENT;
  for (const cursor of cursors) last = Math.min(last, cursor.blockLast());
  return last + 1;
}

function scoreAt(
  musts: readonly SearchCursor[],
  shoulds: readonly SearchCursor[],
  document: number,
): number {
  let score = 0;
  for (const cursor of musts) score += cursor.score();
  for (const cursor of shoulds) {
    cursor.seek(document);
    if (cursor.document === document) score += cursor.score();
  }
  return score;
}
