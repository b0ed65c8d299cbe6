import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { must } from '#base/assert.ts';
import { scale } from '../../../../test/support/scale.ts';
import { foldWord, normalizeWord } from './fold.ts';
import { LANGUAGE_RULES, STEMMER_LOADERS } from './languages.ts';
import { Analyzers } from './language-analyzer.ts';

const SOAK_TIMEOUT_MS = 10 * 60_000;
/** Where Debian's package `snowball-data` puts the whole vocabularies. */
const VOCABULARIES = '/usr/share/snowball/data';

/** The languages of Snowball, and their names in its folders. */
const SNOWBALL: readonly (readonly [language: string, name: string])[] = [
  ['ar', 'arabic'],
  ['ca', 'catalan'],
  ['da', 'danish'],
  ['de', 'german'],
  ['el', 'greek'],
  ['en', 'english'],
  ['es', 'spanish'],
  ['eu', 'basque'],
  ['fi', 'finnish'],
  ['fr', 'french'],
  ['ga', 'irish'],
  ['hi', 'hindi'],
  ['hu', 'hungarian'],
  ['hy', 'armenian'],
  ['id', 'indonesian'],
  ['it', 'italian'],
  ['lt', 'lithuanian'],
  ['ne', 'nepali'],
  ['nl', 'dutch'],
  ['no', 'norwegian'],
  ['pt', 'portuguese'],
  ['ro', 'romanian'],
  ['ru', 'russian'],
  ['sr', 'serbian'],
  ['sv', 'swedish'],
  ['ta', 'tamil'],
  ['tr', 'turkish'],
];

function* sampleOf(language: string): Generator<readonly [word: string, stem: string]> {
  const file = new URL(`testing/snowball/${language}.txt`, import.meta.url);
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const [word, stem] = line.split('\t');
    yield [must(word, 'a word'), must(stem, `the stem of ${word}`)];
  }
}

function* vocabularyOf(name: string): Generator<readonly [word: string, stem: string]> {
  const stems = linesOf(`${VOCABULARIES}/${name}/output.txt`);
  for (const word of linesOf(`${VOCABULARIES}/${name}/voc.txt`)) {
    const stem = must(stems.next().value, `the stem of ${word}`);
    if (word !== '') yield [word, stem];
  }
}

/** Line by line: the Arabic vocabulary has 9 million. */
function* linesOf(path: string): Generator<string, undefined> {
  const bytes = existsSync(path) ? readFileSync(path) : gunzipSync(readFileSync(`${path}.gz`));
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf('\n', start);
    const after = end === -1 ? bytes.length : end;
    yield bytes.toString('utf8', start, after);
    start = after + 1;
  }
  return undefined;
}

describe('stems are those of Snowball', () => {
  const whole = scale({ sample: false, soak: true });

  it.each(SNOWBALL)('%s', { timeout: SOAK_TIMEOUT_MS }, (language, name) => {
    const isThere = whole && existsSync(`${VOCABULARIES}/${name}`);
    if (whole && !isThere) {
      onTestFinished(() => {
        process.stdout.write(`No snowball-data: a sample of ${name}\n`);
      });
    }
    const stemmer = must(STEMMER_LOADERS[language], language)();
    const differing: string[] = [];
    let words = 0;
    for (const [word, stem] of isThere ? vocabularyOf(name) : sampleOf(language)) {
      words += 1;
      if (stemmer(word) !== stem) differing.push(`${word}: ${stemmer(word)}, not ${stem}`);
    }
    expect(words).toBeGreaterThanOrEqual(300);
    expect(differing.slice(0, 20)).toEqual([]);
  });

  it.each(SNOWBALL)('%s, as terms of texts', (language) => {
    const rules = must(LANGUAGE_RULES.get(language), language);
    const analyzer = new Analyzers().for(language);
    for (const [word, stem] of sampleOf(language)) {
      // Where the vocabulary has words in another form than texts are brought into, their stems are
      // other ones too.
      if (/['’ʼ]/.test(word) || normalizeWord(word, rules) !== word) continue;
      const terms = analyzer.analyze(`“${word}”, ${word}.`);
      for (const { term } of terms) expect(term, word).toBe(foldWord(stem, rules));
    }
  });
});

describe('stems of languages that Snowball has not join forms of a word', () => {
  it.each([
    ['bg', 'книга', 'книгата'],
    ['cs', 'hrad', 'hrady'],
    ['sl', 'knjiga', 'knjigo'],
    ['uk', 'книга', 'книги'],
  ])('%s: %s, %s', (language, one, other) => {
    const analyzer = new Analyzers().for(language);
    expect(analyzer.stem(other)).toBe(analyzer.stem(one));
  });
});

describe('Bulgarian', () => {
  it.each([
    ['автентичен', 'автентичн'],
    ['човекът', 'човек'],
    ['градове', 'град'],
    ['учебниците', 'учебник'],
    ['книги', 'книг'],
    ['жените', 'жени'],
  ])('%s is %s', (word, stem) => {
    expect(new Analyzers().for('bg').stem(word)).toBe(stem);
  });
});

it('loads all languages at once, for a thread that cannot load anything later', () => {
  expect(() => new Analyzers().loadAll()).not.toThrow();
});
