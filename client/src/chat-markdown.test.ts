import type { Chat, ChatMessage } from '@trellis/contract/shapes/chat.ts';
import type { SentenceSupport } from '@trellis/contract/shapes/support.ts';
import { expect, it } from 'vitest';
import { chatMarkdown } from './chat-markdown.ts';

type Reply = Extract<ChatMessage, { role: 'assistant' }>;

const AT = '2026-11-29T17:00:00.000Z';
const CHAT: Omit<Chat, 'messages'> = {
  UID: 'c1',
  title: 'Oaks',
  createdAt: AT,
  updatedAt: AT,
  isBusy: false,
  busyWith: null,
};
const OAK = { id: 1, uid: 'oak', text: 'Title: Oak\nText: Oaks grow for centuries.' };

function asked(text: string, viewingUID: string | null = null): ChatMessage {
  return { role: 'user', UID: 'q', text, at: AT, viewingUID };
}

/** An answer whose sentences, each with a verdict and perhaps a quote of the first source. */
function replied(
  text: string,
  verdicts: readonly (readonly [string, SentenceSupport['verdict'], quote?: string])[] = [],
  more: Partial<Reply> = {},
): ChatMessage {
  const support = verdicts.map(([sentence, verdict, quote]) => {
    const start = text.indexOf(sentence);
    const citations = quote === undefined ? [] : [{ id: 1, uid: 'oak', quote }];
    return { sentence, start, end: start + sentence.length, verdict, citations };
  });
  return {
    role: 'assistant',
    UID: 'a',
    text,
    at: AT,
    citations: [OAK],
    toolCalls: [],
    usage: null,
    model: 'large',
    ended: 'answer',
    error: null,
    feedback: null,
    support,
    supportRate: null,
    supportJudge: null,
    ...more,
  };
}

const exported = (...messages: ChatMessage[]): string => chatMarkdown({ ...CHAT, messages });
/** What stands between the heading of an answer and the footnotes. */
const answerOf = (message: ChatMessage): string =>
  /, large\n\n([^]*?)(?=\n\n\[\^|\n$)/.exec(exported(message))?.[1] ?? '';

it('has questions, answers, and footnotes with sources, verdicts and quotes', () => {
  const quote = 'Oaks grow for centuries.';
  const messages = [
    asked('How old?\nSay it.', 'oak'),
    replied('Oaks grow for centuries [1]. They grow for 300 years [1][7].\n\nFine.', [
      ['Oaks grow for centuries [1].', 'supported', quote],
      ['They grow for 300 years [1][7].', 'unsupported'],
      ['Fine.', 'unchecked'],
    ]),
    asked('Sure?'),
    replied('Old [1]', [['Old [1]', 'partly', quote]], {
      ended: 'tokens',
      supportJudge: { model: 'judge', outcome: 'failed', code: 'llm_busy' },
    }),
  ];
  const baseUrl = 'https://graph.example.org/';
  expect(chatMarkdown({ ...CHAT, messages }, { baseUrl })).toBe(`# Oaks

## You

${AT}

About the node [\`oak\`](<https://graph.example.org/#/node/oak>)

> How old?${'  '}
> Say it.${'  '}

## Assistant

${AT}, large

Oaks grow for centuries [^1].[^s1] They grow for 300 years [^1][7]. *(not supported)*[^s2]

Fine.

Sources support 1 of 2 checked sentences.

## You

${AT}

> Sure?${'  '}

## Assistant

${AT}, large

Old [^1] *(partly supported)*[^s3]

The answer ends here: it used all tokens of an answer.

Sources support 0 of 1 checked sentence.

The judge had no answer: the sentences were compared only.

[^1]: [\`oak\`](<https://graph.example.org/#/node/oak>): Title: Oak; Text: Oaks grow for centuries.

[^s1]: Supported: “Oaks grow for centuries.” (source 1, [\`oak\`](<https://graph.example.org/#/node/oak>))

[^s2]: Not supported by what is cited.

[^s3]: Partly supported: “Oaks grow for centuries.” (source 1, [\`oak\`](<https://graph.example.org/#/node/oak>))
`);
});

it('without an address of the workspace it names nodes', () => {
  expect(exported(asked('And?', 'oak'))).toContain('About the node `oak`\n');
});

it('a verdict stands in the cell, the item and the language of its sentence', () => {
  const text =
    '| Tree | Age |\n|---|---|\n| Oak | 300 [1] |\n\n- **Elm** is rare [1]\n\n橡树很老。[1]榆树很少。';
  const message = replied(text, [
    ['Oak | 300 [1]', 'unsupported'],
    ['**Elm** is rare [1]', 'partly'],
    ['橡树很老。[1]', 'supported', '很老'],
  ]);
  expect(answerOf(message)).toContain(
    '| Oak | 300 [^1] *(not supported)*[^s1] |\n\n' +
      '- **Elm** is rare [^1] *(partly supported)*[^s2]\n\n橡树很老。[^1][^s3]榆树很少。',
  );
});

it('code stays as it is, and what looks like a citation in it too', () => {
  const text = 'Run `a[1]` [1]:\n\n```js\nx[1] = "<b>[a](b)";\n```\nDone [1]!';
  const message = replied(text, [['Done [1]!', 'supported', 'Oak']]);
  expect(answerOf(message)).toContain(
    'Run `a[1]` [^1]\\:\n\n```js\nx[1] = "<b>[a](b)";\n```\nDone [^1]! [^s1]',
  );
});

it('code that is cut off ends with its answer', () => {
  expect(answerOf(replied('~~~~sh\nls\n~~~\n````', []))).toBe('~~~~sh\nls\n~~~\n````\n~~~~');
});

it('an answer has no heading of the file, and no rule makes one', () => {
  const text = '# You\n### Deep\n###### Deepest\nwords\n---\nwords\n===\n#tag';
  expect(answerOf(replied(text))).toBe(
    '### You\n##### Deep\n###### Deepest\nwords\n\n---\nwords\n\\===\n#tag',
  );
});

it('says what became of an answer that failed, or is under way', () => {
  const error = { code: 'llm_busy', message: 'Too\nmuch <b>to do</b>.' };
  expect(exported(replied('', [], { ended: 'failed', error }))).toContain(
    '\n\nThe answer failed: Too much \\<b>to do\\</b>. (llm_busy)\n',
  );
  expect(exported(replied('', [], { ended: null, model: '' }))).toContain(
    `## Assistant\n\n${AT}\n\nThe answer is under way.\n`,
  );
});
