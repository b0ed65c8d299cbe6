import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Markdown } from './markdown.tsx';
import {
  MARKDOWN_BLOCK_DEPTH_MAX,
  MARKDOWN_CHARACTERS_MAX,
  MARKDOWN_INLINE_DEPTH_MAX,
  MARKDOWN_TABLE_CELLS_MAX,
  markdownTokens,
} from './markdown-tokens.ts';

const CITED: Readonly<Record<number, string>> = { 1: '(Ark)', 4: '(Dune)' };

/** The elements, without their classes and the box around them. */
function shown(...lines: string[]): string {
  const html = renderToStaticMarkup(
    createElement(Markdown, { text: lines.join('\n'), citation: (number) => CITED[number] }),
  );
  return html.replaceAll(/ class="[^"]*"/g, '').replace(/^<div dir="auto">(.*)<\/div>$/s, '$1');
}

/** What a reader sees, without the elements. */
function words(text: string): string {
  return shown(text).replaceAll(/<[^>]*>/g, ' ');
}

test('headings, paragraphs, quotes, rules and code are told apart', () => {
  expect(
    shown('# Ships #', 'Two sail.', '', '> He *said*', '', '---', '```ts', '- a < b', '```'),
  ).toBe(
    '<p>Ships</p><p>Two sail.</p><blockquote><p>He <em>said</em></p></blockquote><hr/>' +
      '<pre tabindex="0">- a &lt; b</pre>',
  );
});

test('marks within a line', () => {
  expect(shown('**a *b* c** `*d*` ~~e~~ \\*f\\* 2 * 3 * 4 snake_case_name')).toBe(
    '<p><strong>a <em>b</em> c</strong> <code>*d*</code> <del>e</del> *f* 2 * 3 * 4 snake_case_name</p>',
  );
});

test('lines break where they are broken', () => {
  expect(shown('one', 'two  ', 'three\\', 'four')).toBe('<p>one<br/>two<br/>three<br/>four</p>');
});

test('lists nest, and begin with their number', () => {
  expect(shown('3. one', '   - in', '     - deep', '4. two', '', 'end')).toBe(
    '<ol start="3"><li>one<div><ul><li>in<div><ul><li>deep</li></ul></div></li></ul></div></li>' +
      '<li>two</li></ol><p>end</p>',
  );
  expect(shown('- one', '', '  more', '', '- two')).toBe(
    '<ul><li>one<div><p>more</p></div></li><li>two</li></ul>',
  );
});

test('lists of tasks have boxes that cannot be changed', () => {
  expect(shown('- [x] sail', '- [ ] land')).toBe(
    '<ul><li><input type="checkbox" disabled="" aria-label="Done" checked=""/>sail</li>' +
      '<li><input type="checkbox" disabled="" aria-label="Not done"/>land</li></ul>',
  );
});

test('tables have headers, alignment and marks', () => {
  expect(shown('| Name | Tons |', '|---|--:|', '| **Ark** [1] | 9 |', '| a \\| b |')).toBe(
    '<div role="group" aria-label="Table" tabindex="0"><table>' +
      '<thead><tr><th scope="col">Name</th><th scope="col">Tons</th></tr></thead>' +
      '<tbody><tr><td><strong>Ark</strong> (Ark)</td><td>9</td></tr>' +
      '<tr><td>a | b</td><td></td></tr></tbody></table></div>',
  );
});

test('citations are replaced wherever they are text', () => {
  expect(shown('A [1][4], *b [1]*', '- c [1](x)', '', '`[1]` \\[1] [7] [a]')).toBe(
    '<p>A (Ark)(Dune), <em>b (Ark)</em></p><ul><li>c (Ark)(x)</li></ul>' +
      '<p><code>[1]</code> [1] [7] [a]</p>',
  );
  expect(shown('See [1].', '', '[1]: https://evil.example')).toBe(
    '<p>See (Ark).</p><p>(Ark): https://evil.example</p>',
  );
});

test('an answer that is still coming in is shown as far as it is known', () => {
  expect(shown('a', '~~~', 'let **b**')).toBe('<p>a</p><pre tabindex="0">let **b**</pre>');
  expect(shown('Ships:', '-')).toBe('<p>Ships:<br/>-</p>');
  expect(shown('a **bold')).toBe('<p>a **bold</p>');
  expect(shown('| a | b |', '|---|---|', '| 1')).toContain('<td>1</td><td></td>');
  const answer = '# A\n\n- b **c**\n  1. d\n\n| e | f |\n|---|---|\n| `g` | h |\n\n```\ni\n```\nj';
  for (let end = 0; end <= answer.length; end++) {
    const letters = answer.slice(0, end).match(/[a-j]/gi) ?? [];
    expect(words(answer.slice(0, end)).match(/[a-j]/gi) ?? []).toEqual(letters);
  }
});

