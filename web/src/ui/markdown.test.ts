import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Markdown } from './markdown.tsx';
import { tableText } from './markdown-tables.ts';
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
  return html
    .replaceAll(/<svg.*?<\/svg>/g, '')
    .replaceAll(/<button[^>]*>/g, '<button>')
    .replaceAll(/ class="[^"]*"/g, '')
    .replace(/^<div dir="auto">(.*)<\/div>$/s, '$1');
}

/** What a reader sees, without the elements and their buttons. */
function words(text: string): string {
  return shown(text)
    .replaceAll(/<button.*?<\/button>/g, '')
    .replaceAll(/<[^>]*>/g, ' ');
}

/** A button, whose picture is not looked at. */
const button = (label: string) => `<button>${label}</button>`;
const COPIES = button('Copy CSV') + button('Copy TSV');
const code = (language: string, text: string) =>
  `<div role="group" aria-label="Code"><div><span>${language}</span>${button('Copy code')}</div>` +
  `<pre tabindex="0">${text}</pre></div>`;

test('headings, paragraphs, quotes, rules and code are told apart', () => {
  expect(
    shown('# Ships #', 'Two sail.', '', '> He *said*', '', '---', '```ts', '- a < b', '```'),
  ).toBe(
    '<p>Ships</p><p>Two sail.</p><blockquote><p>He <em>said</em></p></blockquote><hr/>' +
      code('ts', '- a &lt; b'),
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
    '<div><div role="group" aria-label="Table" tabindex="0"><table>' +
      '<thead><tr><th scope="col">Name</th><th scope="col">Tons</th></tr></thead>' +
      '<tbody><tr><td><strong>Ark</strong> (Ark)</td><td>9</td></tr>' +
      `<tr><td>a | b</td><td></td></tr></tbody></table></div><div>${COPIES}</div></div>`,
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
  expect(shown('a', '~~~', 'let **b**')).toBe(`<p>a</p>${code('', 'let **b**')}`);
  expect(shown('Ships:', '-')).toBe('<p>Ships:<br/>-</p>');
  expect(shown('a **bold')).toBe('<p>a **bold</p>');
  expect(shown('| a | b |', '|---|---|', '| 1')).toContain('<td>1</td><td></td>');
  const answer = '# A\n\n- b **c**\n  1. d\n\n| e | f |\n|---|---|\n| `g` | h |\n\n```\ni\n```\nj';
  for (let end = 0; end <= answer.length; end++) {
    const letters = answer.slice(0, end).match(/[a-j]/gi) ?? [];
    expect(words(answer.slice(0, end)).match(/[a-j]/gi) ?? []).toEqual(letters);
  }
});

test('a table is one from its first head on while it comes in', () => {
  const live = (text: string) =>
    renderToStaticMarkup(createElement(Markdown, { text, isLive: true }));
  const table = '| Name | Price \\| tax |\n|:--|:-:|\n| **a** | `b` |\n| c | d |';
  for (const before of ['', 'Ships:\n', 'Ships:\n\n', '```\n| x\n```\n\n']) {
    for (let end = 3; end <= table.length; end++) {
      const html = live(before + table.slice(0, end));
      expect(html, table.slice(0, end)).toContain('<table');
      expect(html).not.toMatch(/<p[ >][^<]*\|/);
      expect(html).not.toContain('--');
    }
  }
  // Its columns stay when the line under the heads is there.
  expect(live(`${table.slice(0, 20)}\n|:--|:`).match(/<th/g)).toHaveLength(
    live(table).match(/<th/g)?.length ?? 0,
  );
  expect(live('a\n\n|')).not.toContain('|');
  expect(live('```\n| x')).not.toContain('<table');
  // What is no table when all of it is there is none then.
  expect(shown('| a | b')).toBe('<p>| a | b</p>');
});

test('a table is copied as its cells are read', () => {
  const [table] = markdownTokens(
    '| **Name** | Tons |\n|---|---|\n| a "b", `c` [1] | =1+1 |\n| d<br>e \\| f | -1.5% |',
  );
  if (table?.type !== 'table') throw new Error('no table');
  expect(tableText(table, ',')).toBe(`Name,Tons\r\n"a ""b"", c [1]","'=1+1"\r\n"d\ne | f",-1.5%`);
  expect(tableText(table, '\t')).toBe(
    `Name\tTons\r\n"a ""b"", c [1]"\t"'=1+1"\r\n"d\ne | f"\t-1.5%`,
  );
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
    new Set(['p', 'br', 'ul', 'li', 'div', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'button']),
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
      // Of what follows a fence only the first word is shown: the language.
      fc.pre(!/(?:```|~~~).*word/.test(text));
      expect(words(text).match(/word/g)?.length).toBe(text.match(/word/g)?.length);
    }),
    { numRuns: 3_000 },
  );
});
