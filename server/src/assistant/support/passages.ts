import type { Analyzer } from '#search/analysis/analyzer.ts';
import { SUPPORT_QUOTE_CHARACTERS_MAX } from '#base/assistant-limits.ts';
import { type DateMention, takeDates } from './dates.ts';
import { type NumberMention, numbersIn, numberWordsIn, UNSPACED } from './numbers.ts';
import { joinedSegments } from './sentences.ts';

/** Numbers and dates of a text, and its words in the languages that are compared. */
export interface TextFacts {
  readonly numbers: readonly NumberMention[];
  readonly dates: readonly DateMention[];
  /** In lower case: versions, numbers of parts, and the like. */
  readonly codes: ReadonlySet<string>;
  /** Small numbers that stand in words. */
  readonly wordNumbers: readonly number[];
  /** Stems, folded. */
  readonly terms: ReadonlySet<string>;
  /** Whole words, folded. */
  readonly surfaces: ReadonlySet<string>;
}

/** A part of a cited text that can stand as a quote. */
export interface Passage {
  /** Verbatim, and cut where it is long. */
  readonly quote: string;
  /** With the name of its field, where it has one. */
  readonly text: string;
}

/** What one cited node says. */
export interface Evidence {
  /** As the asker may read it. */
  readonly text: string;
  /** The same, folded; see `foldedText`. */
  readonly folded: string;
  readonly facts: TextFacts;
  readonly passages: readonly (Passage & { readonly facts: TextFacts })[];
}

/** Passages of one node that are compared; the text as a whole always is. */
const PASSAGES_MAX = 400;

/** Letters and digits, with what joins the parts of a version or of a part number. */
const LETTERS = String.raw`[[\p{L}\p{N}]--[${UNSPACED}]]+`;
const CODE = new RegExp(`${LETTERS}(?:[\\-_.\\/]${LETTERS})*`, 'gv');

export function factsOf(given: string, analyzers: readonly Analyzer[]): TextFacts {
  const text = withPlainDigits(given);
  const { dates, rest } = takeDates(text);
  const { numbers, codes } = numbersIn(rest);
  const terms = new Set<string>();
  const surfaces = new Set<string>();
  for (const analyzer of analyzers) {
    analyzer.analyzeDocument(text, ({ term, surface }) => {
      terms.add(term);
      surfaces.add(surface);
    });
  }
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return {
    numbers,
    dates,
    codes: new Set([...codes, ...codesIn(rest)].map((code) => code.toLowerCase())),
    wordNumbers: numberWordsIn(words),
    terms,
    surfaces,
  };
}

/** The zeros of scripts with digits of their own: full width, Arabic, Persian, Devanagari. */
const ZEROS = [0xff10, 0x0660, 0x06f0, 0x0966];
const OTHER_DIGIT = /[\uff10-\uff19\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/g;

/** The same text, of the same length, with the digits of other scripts as 0 to 9. */
export function withPlainDigits(text: string): string {
  return text.replaceAll(OTHER_DIGIT, (digit) => {
    const code = digit.charCodeAt(0);
    return String(code - (ZEROS.find((zero) => zero <= code && code < zero + 10) ?? code));
  });
}

/** Words with letters and digits in one, such as A320, v2.1 and PX-200b. */
export function codesIn(text: string): string[] {
  const words = text.match(CODE) ?? [];
  return words.flatMap((word) => word.split('-')).filter(isCode);
}

function isCode(word: string): boolean {
  if (!/\p{L}/u.test(word) || !/\p{N}/u.test(word) || word.length > 64) return false;
  // A number with a unit or an ending is a number.
  return numbersIn(word).numbers.length === 0;
}

/**
 * `text`: lines such as `Title: The Ark`, or any other. `pause` is waited for between passages,
 * whose facts together are those of the text.
 */
export async function evidenceOf(
  text: string,
  analyzers: readonly Analyzer[],
  pause: () => Promise<void>,
): Promise<Evidence> {
  const passages: (Passage & { readonly facts: TextFacts })[] = [];
  const whole = new AllFacts();
  for (const line of text.split('\n')) {
    for (const passage of passagesOf(line)) {
      const facts = factsOf(passage.text, analyzers);
      whole.add(facts);
      if (passages.length < PASSAGES_MAX) passages.push({ ...passage, facts });
      await pause();
    }
  }
  return { text, folded: foldedText(text), facts: whole, passages };
}

class AllFacts implements TextFacts {
  readonly numbers: NumberMention[] = [];
  readonly dates: DateMention[] = [];
  readonly wordNumbers: number[] = [];
  readonly codes = new Set<string>();
  readonly terms = new Set<string>();
  readonly surfaces = new Set<string>();

  add({ numbers, dates, wordNumbers, codes, terms, surfaces }: TextFacts): void {
    this.numbers.push(...numbers);
    this.dates.push(...dates);
    this.wordNumbers.push(...wordNumbers);
    for (const code of codes) this.codes.add(code);
    for (const term of terms) this.terms.add(term);
    for (const surface of surfaces) this.surfaces.add(surface);
  }
}

function* passagesOf(line: string): Generator<Passage> {
  const [label = '', name] = /^([\p{L}_][\p{L}\p{N}_]{0,199}): /u.exec(line) ?? [];
  const value = line.slice(label.length);
  // A lone value says nothing without the name of its field.
  if (name !== undefined && !/[\p{L}\p{N}]\s+\S|[。！？]./u.test(value)) {
    if (value.trim() !== '') yield { quote: quoteOf(line), text: `${wordsOfName(name)}: ${value}` };
    return;
  }
  const head = name === undefined ? '' : `${wordsOfName(name)}: `;
  for (const [from, to] of joinedSegments(value)) {
    const quote = value.slice(from, to).trim();
    if (quote !== '') yield { quote: quoteOf(quote), text: head + quote };
  }
}

/** `birthYear` and `Birth_Year` are two words, and the name itself. */
function wordsOfName(name: string): string {
  const words = name.replaceAll('_', ' ').replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  return words === name ? name : `${name} ${words}`;
}

function quoteOf(text: string): string {
  if (text.length <= SUPPORT_QUOTE_CHARACTERS_MAX) return text;
  const head = text.slice(0, SUPPORT_QUOTE_CHARACTERS_MAX);
  const end = head.lastIndexOf(' ');
  return end > 0 ? head.slice(0, end) : head;
}

/**
 * For "verbatim": white space is one blank, and signs that only differ in typography are the same.
 * Nothing else is folded: another letter is another quote.
 */
export function foldedText(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[‘’‚ʼ＇]/g, "'")
    .replaceAll(/[“”„«»‟＂]/g, '"')
    .replaceAll(/[‐‑‒–—−]/g, '-')
    .replaceAll('…', '...')
    .replaceAll(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
