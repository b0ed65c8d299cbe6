import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CHAT_MADE_TITLE_CHARACTERS_MAX } from '#base/assistant-limits.ts';
import { titleOf } from './chat-turns.ts';

it.each([
  ['Which words mean dog?', 'Which words mean dog?'],
  ['  Two\n lines\tof it ', 'Two lines of it'],
  [`${'word '.repeat(12)}word`, `${'word '.repeat(11)}word…`],
  ['x'.repeat(61), `${'x'.repeat(60)}…`],
])('%j is called %j', (message, title) => {
  expect(titleOf(message)).toBe(title);
});

it('is one line, short, and well-formed, whatever is said', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (message) => {
      const title = titleOf(message);
      expect(title.length).toBeLessThanOrEqual(CHAT_MADE_TITLE_CHARACTERS_MAX + 1);
      expect(title).not.toMatch(/[\n\r\t]/);
      expect(title.isWellFormed()).toBe(true);
    }),
  );
});
