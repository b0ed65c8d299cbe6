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

/** The names of a node as they are compared; each once. */
export function foldedNames(names: readonly string[]): string[] {
  return [...new Set(names.map(foldName))].filter((name) => name !== '');
}
