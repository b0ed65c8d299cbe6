import type { Candidates, Matches } from './match-collectors.ts';
import type { DocumentFilter } from './document-filter.ts';
import { NO_DOCUMENT } from './postings-cursor.ts';
import type { SearchCursor, SearchScratch } from './search-cursor.ts';
import type { TextSegment } from './segment.ts';

/** The best documents so far, by value, then by node. A heap, worst on top. */
export class TopHits {
  /** A document with a lower value is not among the best. */
  threshold: number;
  readonly #capacity: number;
  readonly #values: number[] = [];
  readonly #nodes: number[] = [];
  readonly #parts: number[] = [];
  readonly #documents: number[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.threshold = capacity === 0 ? Infinity : -Infinity;
  }

  offer(value: number, node: number, part: number, document: number): void {
    if (this.#values.length < this.#capacity) {
      this.#rise(this.#values.length, value, node, part, document);
      if (this.#values.length === this.#capacity) this.threshold = this.#values[0]!;
      return;
    }
    const worst = this.threshold;
    if (value < worst || (value === worst && node > this.#nodes[0]!)) return;
    if (this.#capacity === 0) return;
    this.#sink(value, node, part, document);
    this.threshold = this.#values[0]!;
  }

  /** The best one first. */
  ranked(): { value: number; node: number; part: number; document: number }[] {
    return this.#values
      .map((value, index) => ({
        value,
        node: this.#nodes[index]!,
        part: this.#parts[index]!,
        document: this.#documents[index]!,
      }))
      .toSorted((a, b) => b.value - a.value || a.node - b.node);
  }

  #isWorse(value: number, node: number, than: number): boolean {
    const other = this.#values[than]!;
    return value < other || (value === other && node > this.#nodes[than]!);
  }

  #rise(from: number, value: number, node: number, part: number, document: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!this.#isWorse(value, node, parent)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, value, node, part, document);
  }

  #sink(value: number, node: number, part: number, document: number): void {
    const size = this.#values.length;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= size) break;
      if (
        child + 1 < size &&
        this.#isWorse(this.#values[child + 1]!, this.#nodes[child + 1]!, child)
      ) {
        child++;
      }
      if (this.#isWorse(value, node, child)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, value, node, part, document);
  }

  #move(from: number, to: number): void {
    this.#put(
      to,
      this.#values[from]!,
      this.#nodes[from]!,
      this.#parts[from]!,
      this.#documents[from]!,
    );
  }

  #put(at: number, value: number, node: number, part: number, document: number): void {
    this.#values[at] = value;
    this.#nodes[at] = node;
    this.#parts[at] = part;
    this.#documents[at] = document;
  }
}

/** Score of a document in a search without words. */
export const SCORE_WITHOUT_WORDS = 1;

/** By score, by time, or by what a node and its type are worth: greater values first. */
export type HitOrder =
  | 'relevance'
  | 'newest'
  | 'oldest'
  | { readonly worthOf: (node: number, type: number) => number };

/** A search in one segment, shared by all ways of searching. */
export interface SegmentSearch {
  readonly segment: TextSegment;
  /** Number of the segment's part in the view. */
  readonly part: number;
  readonly musts: readonly SearchCursor[];
  readonly shoulds: readonly SearchCursor[];
  readonly nots: readonly SearchCursor[];
  readonly filter: DocumentFilter;
  readonly order: HitOrder;
  readonly decay: ((timestampMs: number) => number) | undefined;
  readonly top: TopHits;
  /** Present if all matches are wanted; else documents without a chance are skipped. */
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

/** Offers a match to the best ones. `textScore` is not used when sorted by time. */
export function offer(search: SegmentSearch, document: number, textScore: number): void {
  const { order, decay, top } = search;
  const { nodes, timestampsMs } = search.segment.documents;
  let value = textScore;
  if (typeof order === 'object') {
    const { types, typeIds } = search.segment.documents;
    value = order.worthOf(nodes[document]!, typeIds[types[document]!]!);
  } else if (order !== 'relevance') {
    value = order === 'newest' ? timestampsMs[document]! : -timestampsMs[document]!;
  } else if (decay !== undefined && value >= top.threshold) {
    value *= decay(timestampsMs[document]!);
  }
  if (value >= top.threshold) top.offer(value, nodes[document]!, search.part, document);
}

export function offerAll(search: SegmentSearch, { documents, scores, size }: Candidates): void {
  for (let i = 0; i < size; i++) offer(search, documents[i]!, scores[i]!);
}

/** Drops candidates that fail the conditions without bits, or that a `not` group matches. */
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

/**
 * Searches documents that all `must` groups match: blocks of the rarest group, met with the others.
 */
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

/** Keeps candidates that lack at most `lack` and what the cursors can give. */
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
