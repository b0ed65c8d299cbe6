import { DocumentFilter, type SearchFilter } from './document-filter.ts';
import type { IndexView } from './index-view.ts';
import { documentOfBit, type MatchCollector, Matches } from './match-collectors.ts';
import { NO_DOCUMENT } from './postings-cursor.ts';
import { type PreparedGroup, prepareQuery } from './prepared-query.ts';
import type { SearchCursor } from './search-cursor.ts';
import {
  type HitOrder,
  keepMatching,
  offer,
  offerAll,
  searchAll,
  searchConjunction,
  type SegmentSearch,
  TopHits,
} from './segment-search.ts';
import type { TextQuery } from './text-query.ts';
import type { VisibleFields } from './visible-fields.ts';

export interface TextSearchOptions {
  /** How many hits, from `offset` on. 0 where only counts are asked for. */
  readonly limit: number;
  readonly offset?: number;
  readonly order?: HitOrder;
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
  /** Includes the decay; 0 when sorted by time; what the hit is worth when sorted by that. */
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
      hitOf(view, part, document, order === 'newest' || order === 'oldest' ? 0 : value),
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

/** The least length of a stretch: shorter ones cost more to skip than they save. */
const STRETCH_DOCUMENTS_MIN = 8_192;

/** The best documents that any `should` group matches. */
function searchDisjunction(search: SegmentSearch): void {
  new Disjunction(search).run();
}

/**
 * MaxScore with block maxima (Turtle and Flood 1995; Ding and Suel 2011). Groups are sorted by
 * their highest score. The first `optional` groups cannot make a hit alone: they only score
 * candidates of the others. A stretch of blocks without a chance is skipped unread.
 */
class Disjunction {
  readonly #search: SegmentSearch;
  readonly #cursors: readonly SearchCursor[];
  /** [n]: the highest sum of the first n cursors. */
  readonly #sums: Float64Array;
  #optional = 0;

  constructor(search: SegmentSearch) {
    this.#search = search;
    this.#cursors = search.shoulds.toSorted((a, b) => a.scoreMax - b.scoreMax);
    this.#sums = new Float64Array(this.#cursors.length + 1);
    this.#cursors.forEach(({ scoreMax }, i) => (this.#sums[i + 1] = this.#sums[i]! + scoreMax));
  }

  run(): void {
    const { top, filter, scratch } = this.#search;
    scratch.candidates.isScored = true;
    for (
      let from = filter.firstAllowed(0);
      from !== NO_DOCUMENT;
      from = filter.firstAllowed(from)
    ) {
      while (
        this.#optional < this.#cursors.length &&
        this.#sums[this.#optional + 1]! < top.threshold
      ) {
        this.#optional++;
      }
      if (this.#optional === this.#cursors.length) return;
      from = this.#searchFrom(from);
    }
  }

  /** Searches a stretch of documents from `from` on. Returns the first document after it. */
  #searchFrom(from: number): number {
    const { top, filter, scratch } = this.#search;
    const cursors = this.#cursors;
    let max = this.#sums[this.#optional]!;
    let last = NO_DOCUMENT - 1;
    for (let i = this.#optional; i < cursors.length; i++) {
      const cursor = cursors[i]!;
      cursor.lookAhead(from);
      max += cursor.blockScoreMax();
      last = Math.min(last, cursor.blockLast());
    }
    if (max < top.threshold) return last + 1;
    last = Math.max(last, Math.min(from + STRETCH_DOCUMENTS_MIN, NO_DOCUMENT) - 1);
    const first = this.#firstFrom(from);
    if (first > last) return first;
    const { candidates, window } = scratch;
    const minimum = top.threshold - this.#sums[this.#optional]!;
    let next: number;
    if (this.#optional === cursors.length - 1) {
      const cursor = cursors[this.#optional]!;
      next = cursor.collect(candidates, last + 1);
      filter.keepAccepted(candidates);
      cursor.scoreCollected(candidates);
      candidates.keepFrom(minimum);
    } else {
      window.open(first, last + 1, filter);
      for (let i = this.#optional; i < cursors.length; i++) cursors[i]!.scoreWindow(window);
      window.drain(candidates, minimum);
      next = window.end;
    }
    this.#offerCandidates();
    return next;
  }

  /** Moves the groups that lead to candidates. Returns their first match from `from` on. */
  #firstFrom(from: number): number {
    let first = NO_DOCUMENT;
    for (let i = this.#optional; i < this.#cursors.length; i++) {
      const cursor = this.#cursors[i]!;
      cursor.seek(from);
      first = Math.min(first, cursor.document);
    }
    return first;
  }

  /**
   * Asks the other groups while they can make a difference, the one with the highest score first.
   */
  #offerCandidates(): void {
    const { top, scratch } = this.#search;
    const { candidates } = scratch;
    for (let i = this.#optional - 1; i >= 0 && candidates.size > 0; i--) {
      this.#cursors[i]!.meet(candidates, false, top.threshold - this.#sums[i]!);
    }
    if (candidates.size === 0) return;
    candidates.keepFrom(top.threshold);
    keepMatching(this.#search, candidates);
    offerAll(this.#search, candidates);
  }
}

/**
 * Collects all documents that any `should` group matches: sets a bit for each, group by group, then
 * applies the conditions to 32 documents at a time where they are bits.
 */
function collectDisjunction(search: SegmentSearch): void {
  const { shoulds, nots, segment, filter, matches, order } = search;
  const bits = new Uint32Array(Math.ceil(segment.documents.count / 32));
  for (const cursor of shoulds) cursor.markRest(bits);
  const refused = new Uint32Array(nots.length > 0 ? bits.length : 0);
  for (const cursor of nots) cursor.markRest(refused);
  for (let word = 0; word < bits.length; word++) {
    let accepted = filter.acceptedBits(word, bits[word]! & ~(refused[word] ?? 0));
    if (!filter.isPlain) accepted = withoutFailing(filter, word, accepted);
    if (accepted === 0) continue;
    matches?.addBits(word, accepted);
    if (order === 'relevance') continue;
    for (let rest = accepted; rest !== 0; rest &= rest - 1) {
      offer(search, documentOfBit(word, rest), 0);
    }
  }
}

function withoutFailing(filter: DocumentFilter, word: number, documents: number): number {
  let met = documents;
  for (let rest = documents; rest !== 0; rest &= rest - 1) {
    if (!filter.meetsRest(documentOfBit(word, rest))) met &= ~(rest & -rest);
  }
  return met;
}
