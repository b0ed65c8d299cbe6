import { collectDisjunction, searchDisjunction } from './disjunction-search.ts';
import { DocumentFilter, type SearchFilter } from './document-filter.ts';
import type { IndexView } from './index-view.ts';
import { type MatchCollector, Matches } from './match-collectors.ts';
import { type PreparedGroup, prepareQuery } from './prepared-query.ts';
import type { SearchCursor } from './search-cursor.ts';
import { searchAll, searchConjunction, type SegmentSearch, TopHits } from './segment-search.ts';
import type { TextQuery } from './text-query.ts';
import type { VisibleFields } from './visible-fields.ts';

export interface TextSearchOptions {
  /** How many hits, from `offset` on. 0 where only counts are asked for. */
  readonly limit: number;
  readonly offset?: number;
  readonly order?: 'relevance' | 'newest' | 'oldest';
  readonly filter?: SearchFilter;
  /** Other fields neither match nor score. Absent: all fields. */
  readonly visibleFields?: VisibleFields;
  /** Factor of a score: above 0, at most 1. */
  readonly decay?: (timestampMs: number) => number;
  /**
   * Whether to count all matches. Without it, matches that cannot be among the best are skipped.
   */
  readonly isCounted?: boolean;
  /** These see all matches. */
  readonly collectors?: readonly MatchCollector[];
}

export interface TextHit {
  readonly node: number;
  /** Id of the type. */
  readonly type: number;
  readonly timestampMs: number;
  readonly language: string;
  /** Includes the decay; 0 when sorted by time. */
  readonly score: number;
  /** Its place in the view: part, and document within the segment. */
  readonly part: number;
  readonly document: number;
}

export interface TextResult {
  readonly hits: readonly TextHit[];
  /** All matches, where they were counted. */
  readonly total?: number;
}

/**
 * Searches a view. Time is bounded by the postings of the terms: the caller limits the terms. Hits
 * with equal scores are sorted by node, so that the same documents give the same answer in any
 * view.
 */
export function searchText(
  view: IndexView,
  query: TextQuery,
  options: TextSearchOptions,
): TextResult {
  const groups = prepareQuery(view, query, options.visibleFields);
  const order = options.order ?? 'relevance';
  const offset = options.offset ?? 0;
  const top = new TopHits(offset + options.limit);
  const isEachMatchSeen = options.isCounted === true || (options.collectors?.length ?? 0) > 0;
  const scratch = view.takeScratch();
  const matches = isEachMatchSeen
    ? new Matches(options.collectors ?? [], scratch.matches)
    : undefined;
  for (const part of view.largestFirst) {
    const { segment } = view.parts[part]!;
    const filter = new DocumentFilter(view.parts[part]!, options.filter ?? {});
    const open = (): SegmentSearch | undefined => {
      const cursors = openCursors(groups, part);
      if (cursors === undefined) return undefined;
      const { decay } = options;
      return { segment, part, ...cursors, filter, order, decay, top, matches, scratch };
    };
    matches?.startSegment(segment);
    searchSegment(query, open);
    matches?.endSegment();
  }
  view.giveBack(scratch);
  const hits = top.ranked().slice(offset);
  return {
    hits: hits.map(({ value, part, document }) =>
      hitOf(view, part, document, order === 'relevance' ? value : 0),
    ),
    ...(options.isCounted === true ? { total: matches!.total } : {}),
  };
}

interface GroupCursors {
  readonly musts: readonly SearchCursor[];
  readonly shoulds: readonly SearchCursor[];
  readonly nots: readonly SearchCursor[];
}

/** Undefined where a `must` group has no match in the segment. */
function openCursors(groups: readonly PreparedGroup[], part: number): GroupCursors | undefined {
  const musts: SearchCursor[] = [];
  const shoulds: SearchCursor[] = [];
  const nots: SearchCursor[] = [];
  for (const group of groups) {
    const cursor = group.cursor(part);
    if (cursor === undefined) {
      if (group.occurrence === 'must') return undefined;
    } else if (group.occurrence === 'must') musts.push(cursor);
    else if (group.occurrence === 'should') shoulds.push(cursor);
    else nots.push(cursor);
  }
  return { musts, shoulds, nots };
}

function searchSegment({ groups }: TextQuery, open: () => SegmentSearch | undefined): void {
  const search = open();
  if (search === undefined) return;
  if (groups.every(({ occurrence }) => occurrence === 'not')) {
    searchAll(search);
  } else if (search.musts.length > 0) {
    searchConjunction(search);
  } else {
    const isOrdered = search.order !== 'relevance';
    if (isOrdered || search.matches !== undefined) collectDisjunction(search);
    // New cursors: the first pass has used its own.
    const ranked = isOrdered ? undefined : search.matches === undefined ? search : open();
    if (ranked !== undefined) searchDisjunction(ranked);
  }
}

function hitOf(view: IndexView, part: number, document: number, score: number): TextHit {
  const { documents } = view.parts[part]!.segment;
  return {
    node: documents.nodes[document]!,
    type: documents.typeIds[documents.types[document]!]!,
    timestampMs: documents.timestampsMs[document]!,
    language: documents.languageNames[documents.languages[document]!]!,
    score,
    part,
    document,
  };
}
