import { foldLetters } from './fold.ts';

/**
 * Names are compared as a whole, in the same way whatever their language: in lower case, without
 * accents, and with one space where there is white space, a hyphen or an underscore.
 */
const SEPARATORS = /[\s_\p{Pd}]+/gu;
/** What of a name is compared. A longer one is compared by its beginning. */
const NAME_UNITS_MAX = 1_024;
const NO_RULES = {};

/** A name as it is compared; empty if nothing of it is. */
export function foldName(name: string): string {
  const plain = name.slice(0, NAME_UNITS_MAX).toWellFormed().normalize('NFKC').toLowerCase();
  return foldLetters(plain.replace(SEPARATORS, ' ').trim(), NO_RULES);
}

/** Terms of names have a sign before them that no word has, and come before all words. */
const WHOLE = '\u0001';
const BEGINNING = '\u0002';
/** Beginnings of a name are known up to this many words. */
const BEGINNING_WORDS_MAX = 4;

/** The term of a folded name as a whole. */
export function wholeNameTerm(folded: string): string {
  return WHOLE + folded;
}

/** The term of all names that go on after this folded name; undefined if it is too long for one. */
export function longerNamesTerm(folded: string): string | undefined {
  return folded.split(' ').length > BEGINNING_WORDS_MAX ? undefined : BEGINNING + folded;
}

/** Whether a term is one of names, not of words. */
export function isNameTerm(term: string): boolean {
  return term.startsWith(WHOLE) || term.startsWith(BEGINNING);
}

/** The terms by which a node with these names is found by name; each once. */
export function nameTerms(names: readonly string[]): string[] {
  const terms = new Set<string>();
  for (const name of names) {
    const folded = foldName(name);
    if (folded === '') continue;
    terms.add(WHOLE + folded);
    let end = folded.indexOf(' ');
    for (let words = 1; end > 0 && words <= BEGINNING_WORDS_MAX; words++) {
      terms.add(BEGINNING + folded.slice(0, end));
      end = folded.indexOf(' ', end + 1);
    }
  }
  return [...terms];
}
