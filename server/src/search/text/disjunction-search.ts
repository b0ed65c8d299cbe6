import type { DocumentFilter } from './document-filter.ts';
import { documentOfBit } from './match-collectors.ts';
import { NO_DOCUMENT } from './postings-cursor.ts';
import type { SearchCursor } from './search-cursor.ts';
import { type SegmentSearch, keepMatching, offer, offerAll } from './segment-search.ts';

/** The least length of a stretch: shorter ones cost more to skip than they save. */
const STRETCH_DOCUMENTS_MIN = 8_192;

/** The best documents that any `should` group matches. */
export function searchDisjunction(search: SegmentSearch): void {
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
export function collectDisjunction(search: SegmentSearch): void {
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
