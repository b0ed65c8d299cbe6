import type { Language } from './analyzer.ts';
import type { FoldRules } from './fold.ts';
import { STEMMER_LOADERS, type StemmerLoader } from './stemmers.ts';

/** An apostrophe inside a word: separates, is left out, or is left out after dropping an English possessive. */
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
 * Letters keep their marks where leaving them out makes other words of everyday words, and every keyboard of the language
 * has them: Swedish, Finnish, Danish, Norwegian, Estonian; ñ of Spanish and Basque (año, ano). Elsewhere words are found
 * however they are typed.
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

/** Without a stemmer of their own. */
const UNSTEMMED = 'et fa he ja km ko lo my pl th vi zh'.split(' ');
/** Other codes, of languages whose analysis is shared. */
const ALIASES = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
]);

/** By code; of an alias the rules of its language. */
export const LANGUAGE_RULES: ReadonlyMap<string, LanguageRules> = new Map([
  ...['--', ...Object.keys(STEMMER_LOADERS), ...UNSTEMMED].map(ruleOf),
  ...[...ALIASES].map(([alias, language]) => [alias, ruleOf(language)[1]] as const),
]);

/** The languages with an analysis of their own, and `--`: what settings, queries and synonyms may name. */
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
