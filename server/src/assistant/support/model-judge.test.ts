import { expect, it } from 'vitest';
import { judgedIn } from './model-judge.ts';

const SAID = { number: 3, verdict: 'supported', quotes: [{ id: 1, quote: 'It is old.' }] };

it.each([
  ['JSON alone', JSON.stringify([SAID])],
  [
    'JSON in a fence, after words',
    `Sentence [3]:\n\`\`\`json\n${JSON.stringify([SAID], null, 2)}\n\`\`\``,
  ],
  [
    'verdicts that are none beside it',
    JSON.stringify([{ ...SAID, verdict: 'yes' }, SAID, null, 7]),
  ],
  [
    'quotes that are none beside it',
    JSON.stringify([{ ...SAID, quotes: [...SAID.quotes, 'x', { id: '1' }] }]),
  ],
])('reads %s', (_what, said) => {
  expect(judgedIn(said)).toEqual([SAID]);
});

it.each(['', 'All is well.', '[{"number": 1,', '{"verdict": "supported"}', '[1][2]'])(
  'finds no verdict in %j',
  (said) => {
    expect(judgedIn(said)).toEqual([]);
  },
);
