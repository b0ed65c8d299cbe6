import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scale, seed } from '../../../../test/support/scale.ts';
import type { Analyzer, Token } from './analyzer.ts';
import { CharacterClasses, Scanner } from './scanner.ts';
import { WORD_CODE_POINTS_MAX } from './fold.ts';
import { SAMPLE_SENTENCES } from './testing/languages-in-use.ts';
import { ANALYSIS_LANGUAGES } from './languages.ts';
import { Analyzers } from './language-analyzer.ts';

const analyzers = new Analyzers();
/** Has seen other words before. */
const others = new Analyzers();

function terms(language: string, text: string): string[] {
  return analyzers
    .for(language)
    .analyze(text)
    .map(({ term }) => term);
}

function surfaces(language: string, text: string): string[] {
  return analyzers
    .for(language)
    .analyze(text)
    .map(({ surface }) => surface);
}

function documentTokens(analyzer: Analyzer, text: string): Token[] {
  const tokens: Token[] = [];
  analyzer.analyzeDocument(text, (token) => tokens.push(token));
  return tokens;
}

/** Whether a document of `text` has what `query` asks for, one word after the other. */
function finds(language: string, query: string, text: string): boolean {
  const asked = terms(language, query);
  const places = new Set(
    documentTokens(analyzers.for(language), text).map(
      ({ term, position }) => `${position} ${term}`,
    ),
  );
  const starts = Array.from({ length: text.length + 1 }, (_, position) => position);
  return starts.some((start) =>
    asked.every((term, index) => places.has(`${start + index} ${term}`)),
  );
}

describe('words', () => {
  it.each([
    ['en', 'node.js foo_bar AT&T camelCase', ['node', 'js', 'foo', 'bar', 'at', 't', 'camelcase']],
    ['en', 'C++, c# and F#; C++11 a#b ++ c+d', 'c++ c# and f# c++ 11 a b c d'.split(' ')],
    ['en', '1,000 3.14 v1.2.3 mp3', ['1', '000', '3', '14', 'v1', '2', '3', 'mp3']],
    ['en', "John's don’t O'Neil 'quoted'", ['john', 'dont', 'oneil', 'quoted']],
    ['fr', "l'eau d’été", ['l', 'eau', 'd', 'ete']],
    ['tr', "İSTANBUL'da IŞIK ışık", ['istanbul', 'da', 'isik', 'isik']],
    ['uk', "п'ять п’ять", ['пять', 'пять']],
    ['he', 'צה״ל שָׁלוֹם', ['צהל', 'שלום']],
    ['ar', 'كِتَابٌ كتـــاب ٣٤', ['كتاب', 'كتاب', '34']],
    ['fa', 'می‌خواهم كتاب', ['میخواهم', 'کتاب']],
    ['el', 'ΟΔΟΣ οδός', ['οδοσ', 'οδοσ']],
    ['de', 'Größe GRÖSSE Häuser', ['grosse', 'grosse', 'hauser']],
    ['sv', 'Åsa café', ['åsa', 'cafe']],
    ['da', 'Ærø ÉN', ['ærø', 'en']],
    ['es', 'AÑO niño está', ['año', 'niño', 'esta']],
    ['ru', 'Ёлка йод', ['елка', 'йод']],
    ['ca', 'col·lecció', ['colleccio']],
    ['pl', 'Łódź', ['lodz']],
    ['hi', 'हिन्दी १२', ['हिन्दी', '12']],
    [
      '--',
      'x\u200by so\u00adft \u202eabc\u202c \ud800z ⅻ ﬁn Ｗｉｄｅ',
      ['xy', 'soft', 'abc', 'z', 'xii', 'fin', 'wide'],
    ],
  ])('of %s: %s', (language, text, expected) => {
    expect(surfaces(language, text)).toEqual(expected);
    expect(surfaces(language, text.normalize('NFD'))).toEqual(expected);
  });

  it('are found in the text as it came', () => {
    const text = '\ud83d\ude00 E\u0301TUDES, ﬁn Größe';
    const found = analyzers.for('--').analyze(text);
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual([
      'E\u0301TUDES',
      'ﬁn',
      'Größe',
    ]);
    expect(found.map(({ surface }) => surface)).toEqual(['etudes', 'fin', 'grosse']);
    expect(found.map(({ position }) => position)).toEqual([0, 1, 2]);
  });

  it('are found without their accents', () => {
    expect(finds('fr', 'étudiés', 'ils ont étudiés ici')).toBe(true);
    expect(finds('fr', 'etudies', 'ils ont étudiés ici')).toBe(true);
    expect(finds('fr', 'ont etudies ici', 'ils ont étudiés ici')).toBe(true);
    expect(finds('tr', 'ogrenciler', 'Öğrenciler geldi')).toBe(true);
  });

  it('are found by a letter with a sign after it', () => {
    expect(finds('en', 'c', 'C++ and Rust')).toBe(true);
    expect(finds('en', 'c++', 'C and Rust')).toBe(false);
  });

  it(`are known by their first ${WORD_CODE_POINTS_MAX} code points`, () => {
    const long = '𝐚'.repeat(WORD_CODE_POINTS_MAX + 1);
    const [token, ...rest] = analyzers.for('--').analyze(`${long} b`);
    expect(token).toMatchObject({ surface: 'a'.repeat(WORD_CODE_POINTS_MAX), end: long.length });
    expect(rest).toHaveLength(1);
    expect(terms('en', 'x'.repeat(1_000_000))[0]).toHaveLength(WORD_CODE_POINTS_MAX);
  });
});

