import { expect, it } from 'vitest';
import {
  LLM_KEPT_CHARACTERS_MAX,
  LLM_KEPT_CHARACTERS_PER_USER_MAX,
} from '#base/assistant-limits.ts';
import { listIn } from './json-members.ts';
import { KeptMessages } from './kept-messages.ts';

const reference = (id: string) => ({ type: 'item_reference', id });

/** What each of the ids stands for; null where nothing is kept. */
function textsOf(kept: KeptMessages, user: string, ...ids: string[]): unknown[] {
  const { input } = kept.expanded(user, { input: ids.map(reference) });
  return listIn(input).map((item) => Object(item).content ?? null);
}

it('gives a message back to the user to whom it was said', () => {
  const kept = new KeptMessages();
  kept.keep('ann', 'msg_1', 'Hello.');
  expect(textsOf(kept, 'ann', 'msg_1', 'msg_2')).toEqual(['Hello.', null]);
  expect(textsOf(kept, 'bob', 'msg_1')).toEqual([null]);
  const plain = { input: 'Hello?', model: 'm' };
  expect(kept.expanded('ann', plain)).toBe(plain);
});

it('puts a message into a request once, however often that names it', () => {
  const kept = new KeptMessages();
  kept.keep('ann', 'a', 'Hello.');
  expect(textsOf(kept, 'ann', 'a', 'a', 'a')).toEqual(['Hello.', null, null]);
  // What is no text names the same.
  const input = ['a', ['a'], [['a']]].map((id) => ({ type: 'item_reference', id }));
  const expanded = listIn(kept.expanded('ann', { input })['input']);
  expect(expanded.filter((item) => Object(item).content === 'Hello.')).toHaveLength(1);
});

it('forgets what a user has not referred to for longest', () => {
  const kept = new KeptMessages();
  const third = 'x'.repeat(LLM_KEPT_CHARACTERS_PER_USER_MAX / 3 - 200);
  for (const id of ['a', 'b', 'c']) kept.keep('ann', id, third);
  expect(textsOf(kept, 'ann', 'a', 'b', 'c')).toEqual([third, third, third]);
  expect(textsOf(kept, 'ann', 'a')).toEqual([third]);
  kept.keep('ann', 'd', '');
  expect(textsOf(kept, 'ann', 'a', 'b', 'c', 'd')).toEqual([third, null, third, '']);
  kept.keep('ann', 'e', 'x'.repeat(LLM_KEPT_CHARACTERS_PER_USER_MAX - 199));
  expect(textsOf(kept, 'ann', 'a', 'e')).toEqual([third, null]);
});

it('forgets those who spoke longest ago when all together are too much', () => {
  const kept = new KeptMessages();
  const whole = 'x'.repeat(LLM_KEPT_CHARACTERS_PER_USER_MAX - 200);
  const users = LLM_KEPT_CHARACTERS_MAX / LLM_KEPT_CHARACTERS_PER_USER_MAX;
  for (let user = 0; user < users; user++) kept.keep(`user${user}`, 'a', whole);
  expect(textsOf(kept, 'user0', 'a')).toEqual([whole]);
  kept.keep('last', 'a', '');
  expect(textsOf(kept, 'user0', 'a')).toEqual([whole]);
  expect(textsOf(kept, 'user1', 'a')).toEqual([null]);
  expect(textsOf(kept, 'last', 'a')).toEqual(['']);
});
