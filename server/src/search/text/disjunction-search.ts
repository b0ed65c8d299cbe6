import type { DocumentFilter } from './document-filter.ts';
import { documentOfBit } from './match-collectors.ts';
import { NO_DOCUMENT } from './postings-cursor.ts';
import type { SearchCursor } from './search-cursor.ts';
import { type SegmentSearch, isRefused, offer } from './segment-search.ts';

/**
 * The best documents that any `should` group matches: MaxScore with block maxima (Turtle and Flood 1995; Ding and Suel
 * 2011). Groups are ordered by the most they can give. Those whose sum has no chance any more, the first `optional`
 * ones, lead to no candidates, they are only asked about candidates of the others; and a stretch of blocks without a
 * chance is passed over.
 */
export function searchDisjunction(search: SegmentSearch): void {
  const { shoulds, top, filter } = search;
  const cursors = shoulds.toSorted((a, b) => a.scoreMax - b.scoreMax);
  const scores = new CandidateScores(shoulds, cursors);
  const sums = new Float64Array(cursors.length + 1);
  cursors.forEach(({ scoreMax }, index) => (sums[index + 1] = sums[index]! + scoreMax));
  let optional = 0;
  // Up to here the blocks were found to have a chance, with this threshold.
  let hopefulUntil = -1;
  let hopefulThreshold = 0;
  for (;;) {
    while (optional < cursors.length && sums[optional + 1]! < top.threshold) optional++;
    const document = leastDocument(cursors, optional);
    if (document === NO_DOCUMENT) return;
    const allowed = filter.firstAllowed(document);
    if (allowed > document) {
      for (let i = optional; i < cursors.length; i++) cursors[i]!.seek(allowed);
      continue;
    }
    const { threshold } = top;
    const isFiltered = !filter.accepts(document);
    if (!isFiltered && threshold > 0 && (document > hopefulUntil || threshold > hopefulThreshold)) {
      const next = afterHopelessBlocks(cursors, optional, sums[optional]!, threshold);
      if (next > document) {
        for (let i = optional; i < cursors.length; i++) cursors[i]!.seek(next);
        continue;
      }
      hopefulUntil = lastOfBlocks(cursors, optional);
      hopefulThreshold = threshold;
    }
    if (
      !isFiltered &&
      scores.compute(optional, sums, document, threshold) &&
      !isRefused(search, document)
    ) {
      offer(search, document, scores.sum());
    }
    for (let i = optional; i < cursors.length; i++) {
      if (cursors[i]!.document === document) cursors[i]!.next();
    }
  }
}

function leastDocument(cursors: readonly SearchCursor[], from: number): number {
  let least = NO_DOCUMENT;
  for (let i = from; i < cursors.length; i++) {
    const { document } = cursors[i]!;
    if (document < least) least = document;
  }
  return least;
}

function lastOfBlocks(cursors: readonly SearchCursor[], from: number): number {
  let last = NO_DOCUMENT;
  for (let i = from; i < cursors.length; i++) last = Math.min(last, cursors[i]!.blockLast());
  return last;
}

/** The first document behind the current blocks where these together stay below the threshold; 0 where they do not. */
function afterHopelessBlocks(
  cursors: readonly SearchCursor[],
  from: number,
  optionalMax: number,
  threshold: number,
): number {
  let most = optionalMax;
  let last = NO_DOCUMENT - 1;
  for (let i = from; i < cursors.length; i++) {
    const cursor = cursors[i]!;
    if (cursor.document === NO_DOCUMENT) continue;
    most += cursor.blockScoreMax();
    if (most >= threshold) return 0;
    last = Math.min(last, cursor.blockLast());
  }
  return last + 1;
}

/** What each group gives to one candidate. */
class CandidateScores {
  readonly #cursors: readonly SearchCursor[];
  /** In the order of the query's groups. */
  readonly #scores: Float64Array;
  /** Where the score of a cursor is. */
  readonly #places: Uint32Array;

  /** `cursors` are the groups, ordered by the most they can give. */
  constructor(groups: readonly SearchCursor[], cursors: readonly SearchCursor[]) {
    this.#cursors = cursors;
    this.#scores = new Float64Array(groups.length);
    this.#places = Uint32Array.from(cursors, (cursor) => groups.indexOf(cursor));
  }

  /**
   * Whether the candidate has a chance. Asks the optional groups, the most promising first, for as long as they could still
   * make a difference.
   */
  compute(optional: number, sums: Float64Array, document: number, threshold: number): boolean {
    const cursors = this.#cursors;
    let score = 0;
    for (let i = cursors.length - 1; i >= 0; i--) {
      const cursor = cursors[i]!;
      if (i < optional) {
        if ((score + sums[i + 1]!) * ROUNDING < threshold) return false;
        cursor.seek(document);
      }
      const given = cursor.document === document ? cursor.score() : 0;
      this.#scores[this.#places[i]!] = given;
      score += given;
    }
    return true;
  }

  /** Added up in the order of the groups, so that equal documents have equal scores wherever they are. */
  sum(): number {
    let sum = 0;
    for (const score of this.#scores) sum += score;
    return sum;
  }
}

/** More than the order of additions can make of a sum. */
const ROUNDING = 1 + 1e-9;

/**
 * Collects all documents that any `should` group matches: a bit for each of them, group by group, and then all
 * conditions, 32 documents at a time as far as they are bits too.
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
