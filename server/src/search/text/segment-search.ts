import type { Candidates } from './candidates.ts';
import type { DocumentFilter } from './document-filter.ts';
import type { Matches } from './match-collectors.ts';
import { NO_DOCUMENT } from './postings-cursor.ts';
import type { SearchCursor } from './search-cursor.ts';
import type { SearchScratch } from './score-window.ts';
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
  readonly scratch: SearchScratch;
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
  const { order, decay, top } = search;
  const { nodes, timestampsMs } = search.segment.documents;
  let value = textScore;
  if (order !== 'relevance') {
    value = order === 'newest' ? timestampsMs[document]! : -timestampsMs[document]!;
  } else if (decay !== undefined && value >= top.threshold) {
    value *= decay(timestampsMs[document]!);
  }
  if (value >= top.threshold) top.offer(value, nodes[document]!, search.part, document);
}

export function offerAll(search: SegmentSearch, { documents, scores, size }: Candidates): void {
  for (let i = 0; i < size; i++) offer(search, documents[i]!, scores[i]!);
}

/** Keeps the candidates that meet the conditions that there are no bits for, and that no `not` group matches. */
export function keepMatching(search: SegmentSearch, candidates: Candidates): void {
  const { filter, nots } = search;
  if (filter.isPlain && nots.length === 0) return;
  const { documents, scores, size } = candidates;
  let kept = 0;
  for (let i = 0; i < size; i++) {
    const document = documents[i]!;
    if (!filter.meetsRest(document) || isRefused(search, document)) continue;
    documents[kept] = document;
    scores[kept++] = scores[i]!;
  }
  candidates.size = kept;
}

/** Every document: for filters and facets without words. */
export function searchAll(search: SegmentSearch): void {
  const { filter, matches, segment } = search;
  const { count } = segment.documents;
  for (
    let document = filter.firstAllowed(0);
    document < count;
    document = filter.firstAllowed(document + 1)
  ) {
    if (!filter.accepts(document) || isRefused(search, document)) continue;
    matches?.add(document);
    offer(search, document, SCORE_WITHOUT_WORDS);
  }
}

/** Documents that all `must` groups match: those of the rarest group, a block at a time, that the others meet. */
export function searchConjunction(search: SegmentSearch): void {
  const { filter, top, matches, shoulds } = search;
  const { candidates } = search.scratch;
  const [lead, ...others] = search.musts.toSorted((a, b) => a.cost - b.cost);
  const othersMax = maximum(others) + maximum(shoulds);
  const isRanked = search.order === 'relevance';
  const isPruned = isRanked && matches === undefined;
  while (lead!.document !== NO_DOCUMENT) {
    const from = filter.firstAllowed(lead!.document);
    lead!.lookAhead(from);
    const last = Math.min(lead!.blockLast(), NO_DOCUMENT - 1);
    const max = lead!.blockScoreMax() + othersMax;
    candidates.isScored = isRanked && max >= top.threshold;
    lead!.seek(isPruned && !candidates.isScored ? last + 1 : from);
    if (lead!.document > last) continue;
    const next = lead!.collect(candidates, last + 1);
    filter.keepAccepted(candidates);
    meetAll(others, candidates, true, isPruned ? top.threshold - max : -Infinity);
    if (!isPruned) keepMatching(search, candidates);
    matches?.addAll(candidates);
    if (candidates.isScored) {
      lead!.scoreCollected(candidates);
      meetAll(shoulds, candidates, false, top.threshold - maximum(shoulds));
      candidates.keepFrom(top.threshold);
      if (isPruned) keepMatching(search, candidates);
    }
    if (candidates.isScored || !isRanked) offerAll(search, candidates);
    lead!.seek(next);
  }
}

/** Candidates are kept that lack no more than `lack` and what the cursors give at most. */
function meetAll(
  cursors: readonly SearchCursor[],
  candidates: Candidates,
  isRequired: boolean,
  lack: number,
): void {
  let minimum = lack;
  for (const cursor of cursors) {
    if (candidates.size === 0) return;
    minimum += cursor.scoreMax;
    cursor.meet(candidates, isRequired, minimum);
  }
}

function maximum(cursors: readonly SearchCursor[]): number {
  return cursors.reduce((sum, { scoreMax }) => sum + scoreMax, 0);
}
