import { expect, it } from 'vitest';
import { NODES_ANSWER_CHARACTERS_MAX } from '#base/limits.ts';
import { AnswerSize } from './node-view.ts';

it('takes so many characters together, and no more', () => {
  const text = 'x'.repeat(NODES_ANSWER_CHARACTERS_MAX / 4);
  const size = new AnswerSize();
  // Members of an object, and of a list, count one character more.
  size.add({ a: text, b: [text.slice(1)] });
  size.add(text);
  size.add(text.slice(3));
  expect(size.left).toBe(1);
  size.add('x');
  expect(() => size.add('x')).toThrow('would be larger');
});
