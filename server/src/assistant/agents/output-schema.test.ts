import { expect, it } from 'vitest';
import { OutputSchema } from './output-schema.ts';

const schema = new OutputSchema({ type: 'object', properties: { a: { type: 'number' } } });

it.each([
  '{"a":1}',
  ' {"a":1}\n',
  '```json\n{"a":1}\n```',
  '```\n{"a":1}```',
  '\n```json  \n\n{"a":1}\n\n ```\n',
])('takes JSON with fences and without: %j', (answer) => {
  expect(schema.check(answer)).toEqual({ value: { a: 1 } });
});

it.each(['```json', '``````', '```json\n```', '```js\n{"a":1}\n```', '{"a":1}\n```'])(
  'takes nothing else for JSON: %j',
  (answer) => {
    expect(schema.check(answer)).toEqual({ fault: 'It is not JSON.' });
  },
);

it('looks at each character of a hostile answer a few times at most', () => {
  // The time of a search that tries again at each line grows with the third power: hours.
  const answer = `\`\`\`json\n${'\n'.repeat(1_000_000)}x`;
  expect(schema.check(answer)).toEqual({ fault: 'It is not JSON.' });
});

it('says what does not fit', () => {
  expect(schema.check('{"a":"x"}')).toEqual({ fault: expect.stringContaining('a: ') });
});
