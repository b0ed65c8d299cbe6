import type { Analyzer } from '#search/analysis/analyzer.ts';
import { isMonthName } from './dates.ts';
import { isScaleOrUnit } from './numbers.ts';
import { factsOf, type TextFacts } from './passages.ts';

/** What a sentence says that can be looked for in a text. */
export interface Claim {
  readonly text: string;
  readonly facts: TextFacts;
  /** What stands in quotation marks; the parts between ellipses apart. */
  readonly quotes: readonly string[];
  /** Names, as written. */
  readonly names: readonly string[];
  /** Stems of its other words that mean something. */
  readonly content: readonly string[];
}

const QUOTED = [
  /"([^"]{2,4000})"/g,
  /[“„‟]([^“”„]{2,4000})[”“]/g,
  /«\s?([^«»]{2,4000}?)\s?»/g,
  /「([^「」]{2,4000})」/g,
  /(?<![\p{L}\p{N}])‘([^‘]{2,4000}?)’(?![\p{L}\p{N}])/gu,
];

/** Words that say of a statement where it stands, and nothing of what it says. */
const REPORTING = new Set(
  'accord report say said state note describe mention source record entry list show tell workspace node also name call'.split(
    ' ',
  ),
);

/** Titles, days and the like: written with a capital, and no names. */
const NO_NAMES = new Set(
  'i mr mrs ms dr prof sir lord lady herr frau monsieur madame señor señora monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag yes no'.split(
    ' ',
  ),
);

export function claimOf(text: string, analyzer: Analyzer, analyzers: readonly Analyzer[]): Claim {
  const facts = factsOf(text, analyzers);
  const names = namesIn(text, analyzer);
  const named = new Set(names.flatMap((name) => analyzer.analyze(name).map(({ term }) => term)));
  const words = analyzer.analyze(text).filter(({ term, surface }) => {
    if (analyzer.isStopWord(surface) || /\p{N}/u.test(surface)) return false;
    if (isExact(surface) || REPORTING.has(term)) return false;
    // One letter means something in scripts without spaces alone.
    return !named.has(term) && (surface.length > 1 || /[^\p{sc=Latn}]/u.test(surface));
  });
  return {
    text,
    facts,
    quotes: quotesIn(text),
    names,
    content: [...new Set(words.map(({ term }) => term))],
  };
}

/** Days, months, units and titles: no other word says the same. */
export function isExact(surface: string): boolean {
  return isScaleOrUnit(surface) || isMonthName(surface) || NO_NAMES.has(surface);
}

function quotesIn(text: string): string[] {
  const quotes = QUOTED.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, said = '']) => said),
  );
  return quotes
    .flatMap((quote) => quote.split(/\s*(?:\[?(?:\.{3}|…)\]?)\s*/))
    .map((part) => part.replace(/^[\s,;]+/, '').replace(/[\s.,;:!?]{1,20}$/, ''))
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
}

/** A word with a capital, or of capitals. */
const CAPITALIZED = /\p{Lu}[\p{L}\p{M}\p{N}'’]*/gu;

/**
 * Names by their capitals: not at the beginning of a sentence, where every word has one, and in
 * German, where every noun has one, only of several words or capitals.
 */
function namesIn(text: string, analyzer: Analyzer): string[] {
  const words = [...text.matchAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu)];
  const capitals = words.filter(({ 0: word }) => /^\p{Lu}/u.test(word)).length;
  // Of a title, only words without a meaning of their own are small.
  const isTitle =
    words.length >= 4 &&
    capitals > 0.7 * words.length &&
    words.every(({ 0: word }) => /^\P{Ll}/u.test(word) || analyzer.isStopWord(word)) &&
    analyzer.language !== 'de';
  const found = [...text.matchAll(CAPITALIZED)].filter(({ index }) => !isInsideWord(text, index));
  return found.flatMap(({ 0: word, index }, at) => {
    const lower = word.toLowerCase();
    if (word.length < 2 || NO_NAMES.has(lower) || isMonthName(word)) return [];
    if (/^\p{Lu}{2,}[\p{Lu}\p{N}]*$/u.test(word) || /\p{Ll}\p{Lu}/u.test(word)) return [word];
    const [surface = ''] = analyzer.analyze(word).map((token) => token.surface);
    if (isTitle || analyzer.isStopWord(surface)) return [];
    const isNext = isBeside(text, found[at + 1], index + word.length);
    const isAfter = isBeside(text, found[at - 1], index);
    const isPair =
      isNext || (isAfter && !analyzer.isStopWord(found[at - 1]?.[0].toLowerCase() ?? ''));
    if (analyzer.language === 'de')
      return isPair && !/(?:ung|heit|keit|schaft|tät)$/.test(word) ? [word] : [];
    return isPair || !beginsSentence(text, index) ? [word] : [];
  });
}

function isInsideWord(text: string, index: number): boolean {
  return /[\p{L}\p{M}\p{N}'’]$/u.test(text.slice(Math.max(0, index - 1), index));
}

/** Whether a capitalized word stands right after `end`, or right before it. */
function isBeside(text: string, other: RegExpExecArray | undefined, end: number): boolean {
  if (other === undefined) return false;
  const { 0: word, index } = other;
  const between = index >= end ? text.slice(end, index) : text.slice(index + word.length, end);
  return between === ' ' || between === '-';
}

function beginsSentence(text: string, index: number): boolean {
  const before = text.slice(0, index).trimEnd();
  return before === '' || /[.:!?|"“„«([*–—-]$/.test(before) || !/[\p{L}\p{N}]/u.test(before);
}
