import {
  ADMIN_AGENT_HISTORY_CHARACTERS_MAX,
  ADMIN_AGENT_TITLE_CHARACTERS_MAX,
} from '#base/admin-agent-limits.ts';
import type { ModelMessage } from '../model/model-run.ts';
import type { StoredMessage } from './session-store.ts';

/** The newest messages that fit, and the new one. Messages of one side that follow each other are one. */
export function conversation(
  earlier: readonly Pick<StoredMessage, 'role' | 'text'>[],
  message: string,
): ModelMessage[] {
  let left = ADMIN_AGENT_HISTORY_CHARACTERS_MAX;
  const fitting = earlier.filter(({ text }) => text !== '').toReversed();
  const end = fitting.findIndex(({ text }) => (left -= text.length) < 0);
  const kept = (end < 0 ? fitting : fitting.slice(0, end)).toReversed();
  const messages: ModelMessage[] = [];
  for (const { role, text } of [...kept, { role: 'user' as const, text: message }]) {
    const last = messages.at(-1);
    // The first one is a user's.
    if (last === undefined && role === 'assistant') continue;
    if (last?.role === role)
      messages[messages.length - 1] = { role, text: `${last.text}\n\n${text}` };
    else messages.push({ role, text });
  }
  return messages;
}

/** The first line, cut where it is long. */
export function titleOf(message: string): string {
  const [line = ''] = message.trim().split('\n', 1);
  if (line.length <= ADMIN_AGENT_TITLE_CHARACTERS_MAX) return line;
  return `${line.slice(0, ADMIN_AGENT_TITLE_CHARACTERS_MAX - 1)}…`.toWellFormed();
}
