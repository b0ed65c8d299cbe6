import type { ChatMessage } from '@trellis/contract/shapes/chat.ts';
import { expect, test } from 'vitest';
import { citedFields, sentencesCiting } from './cited-passage.ts';

const reply = (text: string, ...ids: number[]): ChatMessage => ({
  role: 'assistant',
  UID: 'a',
  text,
  at: '2026-01-01T00:00:00.000Z',
  citations: ids.map((id) => ({ id, uid: `n${id}`, text: '' })),
  toolCalls: [],
  usage: null,
  model: 'm',
  ended: 'answer',
  error: null,
  feedback: null,
  support: [],
  supportRate: null,
  supportJudge: null,
});
const marked = (fact: string, ...said: string[]) =>
  citedFields(fact, said).flatMap(({ name, parts }) =>
    parts.flatMap(({ text, isMarked }) => (isMarked ? [`${name}: ${text.trim()}`] : [])),
  );

test('the sentence of each citation is found, wherever it is cited', () => {
  const text =
    'It rains. The *Ark* is **big** [1][2]. So is Dune [2].\n\n| Ark | 9 [1] |\n- last [2]';
  expect(sentencesCiting([reply(text, 1, 2)], 1).map((one) => one.trim())).toEqual([
    'The  Ark  is   big',
    'Ark   9',
  ]);
  expect(sentencesCiting([reply(text, 1, 2)], 2)).toHaveLength(3);
  // A number that was never given is no citation.
  expect(sentencesCiting([reply(text, 1)], 2)).toEqual([]);
  expect(sentencesCiting([reply('It is. [1]', 1)], 1)).toEqual(['It is.']);
});

test('what the answer repeats is marked, and nothing else', () => {
  const fact =
    'Title: The Ark\nText: Oaks grow for centuries. Elms are rare.\nAnd: no.\nmore\nPages: 12';
  expect(marked(fact, 'Oaks grow for many centuries')).toEqual(['Text: Oaks grow for centuries.']);
  expect(marked(fact, 'it has 12 pages')).toEqual(['Pages: 12']);
  // The longest that says it, and none that says the same again.
  expect(marked(`Id: ark\n${fact}`, 'The Ark is here')).toEqual(['Title: The Ark']);
  expect(marked(fact, 'nothing of it')).toEqual([]);
  const long = 'Text: Elms are rare, and they have been so for a hundred years. No more.';
  expect(marked(long, 'one of them says that elms are rare')).toEqual([
    'Text: Elms are rare, and they have been so for a hundred years.',
  ]);
  expect(marked(fact)).toEqual([]);
});

test('no letter of a fact is lost', () => {
  const fact = 'a line without a name\nTitle: x\ny: z\n\n: odd\nhttps://example.org/a: b';
  const fields = citedFields(fact, ['x']);
  const text = fields
    .map(({ name, parts }) => (name && `${name}: `) + parts.map((part) => part.text).join(''))
    .join('\n');
  expect(text).toBe(fact);
});
