import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectLanguage } from './detect-language.ts';
import { SAMPLE_SENTENCES } from './testing/languages-in-use.ts';
import { ANALYSIS_LANGUAGES } from './languages.ts';

describe('the language of a text', () => {
  it.each(Object.entries(SAMPLE_SENTENCES))('is %s', (language, text) => {
    expect(ANALYSIS_LANGUAGES).toContain(language);
    expect(detectLanguage(text)).toBe(language);
    expect(detectLanguage(text.normalize('NFD'))).toBe(language);
  });

  it.each([
    ['nothing', ''],
    ['digits', '3.14 2024-11-20'],
    ['a name', 'Johann Sebastian Bach'],
    ['code', 'const x = y.map((z) => z.id);'],
    ['Belarusian', 'Усе людзі нараджаюцца свабоднымі і роўнымі ў сваёй годнасці і правах.'],
    ['Urdu', 'تمام انسان آزاد اور حقوق و عزت کے اعتبار سے برابر پیدا ہوئے ہیں۔'],
    ['Georgian', 'ყველა ადამიანი იბადება თავისუფალი'],
  ])('is not known of %s', (_, text) => expect(detectLanguage(text)).toBe('--'));

  it('is that of a text with names in another script', () => {
    expect(detectLanguage('Node.js は JavaScript の実行環境です。V8 の上で動きます。')).toBe('ja');
    expect(detectLanguage('The word 東京 is the name of the capital of Japan.')).toBe('en');
  });

  it('is decided by the begin of a long text', () => {
    const text = `${(SAMPLE_SENTENCES['de'] ?? '').repeat(20)}${(SAMPLE_SENTENCES['fr'] ?? '').repeat(100)}`;
    expect(detectLanguage(text)).toBe('de');
  });

  it('is one of those with an analysis, whatever the text', () => {
    const anything = fc.string({ unit: 'binary', maxLength: 200 });
    fc.assert(
      fc.property(anything, (text) => {
        expect(ANALYSIS_LANGUAGES).toContain(detectLanguage(text));
      }),
    );
  });
});
