import { Candidates, WINDOW_DOCUMENTS } from './match-collectors.ts';
import type { DocumentFilter } from './document-filter.ts';

/** A range of documents with the sums of their scores, one group after the other. Reused. */
export class ScoreWindow {
  /** The first document, a multiple of 32, and the first after the window. */
  base = 0;
  end = 0;
  /** Asked before scoring; undefined if all documents pass. */
  filter: DocumentFilter | undefined;
  readonly #scores = new Float64Array(WINDOW_DOCUMENTS);
  /** A bit for each document that has a score, and one for each 32 of these. */
  readonly #bits = new Uint32Array(WINDOW_DOCUMENTS / 32);
  readonly #words = new Uint32Array(WINDOW_DOCUMENTS / 1_024);

  /** From `start` up to `end`, or less. */
  open(start: number, end: number, filter: DocumentFilter): void {
    this.base = start - (start & 31);
    this.end = Math.min(end, this.base + WINDOW_DOCUMENTS);
    this.filter = filter.hasBits ? filter : undefined;
  }

  add(document: number, score: number): void {
    const slot = document - this.base;
    this.#scores[slot]! += score;
    this.#bits[slot >>> 5]! |= 1 << (slot & 31);
    this.#words[slot >>> 10]! |= 1 << ((slot >>> 5) & 31);
  }

  /**
   * Makes candidates of documents with a score of at least `minimum`, as many as fit; forgets the
   * others.
   */
  drain(candidates: Candidates, minimum: number): void {
    const bits = this.#bits;
    const scores = this.#scores;
    const { documents, scores: found } = candidates;
    let size = 0;
    for (let group = 0; group < this.#words.length; group++) {
      for (let words = this.#words[group]!; words !== 0; words &= words - 1) {
        const word = group * 32 + 31 - Math.clz32(words & -words);
        for (let rest = bits[word]!; rest !== 0; rest &= rest - 1) {
          const slot = word * 32 + 31 - Math.clz32(rest & -rest);
          const score = scores[slot]!;
          scores[slot] = 0;
          if (score < minimum) continue;
          documents[size] = this.base + slot;
          found[size++] = score;
        }
        bits[word] = 0;
      }
      this.#words[group] = 0;
    }
    candidates.size = size;
  }
}

/** Matches handed to collectors at a time. */
const MATCHES = 1_024;

/** Memory that one search works in. Reused, as making it takes longer than many a search. */
export class SearchScratch {
  readonly candidates = new Candidates();
  readonly window = new ScoreWindow();
  readonly matches = new Uint32Array(MATCHES);
}

/** Visits and scores the documents of a segment that match part of a query, in ascending order. */
export interface SearchCursor {
  /** Its current document, or `NO_DOCUMENT`. */
  readonly document: number;
  /** About how many documents it will go through. */
  readonly cost: number;
  /** No document scores more. */
  readonly scoreMax: number;
  next(): void;
  /** Goes to the first match that is not below `document`; never back. */
  seek(document: number): void;
  score(): number;

  /** Looks at the block of the first match from `document` on, without moving; never back. */
  lookAhead(document: number): void;
  /** The highest score possible from the document looked at to `blockLast`. */
  blockScoreMax(): number;
  /** The last document of the block looked at; `NO_DOCUMENT` where there is none. */
  blockLast(): number;

  /** Sets the bit of each match from here on, and moves to the end. */
  markRest(bits: Uint32Array): void;
  /** Collects matches below `end`. Returns a bound: no match that it left is below it. */
  collect(candidates: Candidates, end: number): number;
  /** Scores the remaining candidates of the last `collect`, if `collect` did not score them. */
  scoreCollected(candidates: Candidates): void;
  /** Scores the matches from here to the end of the window, and moves past them. */
  scoreWindow(window: ScoreWindow): void;
  /**
   * Adds its score to the candidates that it matches. Drops the others if `isRequired`, and may
   * drop candidates whose score stays below `minimum`.
   */
  meet(candidates: Candidates, isRequired: boolean, minimum: number): void;
}
