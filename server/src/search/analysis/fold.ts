/** How words of a language are folded before they are compared. */
export interface FoldRules {
  /** For `toLocaleLowerCase`: Turkish has another capital of i. */
  readonly locale?: string;
  /** Letters that keep their marks, in lower case: å is not an a in Swedish. */
  readonly keeps?: string;
  /** Further replacements, by letter. */
  readonly replaces?: ReadonlyMap<string, string>;
}

/** Longer words are cut to this, in code points. */
export const WORD_CODE_POINTS_MAX = 64;
/** Enough UTF-16 units for that many code points with their marks. */
export const WORD_UNITS_MAX = 4 * WORD_CODE_POINTS_MAX;

const ASCII = /^[\0-\x7f]*$/;
const NOT_OF_WORDS = /[^\p{L}\p{M}\p{N}]|[\u0640\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Marks to drop: accents of Latin, Greek and Cyrillic, points of Hebrew, vowel signs of Arabic.
 * Marks of India stay.
 */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u06d6-\u06ed]/g;
/** Letters of Cyrillic, not accents on other letters. */
const CYRILLIC = 'йїў';
const LETTERS = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ł', 'l'],
  ['ħ', 'h'],
  ['ŧ', 't'],
  ['ı', 'i'],
  ['ς', 'σ'],
]);
/** Zeros of digits that people type as 0 to 9 too: Arabic, Persian, Devanagari. */
const ZEROS = [0x06_60, 0x06_f0, 0x09_66];

/**
 * A word as stemmers expect it: letters, marks and digits in lower case with accents, NFKC, at most
 * WORD_CODE_POINTS_MAX code points. May be empty. The caller bounds `raw`.
 */
export function normalizeWord(raw: string, rules: FoldRules): string {
  if (rules.locale === undefined && ASCII.test(raw)) {
    return raw.replace(NOT_OF_WORDS, '').slice(0, WORD_CODE_POINTS_MAX).toLowerCase();
  }
  const lower = raw
    .normalize('NFKC')
    .toLocaleLowerCase(rules.locale ?? 'und')
    .normalize('NFC');
  return cut(lower.replace(NOT_OF_WORDS, ''));
}

/** Drops accents. Folding a folded word changes nothing. */
export function foldWord(word: string, rules: FoldRules): string {
  return ASCII.test(word) ? word : cut(foldLetters(word, rules));
}

/** The same for a text of any length. */
export function foldLetters(text: string, rules: FoldRules): string {
  if (ASCII.test(text)) return text;
  let folded = '';
  for (const letter of text.normalize('NFC')) folded += foldLetter(letter, rules);
  return folded.normalize('NFC');
}

function foldLetter(letter: string, { keeps = '', replaces }: FoldRules): string {
  if (CYRILLIC.includes(letter) || keeps.includes(letter)) return letter;
  const replaced = replaces?.get(letter);
  if (replaced !== undefined) return replaced;
  const code = letter.codePointAt(0) ?? 0;
  const zero = ZEROS.find((first) => code >= first && code <= first + 9);
  if (zero !== undefined) return String(code - zero);
  const bare = letter.normalize('NFD').replace(ACCENTS, '');
  return LETTERS.get(bare) ?? bare;
}

function cut(word: string): string {
  if (word.length <= WORD_CODE_POINTS_MAX) return word;
  return [...word].slice(0, WORD_CODE_POINTS_MAX).join('');
}
