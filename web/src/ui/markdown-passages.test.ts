import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Markdown } from './markdown.tsx';
import { passagePieces } from './markdown-passages.ts';
import { markdownTokens } from './markdown-tokens.ts';

/** What is shown of a text whose passages are these: in `<u>`, with a star where each ends. */
function shown(text: string, ...passages: readonly string[]): string {
  const places = passages.map((passage) => {
    const start = text.indexOf(passage);
    return { start, end: start + passage.length };
  });
  const html = renderToStaticMarkup(
    createElement(Markdown, {
      text,
      citation: (number) => `(${number})`,
      passages: places,
      passage: (_at, words, isEnd) => [createElement('u', { key: 0 }, words), isEnd && '★'],
    }),
  );
  return html
    .replaceAll(/<button.*?<\/button>/g, '')
    .replaceAll(/ (?:class|role|aria-label|tabindex|dir)="[^"]*"/g, '')
    .replace(/^<div>(.*)<\/div>$/s, '$1');
}

test('a passage goes on through marks and citations, and ends once', () => {
  expect(shown('It **is *so* old** [1]. Yes.', 'It **is *so* old** [1].')).toBe(
    '<p><u>It </u><strong><u>is </u><em><u>so</u></em><u> old</u></strong><u> (1).</u>★ Yes.</p>',
  );
  expect(shown('One. **Two [1].** Three.', '**Two [1].**')).toBe(
    '<p>One. <strong><u>Two (1).</u>★</strong> Three.</p>',
  );
});

test('of two the same sentences the right one is marked', () => {
  const text = 'Same [1].\n\n- other\n- Same [2].';
  expect(shown(text, 'Same [2].')).toBe(
    '<p>Same (1).</p><ul><li>other</li><li><u>Same (2).</u>★</li></ul>',
  );
});

test('in quotes, lists, code and the cells of a row', () => {
  expect(shown('> 1. a `b c` [1]\n> 2. d', 'a `b c` [1]')).toBe(
    '<blockquote><ol start="1"><li><u>a </u><u><code>b c</code></u><u> (1)</u>★</li><li>d</li></ol></blockquote>',
  );
  expect(shown('```\nb\n```\n\nb [1]. c', 'b [1].')).toContain('<p><u>b (1).</u>★ c</p>');
  expect(shown('| x | y |\n|---|---|\n| a | b [1] |', 'a | b [1]')).toContain(
    '<tr><td><u>a</u></td><td><u>b (1)</u>★</td></tr>',
  );
});

test('two passages that touch are told apart', () => {
  expect(shown('老[1]。新[2]。', '老[1]。', '新[2]。')).toBe(
    '<p><u>老(1)。</u>★<u>新(2)。</u>★</p>',
  );
});

test('whatever the text and the passages, the words shown are those without passages', () => {
  const part = fc.constantFrom('a b. ', '**', '*', '`', '|', '\n', '- ', '> ', '[1]', '\\|', '---');
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 40 }),
      fc.array(fc.nat({ max: 60 }), { maxLength: 8 }),
      (parts, cuts) => {
        const text = parts.join('');
        const ends = [...new Set(cuts)].toSorted((a, b) => a - b);
        const passages = ends.slice(1).map((end, at) => ({ start: ends[at] ?? 0, end }));
        const tokens = markdownTokens(text);
        const pieces = passagePieces(text, tokens, passages);
        for (const [token, cut] of pieces) {
          expect(cut.map((piece) => piece.text).join('')).toBe(Reflect.get(token, 'text'));
        }
        const closed = [...pieces.values()].flat().filter(({ isEnd }) => isEnd);
        expect(new Set(closed.map(({ passage }) => passage)).size).toBe(closed.length);
      },
    ),
  );
});

test('a cell that is shown in another way than written is in no passage, those after it are', () => {
  expect(shown('|x|\n|-|\n|b\\|c|\n|d|', 'x|\n|-|\n|b\\|c|\n|d')).toContain(
    '<tr><td>b|c</td></tr><tr><td><u>d</u>★</td></tr>',
  );
});
