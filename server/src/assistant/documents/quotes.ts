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
    const at = placeOfWords(this.#folded, wanted);
    const [start, end] = [this.#starts[at], this.#ends[at + wanted.length - 1]];
    return start === undefined || end === undefined ? undefined : { start, end };
  }
}

/** Letters of scripts that write words without a space before what follows them. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/**
 * Where some words stand in a text as whole words and whole numbers; -1 when they do not: "190" and
 * "ash" do not stand in "Trash of 1901".
 */
export function placeOfWords(text: string, words: string): number {
  if (words === '') return -1;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    const isWhole = !joins(text, at, -1) && !joins(text, end, 1);
    if (isWhole) return at;
  }
  return -1;
}

/** Whether a word or number goes on across a place in a text; `way` is where to look further. */
function joins(text: string, place: number, way: -1 | 1): boolean {
  const before = /[\s\S]$/u.exec(text.slice(Math.max(0, place - 2), place))?.[0] ?? '';
  const after = String.fromCodePoint(text.codePointAt(place) ?? 0x20);
  const [inner, outer] = way === 1 ? [before, after] : [after, before];
  if (!/[\p{L}\p{N}]/u.test(inner) || UNSPACED.test(inner)) return false;
  if (/[\p{L}\p{M}\p{N}]/u.test(outer)) return !UNSPACED.test(outer);
  // The parts of 1.5 and of 1,200 are no numbers of their own.
  const further = text[way === 1 ? place + 1 : place - 2] ?? '';
  return /\d/.test(inner) && /[.,]/.test(outer) && /\d/.test(further);
}