test('nothing becomes a link, a picture or HTML', () => {
  const hostile = [
    '[click](javascript:alert(1)) ![p](https://evil.example/?q=secret)',
    '<https://evil.example> https://evil.example www.evil.example me@evil.example',
    '[click][ref]',
    '',
    '[ref]: javascript:alert(1)',
    '',
    '<script>alert(1)</script>',
    '',
    '<img src=x onerror=alert(1)> a <b>bold</b> &lt; <!-- no -->',
    '',
    '- <iframe src="https://evil.example"></iframe>',
    '',
    '| <a href="https://evil.example">a</a> |',
    '|---|',
    '| [b](data:text/html,x) |',
  ].join('\n');
  const html = shown(hostile);
  const names = (pattern: RegExp) => new Set([...html.matchAll(pattern)].map(([, name]) => name));
  expect(names(/<\/?([a-z]+)/g)).toEqual(
    new Set(['p', 'br', 'ul', 'li', 'div', 'table', 'thead', 'tbody', 'tr', 'th', 'td']),
  );
  expect(names(/(?<=<[^>]*) ([a-z-]+)=/g)).toEqual(
    new Set(['role', 'aria-label', 'tabindex', 'scope']),
  );
  for (const written of [
    '[click](javascript:alert(1))',
    '[ref]: javascript:alert(1)',
    '&lt;script',
  ]) {
    expect(html).toContain(written);
  }
});

test('nesting is bounded, and what is deeper stays text', () => {
  const depth = (html: string, element: string) => html.split(`<${element}>`).length - 1;
  expect(depth(shown(`${'> '.repeat(5_000)}a`), 'blockquote')).toBe(MARKDOWN_BLOCK_DEPTH_MAX);
  expect(depth(shown(`${'- '.repeat(5_000)}a`), 'ul')).toBe(MARKDOWN_BLOCK_DEPTH_MAX);
  const quoted = (levels: number) => shown(`${'>'.repeat(levels)} a`);
  expect(quoted(MARKDOWN_BLOCK_DEPTH_MAX)).not.toContain('&gt;');
  expect(quoted(MARKDOWN_BLOCK_DEPTH_MAX + 1)).toContain('<p>&gt; a</p>');
  const emphasized = (levels: number) =>
    shown(`${'*a **b '.repeat(levels)}${'** *'.repeat(levels)}`);
  expect(depth(emphasized(200), 'em')).toBeLessThan(200 * MARKDOWN_INLINE_DEPTH_MAX);
});

test('a text is Markdown up to its limit, and the rest is text', () => {
  const filled = (length: number) => `${'a'.repeat(length - 9)}\n\n**b** c`;
  expect(shown(filled(MARKDOWN_CHARACTERS_MAX)).slice(-30)).toContain('<strong>b</strong> c');
  expect(shown(filled(MARKDOWN_CHARACTERS_MAX + 1)).slice(-30)).toContain('**b** c');
});

test('tables have cells up to their limit', () => {
  const table = (rows: number) => `|a|b|c|d|\n|-|-|-|-|\n${'|\n'.repeat(rows)}`;
  const cells = (text: string) => shown(text).split(/<t[hd]\b/).length - 1;
  expect(cells(table(500))).toBe(501 * 4);
  expect(cells(`${table(500)}\n`.repeat(20))).toBeLessThanOrEqual(MARKDOWN_TABLE_CELLS_MAX);
  expect(cells(table(6_000))).toBe(0);
});

/** Texts that a parser may read again and again. */
const HOSTILE = [
  '>',
  '> ',
  '- ',
  '* ',
  '- - x',
  '[',
  '![',
  '[a](',
  '*a ',
  '**a* ',
  '*a_b**c__ ',
  '`',
  '`a ',
  '~~a ',
  '<',
  '<a b="',
  '<!--',
  '\\',
  ' ',
  '\n',
  'a\n|-\n',
  '|-',
  '|\n',
  '- a\n',
  '- a\n\n',
  '> - a\nb\n> c\n',
  '> - > - > - a\nb\n',
  '>>>>>>>> a\nb\n',
  '<div>\na\n',
  '[a]: b\n',
  'a@',
  'www.a',
  '```\n',
];

test.each(HOSTILE)('%j a million times is read within the time of a test, not in hours', (part) => {
  const tokens = markdownTokens(part.repeat(1_000_000));
  expect(tokens.at(-1)?.raw.length).toBeGreaterThan(900_000);
});

test('a text that the lexer fails on is shown as it was written', () => {
  expect(shown('- b', '  >3.', '(')).toBe('<p>- b\n  &gt;3.\n(</p>');
});

test('no word is lost, whatever a model writes', () => {
  const signs = [
    '# ',
    '- ',
    '3. ',
    '   ',
    '> ',
    '**',
    '*',
    '`',
    '[',
    ']',
    '(',
    '<b>',
    '~~',
    '\\',
    '\t',
  ];
  const content = fc.array(fc.constantFrom('word ', '- [ ] ', ...signs), { maxLength: 6 });
  const line = fc.oneof(
    content.map((parts) => parts.join('')),
    fc.constantFrom('```', '---', ''),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const text = lines.join('\n');
      // The language of a code block is not shown.
      fc.pre(!/(?:```|~~~).*word/.test(text));
      expect(words(text).match(/word/g)?.length).toBe(text.match(/word/g)?.length);
    }),
    { numRuns: 3_000 },
  );
});