describe('Chinese, Japanese and Korean', () => {
  it('are pairs in any language', () => {
    expect(terms('ja', '東京都の、水')).toEqual(['東京', '京都', '都の', '水']);
    expect(terms('en', 'in 東京tower')).toEqual(['in', '東京', 'tower']);
    expect(terms('ko', '한국어'.normalize('NFD'))).toEqual(['한국', '국어']);
    expect(terms('ja', 'ｶﾞｷﾞ ガギ')).toEqual(['ガギ', 'ガギ']);
    expect(terms('zh', '𠀀𠀁')).toEqual(['𠀀𠀁']);
  });

  it('are found by each of their characters and each part', () => {
    const text = '東京都の水';
    for (let start = 0; start < text.length; start += 1) {
      for (let end = start + 1; end <= text.length; end += 1) {
        expect(finds('ja', text.slice(start, end), text)).toBe(true);
      }
    }
    expect(finds('ja', '京水', text)).toBe(false);
  });
});

it('Thai, Lao, Khmer and Burmese are cut into words, in any language', () => {
  expect(terms('th', 'ภาษาไทย')).toEqual(['ภาษา', 'ไทย']);
  expect(terms('--', 'in ภาษาไทย')).toEqual(['in', 'ภาษา', 'ไทย']);
  for (const language of ['lo', 'km', 'my']) {
    expect(terms(language, SAMPLE_SENTENCES[language] ?? '').length).toBeGreaterThan(3);
  }
  const long = 'ภาษาไทย'.repeat(10_000);
  const found = analyzers.for('th').analyze(long);
  expect(found.map(({ start, end }) => long.slice(start, end)).join('')).toBe(long);
});

describe('languages', () => {
  it('share an analysis where they have two codes', () => {
    expect(analyzers.for('nb')).toBe(analyzers.for('no'));
    expect(analyzers.for('nn').language).toBe('no');
    expect(() => analyzers.for('xx')).toThrow('analysis of the language xx');
  });

  it.each([
    ['en', 'the', 'tree'],
    ['fr', 'ete', 'arbre'],
    ['sl', 'in', 'knjiga'],
    ['sr', 'да', 'књига'],
    ['tr', 'icin', 'kitap'],
    ['uk', 'але', 'книга'],
  ])('have stop words: %s', (language, stopWord, other) => {
    expect(analyzers.for(language).isStopWord(stopWord)).toBe(true);
    expect(analyzers.for(language).isStopWord(other)).toBe(false);
    expect(analyzers.for('--').isStopWord(stopWord)).toBe(false);
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        ..."a É ß İ 東 ｶﾞ 한 ᄒ ᅡ ภา \u0301 \u200b \u202e \ud800 \udc00 𠀀 \u0640 שׁ كَ ï ij 1 . ' ’ + # c \0 ﷺ ½ ⺀".split(
          ' ',
        ),
        ' ',
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join('')),
  fc.constantFrom(...Object.values(SAMPLE_SENTENCES)),
);

describe.each(ANALYSIS_LANGUAGES)('any text in %s', (language) => {
  it('gives tokens in order, which lead back to themselves', () => {
    const numRuns = scale({ sample: 60, soak: 20_000 });
    fc.assert(
      fc.property(anyText, (text) => {
        const analyzer = analyzers.for(language);
        const indexed = documentTokens(analyzer, text);
        expect(documentTokens(others.for(language), text)).toEqual(indexed);
        expect(firstOfEach(indexed)).toEqual(analyzer.analyze(text));
        let place = { position: -1, start: 0 };
        for (const token of indexed) {
          expect(token.position - place.position).toBeLessThanOrEqual(1);
          expect(token.position).toBeGreaterThanOrEqual(place.position);
          expect(token.end).toBeGreaterThan(token.start);
          expect(token.end).toBeLessThanOrEqual(text.length);
          expect(token.term).not.toBe('');
          place = token;
        }
        for (const { surface, position } of firstOfEach(indexed)) {
          const term = analyzer.stem(surface);
          const here = indexed.filter((token) => token.position === position);
          expect(here.map((token) => token.term)).toContain(term);
        }
      }),
      { numRuns, seed: seed() },
    );
  });
});

function firstOfEach(tokens: readonly Token[]): Token[] {
  return tokens.filter((token, index) => token.position !== tokens[index - 1]?.position);
}

describe('the work', () => {
  /** Counts how often a character is looked at. */
  class CountingClasses extends CharacterClasses {
    looks = 0;
    override readonly table = new Proxy(new CharacterClasses().table, {
      get: (table, unit) => {
        this.looks += 1;
        return Reflect.get(table, unit);
      },
    });
  }

  it.each([
    ['ignored characters', '\u200b'],
    ['a word with ignored characters', 'a\u200b\u200b'],
    ['apostrophes', "'"],
    ['words with apostrophes', "a'"],
    ['marks', '\u0301'],
    ['signs', 'c+'],
    ['pairs', '東\u0301'],
    ['a long word', 'a'],
    ['surrogates', '\ud800'],
    ['mixed scripts', 'a東ภ'],
  ])('grows with the length: %s', (_, part) => {
    const classes = new CountingClasses();
    const text = part.repeat(10_000);
    const scanner = new Scanner(text, classes, true);
    let runs = 0;
    while (scanner.next()) runs += 1;
    expect(runs).toBeLessThanOrEqual(text.length);
    expect(classes.looks).toBeGreaterThan(0);
    expect(classes.looks).toBeLessThanOrEqual(4 * text.length + 10);
  });
});
