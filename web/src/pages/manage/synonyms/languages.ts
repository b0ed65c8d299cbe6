import { ANY_LANGUAGE } from '@trellis/contract/languages.ts';

/** ISO 639-1; the server takes any two letters. */
const OFFERED = [
  'ar',
  'ca',
  'cs',
  'da',
  'de',
  'el',
  'en',
  'es',
  'et',
  'eu',
  'fa',
  'fi',
  'fr',
  'ga',
  'he',
  'hi',
  'hu',
  'hy',
  'id',
  'it',
  'ja',
  'ko',
  'lt',
  'lv',
  'nl',
  'no',
  'pl',
  'pt',
  'ro',
  'ru',
  'sr',
  'sv',
  'ta',
  'th',
  'tr',
  'uk',
  'vi',
  'yi',
  'zh',
];

const NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });

export function languageName(code: string): string {
  if (code === ANY_LANGUAGE) return 'Any language';
  return /^[a-z]{2}$/.test(code) ? (NAMES.of(code) ?? code) : code;
}

/** By name, with the one that is chosen should it not be among them. */
export function languageOptions(
  chosen: string,
): readonly { readonly value: string; readonly label: string }[] {
  const codes = [...new Set([...OFFERED, ...(chosen === ANY_LANGUAGE ? [] : [chosen])])];
  const named = codes
    .map((value) => ({ value, label: `${languageName(value)} (${value})` }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  return [{ value: ANY_LANGUAGE, label: languageName(ANY_LANGUAGE) }, ...named];
}
