import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LLM_CHARACTERS_PER_TOKEN } from '#base/assistant-limits.ts';
import type { ModelMessage } from '../model/model-run.ts';
import { withinTokens } from './turn-plan.ts';

const said = (...tokens: readonly number[]): ModelMessage[] =>
  tokens.map((count, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    text: String(at).padEnd(count * LLM_CHARACTERS_PER_TOKEN, '.'),
  }));
const kept = (tokensMax: number, ...tokens: readonly number[]) =>
  withinTokens(said(...tokens), tokensMax).map(({ text }) => Number.parseInt(text, 10));

it('drops the oldest first, and keeps the first', () => {
  expect(kept(5, 1, 1, 1, 1, 1)).toEqual([0, 1, 2, 3, 4]);
  expect(kept(4, 1, 1, 1, 1, 1)).toEqual([0, 2, 3, 4]);
  expect(kept(2, 1, 1, 1, 1, 1)).toEqual([0, 4]);
  expect(kept(9, 1, 1, 9, 1, 1)).toEqual([0, 3, 4]);
});

it('sends the last, however long it is', () => {
  expect(kept(1, 1, 1, 1)).toEqual([2]);
  expect(kept(1, 9)).toEqual([0]);
});

it('leaves out what has no text', () => {
  const messages: ModelMessage[] = [
    { role: 'user', text: 'a' },
    { role: 'assistant', text: '' },
    { role: 'user', text: 'b' },
  ];
  expect(withinTokens(messages, 9).map(({ text }) => text)).toEqual(['a', 'b']);
});

it('is never longer than it may be, but for the last', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 60 }), (tokens, tokensMax) => {
      const messages = said(...tokens);
      const sent = withinTokens(messages, tokensMax);
      const used = sent.reduce((sum, { text }) => sum + text.length / LLM_CHARACTERS_PER_TOKEN, 0);
      expect(sent.at(-1)).toBe(messages.at(-1));
      expect(sent.length === 1 || used <= tokensMax).toBe(true);
    }),
  );
});
