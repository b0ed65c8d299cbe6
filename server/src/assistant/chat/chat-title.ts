import { CHAT_MADE_TITLE_CHARACTERS_MAX } from '#base/assistant-limits.ts';

/** The first words of the first message, on one line. */
export function titleOf(message: string): string {
  const line = message.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= CHAT_MADE_TITLE_CHARACTERS_MAX) return line;
  const head = line.slice(0, CHAT_MADE_TITLE_CHARACTERS_MAX + 1);
  const end = head.lastIndexOf(' ');
  // Half of a character is none.
  return `${end > 0 ? head.slice(0, end) : [...head].slice(0, -1).join('')}…`;
}
