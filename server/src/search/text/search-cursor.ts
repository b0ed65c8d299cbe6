import type { Candidates } from './candidates.ts';
import type { ScoreWindow } from './score-window.ts';

/**
 * Goes through the documents of a segment that match a part of a query, in ascending order, and scores them: one after
 * the other, or many at once, which is how searches do it.
 */
export interface SearchCursor {
  /** Where it stands, or `NO_DOCUMENT`. */
  readonly document: number;
  /** About how many documents it will go through. */
  readonly cost: number;
  /** No document scores above it. */
  readonly scoreMax: number;
  next(): void;
  /** Goes to the first match that is not below `document`; never back. */
  seek(document: number): void;
  score(): number;

  /** Looks at the block that the first match from `document` on is in, and stays where it is; never back. */
  lookAhead(document: number): void;
  /** No match from the document looked at up to `blockLast` scores above it. */
  blockScoreMax(): number;
  /** The last document of the block looked at; `NO_DOCUMENT` where there is none. */
  blockLast(): number;

  /** Sets the bit of each match from here on, and goes behind all. */
  markRest(bits: Uint32Array): void;
  /**
   * Makes candidates of the matches from here on that are below `end`, as many as are at hand. The first match that it
   * left is not below what it gives.
   */
  collect(candidates: Candidates, end: number): number;
  /** Scores what is left of the candidates that `collect` gave last, unless it did so. */
  scoreCollected(candidates: Candidates): void;
  /** Scores the matches from here up to the end of the window that may be scored, and goes behind them. */
  scoreWindow(window: ScoreWindow): void;
  /**
   * Adds its score to those of the candidates that it matches, and goes on as far as it has to. Where it `isRequired`, the others
   * are dropped. So may be those that it cannot lift to `minimum`.
   */
  meet(candidates: Candidates, isRequired: boolean, minimum: number): void;
}
