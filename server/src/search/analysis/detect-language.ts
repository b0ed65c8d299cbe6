import { ANY_LANGUAGE } from '@trellis/contract/languages.ts';
import type { Language } from './analyzer.ts';
import { STOP_WORD_LANGUAGES, stopWordsOf } from './stop-words.ts';

/** How much of a text is read. */
const SAMPLE_UNITS_MAX = 2_000;
/** Further occurrences of a word say little more. */
const OCCURRENCES_MAX = 3;
/**
 * The least evidence of stop words: in all, per word of the text, and ahead of the next language.
 */
const EVIDENCE_MIN = 1.2;
const EVIDENCE_PER_WORD_MIN = 0.1;
const LEAD_MIN = 1.2;

const ASCII = /^[\0-\x7f]*$/;
/** Two letters or more: single letters are often signs or abbreviations. */
const WORD = /[\p{L}\p{M}]{2,}/gu;

/** Letters that few languages of Latin script have: each counts as a stop word of its languages. */
const LETTERS: Readonly<Record<string, string>> = {
  ca: '·',
  cs: 'ěřů',
  da: 'æø',
  de: 'ß',
  es: 'ñ¿¡',
  et: 'õ',
  hu: 'őű',
  lt: 'ąęėįųš',
  no: 'æø',
  pl: 'łąęśźż',
  pt: 'ãõ',
  ro: 'șțăşţ',
  sr: 'đ',
  tr: 'ğış',
  vi: 'đơưạảấầẩậắặẹẻếềểễệỉịọỏốồổộớờởợụủứừửữự',
};
const RARE_LETTER = /[^\0-\x7f]/gu;

/**
 * A third of the letters is enough, as Latin names stand in texts of every script; Latin comes
 * last.
 */
const SCRIPT_SHARE_MIN = 1 / 3;

interface Script {
  readonly pattern: RegExp;
  readonly languageOf: (sample: string) => Language;
}

const KANA = /[\p{sc=Hira}\p{sc=Kana}]/gu;
const HAN = /\p{sc=Han}/gu;
/** A Japanese text has kana between its Han; a Chinese one may quote a word of them. */
const KANA_OF_HAN_MIN = 0.1;

const SCRIPTS: readonly Script[] = [
  { pattern: /\p{sc=Cyrl}/gu, languageOf: cyrillicLanguage },
  { pattern: /\p{sc=Arab}/gu, languageOf: arabicLanguage },
  { pattern: /\p{sc=Deva}/gu, languageOf: byStopWords },
  { pattern: /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/gu, languageOf: hanLanguage },
  { pattern: /\p{sc=Hang}/gu, languageOf: () => 'ko' },
  { pattern: /\p{sc=Thai}/gu, languageOf: () => 'th' },
  { pattern: /\p{sc=Laoo}/gu, languageOf: () => 'lo' },
  { pattern: /\p{sc=Khmr}/gu, languageOf: () => 'km' },
  { pattern: /\p{sc=Mymr}/gu, languageOf: () => 'my' },
  { pattern: /\p{sc=Grek}/gu, languageOf: () => 'el' },
  { pattern: /\p{sc=Hebr}/gu, languageOf: () => 'he' },
  { pattern: /\p{sc=Armn}/gu, languageOf: () => 'hy' },
  { pattern: /\p{sc=Taml}/gu, languageOf: () => 'ta' },
  { pattern: /\p{sc=Latn}/gu, languageOf: byStopWords },
];

/**
 * The language of a text, by script, rare letters and stop words; `--` if unsure, as for few words.
 * Importing this loads the stop words of all languages.
 */
export function detectLanguage(text: string): Language {
  const begin = text.slice(0, SAMPLE_UNITS_MAX);
  // The letters are Latin, or there are none.
  if (ASCII.test(begin)) return byStopWords(begin);
  const sample = begin.normalize('NFC');
  const letters = countOf(sample, /\p{L}/gu);
  const main = SCRIPTS.find(({ pattern }) => countOf(sample, pattern) > SCRIPT_SHARE_MIN * letters);
  return main?.languageOf(sample) ?? ANY_LANGUAGE;
}

/** Stop words and letters, each with the numbers of its languages. */
const SIGNS: ReadonlyMap<string, readonly number[]> = signs();

function signs(): Map<string, number[]> {
  const languagesOf = new Map<string, number[]>();
  for (const [number, language] of STOP_WORD_LANGUAGES.entries()) {
    const words = stopWordsOf(language).map((word) => word.toLowerCase());
    const telling = words.filter((word) => word.length > 1);
    for (const sign of new Set([...telling, ...(LETTERS[language] ?? '')])) {
      const languages = languagesOf.get(sign);
      if (languages === undefined) languagesOf.set(sign, [number]);
      else languages.push(number);
    }
  }
  return languagesOf;
}

function byStopWords(sample: string): Language {
  const lower = sample.toLowerCase();
  const words = lower.match(WORD) ?? [];
  const evidence = evidenceOf([...words, ...(lower.match(RARE_LETTER) ?? [])]);
  let first = 0;
  let most = 0;
  let second = 0;
  for (const [language, given] of evidence.entries()) {
    if (given > most) {
      second = most;
      most = given;
      first = language;
    } else if (given > second) second = given;
  }
  if (most < EVIDENCE_MIN || most < LEAD_MIN * second) return ANY_LANGUAGE;
  const isEnough = most >= EVIDENCE_PER_WORD_MIN * new Set(words).size;
  return isEnough ? STOP_WORD_LANGUAGES[first]! : ANY_LANGUAGE;
}

/** Evidence for each language, by its number. */
function evidenceOf(signsOfText: readonly string[]): Float64Array {
  const occurrences = new Map<string, number>();
  const evidence = new Float64Array(STOP_WORD_LANGUAGES.length);
  for (const sign of signsOfText) {
    const languages = SIGNS.get(sign);
    if (languages === undefined) continue;
    const occurrence = (occurrences.get(sign) ?? 0) + 1;
    occurrences.set(sign, occurrence);
    if (occurrence > OCCURRENCES_MAX) continue;
    for (const language of languages) evidence[language]! += 1 / languages.length;
  }
  return evidence;
}

function countOf(sample: string, pattern: RegExp): number {
  return sample.match(pattern)?.length ?? 0;
}

function hanLanguage(sample: string): Language {
  const kana = countOf(sample, KANA);
  return kana > KANA_OF_HAN_MIN * (kana + countOf(sample, HAN)) ? 'ja' : 'zh';
}

function cyrillicLanguage(sample: string): Language {
  const lower = sample.toLowerCase();
  // Belarusian, Macedonian and Kazakh have neither a stemmer nor stop words here.
  if (/[ўѓќѕәғқңөұү]/.test(lower)) return ANY_LANGUAGE;
  if (/[ђћљњј]/.test(lower)) return 'sr';
  if (/[ыэё]/.test(lower)) return /[іїєґ]/.test(lower) ? ANY_LANGUAGE : 'ru';
  if (/[іїєґ]/.test(lower)) return 'uk';
  return byStopWords(sample);
}

function arabicLanguage(sample: string): Language {
  // Urdu and Pashto.
  if (/[ٹڈڑےںټډړښ]/.test(sample)) return ANY_LANGUAGE;
  return /[پچژگیک]/.test(sample) ? 'fa' : 'ar';
}
