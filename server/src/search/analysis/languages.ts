import { ANY_LANGUAGE } from '@trellis/contract/languages.ts';
import type { Language } from './analyzer.ts';
import type { FoldRules } from './fold.ts';
import { createRequire } from 'node:module';
import { assert } from '#base/assert.ts';

/** The stem of a word in lower case with its accents (Unicode NFC). */
export type Stemmer = (word: string) => string;
type StemmerLoader = () => Stemmer;

/** `require` loads a language on first use and synchronously: a thread uses few of them. */
const require = createRequire(import.meta.url);

/**
 * By language. Those of @orama/stemmers and stemr give Snowball's stems, word by word, for the
 * whole of Snowball's own vocabularies; English is left to stemr because that of @orama/stemmers
 * differs in 6 % of the words. Bulgarian, Ukrainian and Sanskrit are no algorithms of Snowball.
 * Catalan, Basque, Czech and Slovenian come from a package that loads all of its languages at once.
 */
export const STEMMER_LOADERS: Readonly<Record<string, StemmerLoader>> = {
  ar: () => orama(require('@orama/stemmers/arabic')),
  bg: () => stemBulgarian,
  ca: () => snowball('catalan'),
  cs: () => snowball('czech'),
  da: () => orama(require('@orama/stemmers/danish')),
  de: () => orama(require('@orama/stemmers/german')),
  el: () => orama(require('@orama/stemmers/greek')),
  en: () => functionOf(require('stemr'), 'stem'),
  es: () => orama(require('@orama/stemmers/spanish')),
  eu: () => snowball('basque'),
  fi: () => orama(require('@orama/stemmers/finnish')),
  fr: () => orama(require('@orama/stemmers/french')),
  ga: () => orama(require('@orama/stemmers/irish')),
  hi: () => orama(require('@orama/stemmers/indian')),
  hu: () => orama(require('@orama/stemmers/hungarian')),
  hy: () => orama(require('@orama/stemmers/armenian')),
  id: () => orama(require('@orama/stemmers/indonesian')),
  it: () => orama(require('@orama/stemmers/italian')),
  lt: () => orama(require('@orama/stemmers/lithuanian')),
  ne: () => orama(require('@orama/stemmers/nepali')),
  nl: () => orama(require('@orama/stemmers/dutch')),
  no: () => orama(require('@orama/stemmers/norwegian')),
  pt: () => orama(require('@orama/stemmers/portuguese')),
  ro: () => orama(require('@orama/stemmers/romanian')),
  ru: () => orama(require('@orama/stemmers/russian')),
  sa: () => orama(require('@orama/stemmers/sanskrit')),
  sl: () => snowball('slovene'),
  sr: () => orama(require('@orama/stemmers/serbian')),
  sv: () => orama(require('@orama/stemmers/swedish')),
  ta: () => orama(require('@orama/stemmers/tamil')),
  tr: () => orama(require('@orama/stemmers/turkish')),
  uk: () => orama(require('@orama/stemmers/ukrainian')),
};

function orama(module: unknown): Stemmer {
  return functionOf(module, 'stemmer');
}

function snowball(algorithm: string): Stemmer {
  const made = functionOf<unknown>(require('snowball-stemmers'), 'newStemmer')(algorithm);
  assert(isRecord(made), 'snowball-stemmers makes stemmers');
  const stem = functionOf(made, 'stem');
  return (word) => stem.call(made, word);
}

