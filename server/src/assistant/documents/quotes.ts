import {
  EXTRACTION_QUOTE_CHARACTERS_MAX,
  EXTRACTION_QUOTE_CHARACTERS_MIN,
} from '#base/assistant-limits.ts';
import { foldedText } from '../support/passages.ts';

/** Where a quote stands in a text. */
export interface QuotePlace {
  readonly start: number;
  readonly end: number;
}

/** One letter with the marks that follow it, or white space. */
const CLUSTER = /\s+|\P{M}\p{M}*|\p{M}+/gu;

/**
 * Finds quotes in one text, verbatim as `foldedText` says: white space and typography are the same,
 * any other difference is none.
 */
export class Quotes {
  readonly #folded: string;
  /** For each character of the folded text where its letter begins and ends in the text. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  constructor(text: string) {
    const parts: string[] = [];
    for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
      const folded = /^\s/.test(cluster) ? ' ' : foldedText(cluster);
      // Signs that fold to nothing may stand between two blanks.
      const part = folded === ' ' && parts.at(-1) === ' ' ? '' : folded;
      if (part === '') continue;
      parts.push(part);
      for (let i = 0; i < part.length; i++) {
        this.#starts.push(index);
        this.#ends.push(index + cluster.length);
      }
    }
    this.#folded = parts.join('');
  }

  /** Undefined for what is not there, and for what is too short or too long to prove anything. */
  find(quote: string): QuotePlace | undefined {
    if (quote.length > EXTRACTION_QUOTE_CHARACTERS_MAX) return undefined;
    const wanted = foldedText(quote);
    if (wanted.length < EXTRACTION_QUOTE_CHARACTERS_MIN) return undefined;
    if (!/[\p{L}\p{N}]/u.test(wanted)) return undefined;
    const at = this.#folded.indexOf(wanted);
    const [start, end] = [this.#starts[at], this.#ends[at + wanted.length - 1]];
    return start === undefined || end === undefined ? undefined : { start, end };
  }
}
