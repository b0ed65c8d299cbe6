import { Candidates, WINDOW_DOCUMENTS } from './candidates.ts';
import type { DocumentFilter } from './document-filter.ts';

/** Documents that follow each other, with the sums of their scores, group after group. Used for many windows. */
export class ScoreWindow {
  /** The first document, a multiple of 32, and the first after the window. */
  base = 0;
  end = 0;
  /** Asked before anything is scored; undefined where there is nothing to ask. */
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

  /** Makes candidates of those with a score of at least `minimum`, as many as there is room for; the others are forgotten. */
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

/** Handed on to collectors at a time. */
const MATCHES = 1_024;

/** Memory that one search works in. To make it takes longer than many a search, so that it is used again. */
export class SearchScratch {
  readonly candidates = new Candidates();
  readonly window = new ScoreWindow();
  readonly matches = new Uint32Array(MATCHES);
}