function functionOf<Result = string>(module: unknown, name: string): (word: string) => Result {
  assert(isRecord(module) && typeof module[name] === 'function', `stemmers export ${name}`);
  return module[name] as (word: string) => Result;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/**
 * The light stemmer for Bulgarian of J. Savoy, "Searching Strategies for the Bulgarian Language"
 * (Information Retrieval 10, 2007): articles, plurals, and alternations of the root. (That of
 * @orama/stemmers throws for many words: it writes into strings.)
 */
function stemBulgarian(word: string): string {
  const letters = [...word];
  if (letters.length < 4) return word;
  if (letters.length > 5 && endsWith(letters, 'ища')) return word.slice(0, -3);
  withoutArticle(letters);
  withoutPlural(letters);
  if (letters.length > 3) {
    if (endsWith(letters, 'я')) letters.pop();
    if (ENDINGS.some((ending) => endsWith(letters, ending))) letters.pop();
  }
  if (letters.length > 4 && endsWith(letters, 'ен')) {
    letters.splice(-2, 2, 'н');
  }
  if (letters.length > 5 && letters.at(-2) === 'ъ') letters.splice(-2, 1);
  return letters.join('');
}

const ENDINGS = ['а', 'о', 'е'];
const ARTICLES = ['ът', 'то', 'те', 'та', 'ия'];

function withoutArticle(letters: string[]): void {
  const { length } = letters;
  if (length > 6 && endsWith(letters, 'ият')) letters.length = length - 3;
  else if (length > 5 && ARTICLES.some((article) => endsWith(letters, article))) {
    letters.length = length - 2;
  } else if (length > 4 && endsWith(letters, 'ят')) letters.length = length - 2;
}

/** The ending of a plural, the least length of a word with it, and the ending of the singular. */
const PLURALS: readonly (readonly [ending: string, lengthMin: number, singular: string])[] = [
  ['овци', 7, 'о'],
  ['ове', 7, ''],
  ['еве', 7, 'й'],
  ['ища', 6, ''],
  ['та', 6, ''],
  ['ци', 6, 'к'],
  ['зи', 6, 'г'],
];

function withoutPlural(letters: string[]): void {
  for (const [ending, lengthMin, singular] of PLURALS) {
    if (letters.length < lengthMin || !endsWith(letters, ending)) continue;
    letters.splice(-ending.length, ending.length, ...singular);
    return;
  }
  if (letters.length > 5 && letters.at(-3) === 'е' && letters.at(-1) === 'и') {
    letters.splice(-3, 3, 'я', letters.at(-2) ?? '');
  } else if (letters.length > 4 && endsWith(letters, 'си')) {
    letters.splice(-2, 2, 'х');
  } else if (letters.length > 4 && endsWith(letters, 'и')) letters.pop();
}

function endsWith(letters: readonly string[], ending: string): boolean {
  const start = letters.length - ending.length;
  if (start < 0) return false;
  for (let i = 0; i < ending.length; i++) if (letters[start + i] !== ending[i]) return false;
  return true;
}

/**
 * What an apostrophe inside a word does: separate, vanish, or vanish after an English possessive is
 * cut.
 */
export type Apostrophe = 'separates' | 'joins' | 'possessive';

export interface LanguageRules extends FoldRules {
  readonly language: string;
  readonly apostrophe: Apostrophe;
  readonly stemmer: StemmerLoader | undefined;
}

const PERSIAN = new Map([
  ['ي', 'ی'],
  ['ى', 'ی'],
  ['ك', 'ک'],
  ['ة', 'ه'],
]);

/**
 * Letters that keep their marks, where dropping them turns one everyday word into another and every
 * keyboard of the language has them: å in Swedish, ñ in Spanish (año, ano). Elsewhere words are
 * found however they are typed.
 */
const KEEPS: Readonly<Record<string, string>> = {
  sv: 'åäö',
  fi: 'åäö',
  da: 'æøå',
  no: 'æøå',
  et: 'õäöü',
  es: 'ñ',
  eu: 'ñ',
};

/** Languages without a stemmer. */
const UNSTEMMED = 'et fa he ja km ko lo my pl th vi zh'.split(' ');
/** Codes of languages that use the analysis of another one. */
const ALIASES = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
]);

/** Rules by code; an alias has the rules of its language. */
export const LANGUAGE_RULES: ReadonlyMap<string, LanguageRules> = new Map([
  ...[ANY_LANGUAGE, ...Object.keys(STEMMER_LOADERS), ...UNSTEMMED].map(ruleOf),
  ...[...ALIASES].map(([alias, language]) => [alias, ruleOf(language)[1]] as const),
]);

/** What settings, queries and synonyms may name: languages with their own analysis, and `--`. */
export const ANALYSIS_LANGUAGES: readonly Language[] = [...LANGUAGE_RULES.keys()].toSorted();

function ruleOf(language: string): readonly [string, LanguageRules] {
  const rules: LanguageRules = {
    language,
    apostrophe: apostropheOf(language),
    stemmer: STEMMER_LOADERS[language],
    ...(language === 'tr' && { locale: 'tr' }),
    ...(language === 'fa' && { replaces: PERSIAN }),
    ...(language in KEEPS && { keeps: KEEPS[language] }),
  };
  return [language, rules];
}

function apostropheOf(language: string): Apostrophe {
  if (language === 'en') return 'possessive';
  return language === 'uk' || language === 'he' ? 'joins' : 'separates';
}
