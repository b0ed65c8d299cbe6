import { expect, it } from 'vitest';
import {
  ADMIN_AGENT_HISTORY_CHARACTERS_MAX,
  ADMIN_AGENT_TITLE_CHARACTERS_MAX,
} from '#base/assistant-limits.ts';
import { conversation, titleOf } from './admin-agent-turn.ts';

const user = (text: string) => ({ role: 'user' as const, text });
const assistant = (text: string) => ({ role: 'assistant' as const, text });

it('a conversation begins with a user, and sides take turns', () => {
  const earlier = [
    assistant('lost'),
    user('a'),
    user('b'),
    assistant(''),
    assistant('c'),
    user('d'),
  ];
  expect(conversation(earlier, 'e')).toEqual([user('a\n\nb'), assistant('c'), user('d\n\ne')]);
  expect(conversation([], 'first')).toEqual([user('first')]);
});

it('the newest messages that fit are told, and the new one always', () => {
  const half = 'x'.repeat(ADMIN_AGENT_HISTORY_CHARACTERS_MAX / 2);
  const fitting = [user('old'), assistant('old'), user(half), assistant(half)];
  expect(conversation(fitting, 'new')).toEqual([user(half), assistant(half), user('new')]);
  const over = [user(half), assistant(`${half}x`)];
  expect(conversation(over, 'new')).toEqual([user('new')]);
});

it.each([
  ['one line', 'one line'],
  ['  first\nsecond', 'first'],
  ['x'.repeat(ADMIN_AGENT_TITLE_CHARACTERS_MAX), 'x'.repeat(ADMIN_AGENT_TITLE_CHARACTERS_MAX)],
  [
    'x'.repeat(ADMIN_AGENT_TITLE_CHARACTERS_MAX + 1),
    `${'x'.repeat(ADMIN_AGENT_TITLE_CHARACTERS_MAX - 1)}…`,
  ],
])('%j has the title %j', (message, title) => {
  expect(titleOf(message)).toBe(title);
});
