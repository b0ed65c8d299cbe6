import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sentencesOf } from './sentences.ts';

const said = (answer: string) => sentencesOf(answer).map(({ plain, cites }) => [plain, ...cites]);

describe('the sentences of an answer', () => {
  it.each<[what: string, answer: string, sentences: unknown[][]]>([
    ['a number before the end', 'It is old [1]. It grows.', [['It is old.', 1], ['It grows.']]],
    [
      'a number after the end',
      'It is old. [1] It grows.[2][3]',
      [
        ['It is old.', 1],
        ['It grows.', 2, 3],
      ],
    ],
    ['a number as a subject', '[1] says that it is old.', [['says that it is old.', 1]]],
    ['numbers on a line of their own', 'It is old.\n[1] [2]', [['It is old.', 1, 2]]],
    ['one number twice', 'Old [1] and tall [1].', [['Old and tall.', 1]]],
    [
      'short forms',
      'Dr. Ada B. Lovelace, e.g. at 3.5 m, came [1].',
      [['Dr. Ada B. Lovelace, e.g. at 3.5 m, came.', 1]],
    ],
    [
      'a day in German',
      'Am 3. Mai 2020 kam sie [1]. Dann ging sie.',
      [['Am 3. Mai 2020 kam sie.', 1], ['Dann ging sie.']],
    ],
    [
      'a quote of two sentences',
      'He said “It works. It does.” twice [1].',
      [['He said “It works. It does.” twice.', 1]],
    ],
    ['an address', 'See https://a.example/b.c?d=e [1].', [['See https://a.example/b.c?d=e.', 1]]],
    [
      'a list',
      '- **Oak** is old [1]\n  1. _Elm_ is rare [2]\n- [x] `done`',
      [['Oak is old', 1], ['Elm is rare', 2], ['done']],
    ],
    ['a table', '| Tree | Age |\n|---|--:|\n| Oak | 300 [1] |', [['Oak | 300', 1]]],
    ['a table without outer bars', 'Tree | Age\n--- | ---\nOak | 300 [1]', [['Oak | 300', 1]]],
    ['code', 'Run:\n```sh\necho "x" # [1]\n```\nDone.', [['Run:'], ['Done.']]],
    ['code in a longer fence', '````\n```\n````\nDone [1].', [['Done.', 1]]],
    ['code with other signs in it', '```\n~~~\n```\nDone [1].', [['Done.', 1]]],
    [
      'code in words',
      '```ls``` lists them [1].\nDone [1].',
      [
        ['ls lists them.', 1],
        ['Done.', 1],
      ],
    ],
    [
      'code in an item',
      '1. Run:\n    ```sh\n    ls # [1]\n    ```\n2. Done [1].',
      [['Run:'], ['Done.', 1]],
    ],
    ['code that is an item', '- ```sh\n  ls # [1]\n  ```\n- Done [1].', [['Done.', 1]]],
    ['code that ends with its list', '- ```sh\n  ls\n\nDone [1].', [['Done.', 1]]],
    ['code that ends with its quote', '> ```sh\n> ls # [1]\n\nDone [1].', [['Done.', 1]]],
    ['words far from a fence', 'So\n    ~~~\nDone [1].', [['So'], ['Done.', 1]]],
    ['headings', '## Trees\n> ### Of oaks [1]', [['Of oaks', 1]]],
    ['Chinese', '橡树很老。[1]榆树很少。', [['橡树很老。', 1], ['榆树很少。']]],
    ['a link', 'See [the oak](https://a.example/oak) [1].', [['See the oak.', 1]]],
    ['nothing', ' \n---\n***\n', []],
  ])('of %s', (_what, answer, sentences) => {
    expect(said(answer)).toEqual(sentences);
  });

  it('are in the answer where they say, in order, whatever it is', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '[1]',
        '[23] ',
        '. ',
        '\n',
        '| ',
        '- ',
        '# ',
        '```\n',
        '“',
        '"',
        '。',
        '**',
        '> ',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const answer = pieces.join('');
        let last = 0;
        for (const { start, end, text } of sentencesOf(answer)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(answer.slice(start, end)).toBe(text);
          last = end;
        }
      }),
    );
  });

  it.each([
    '[',
    '[1]',
    '[1]. ',
    '"a. ',
    'Mr. ',
    '3. Mai ',
    '| ',
    '> ',
    '- ',
    '1. ',
    ' ',
    '*_`',
    '(',
    '\\',
    '[a](',
    '. ',
  ])('of a long line of %j take no time that grows with its square', (sign) => {
    // The work of a pattern that backtracks would not end.
    expect(sentencesOf(`${sign.repeat(100_000)}x`).length).toBeLessThanOrEqual(100_001);
  });

  it('end also where each word is a short form, so that none is joined without end', () => {
    expect(sentencesOf('Mr. '.repeat(1_000)).length).toBeGreaterThan(10);
  });

  it.each(['[1]\n', '> [1]\n', 'a\n[1]\n', '|a|\n'])(
    'of many lines of %j take no time that grows with the square of their number',
    (line) => {
      const sentences = sentencesOf(`Old.\n${line.repeat(30_000)}`);
      expect(sentences.at(-1)?.cites ?? []).toEqual(line.includes('[1]') ? [1] : []);
    },
  );
});
