import type { Candidates } from './candidates.ts';
import { BLOCK_POSTINGS } from './postings-block.ts';
import { NO_DOCUMENT } from './postings-cursor.ts';
import type { ScoreWindow } from './score-window.ts';
import type { SearchCursor } from './search-cursor.ts';

/** A cursor that has no faster way for many documents than to go from one to the next. */
export abstract class SteppingCursor implements SearchCursor {
  abstract document: number;
  abstract readonly cost: number;
  abstract readonly scoreMax: number;

  abstract seek(document: number): void;
  abstract score(): number;
  abstract lookAhead(document: number): void;
  abstract blockScoreMax(): number;
  abstract blockLast(): number;

  next(): void {
    if (this.document !== NO_DOCUMENT) this.seek(this.document + 1);
  }

  markRest(bits: Uint32Array): void {
    for (; this.document !== NO_DOCUMENT; this.next()) {
      bits[this.document >>> 5]! |= 1 << (this.document & 31);
    }
  }

  /** Scores them too. */
  collect(candidates: Candidates, end: number): number {
    const { documents, scores, isScored } = candidates;
    let size = 0;
    for (; this.document < end && size < BLOCK_POSTINGS; this.next()) {
      documents[size] = this.document;
      scores[size++] = isScored ? this.score() : 0;
    }
    candidates.size = size;
    return this.document;
  }

  /** `collect` did. */
  scoreCollected(): void {}

  scoreWindow(window: ScoreWindow): void {
    for (; this.document < window.end; this.next()) {
      if (window.filter?.acceptsBits(this.document) === false) continue;
      window.add(this.document, this.score());
    }
  }

  meet(candidates: Candidates, isRequired: boolean, minimum: number): void {
    const { documents, scores, isScored } = candidates;
    let kept = 0;
    for (let i = 0; i < candidates.size; i++) {
      const document = documents[i]!;
      let score = scores[i]!;
      if (score + this.scoreMax < minimum) continue;
      this.seek(document);
      if (this.document === document) score += isScored ? this.score() : 0;
      else if (isRequired) continue;
      documents[kept] = document;
      scores[kept++] = score;
    }
    candidates.size = kept;
  }
}
