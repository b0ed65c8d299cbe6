import { expect, it } from 'vitest';
import { judgementIn } from './golden-judge.ts';

const OF = {
  answer: 'Oaks grow **old** [1].',
  documents: ['{"Text":"Oaks grow old."}'],
  nuggets: 2,
};
const said = (more: object) =>
  JSON.stringify({
    refusal: false,
    nuggets: [
      { number: 0, verdict: 'support', quote: 'Oaks grow old' },
      { number: 1, verdict: 'partial_support', quote: 'Oaks' },
    ],
    statements: [
      { statement: 'Oaks grow old.', isSupported: true, quote: 'Oaks grow old.' },
      { statement: 'Elms are rare.', isSupported: false, quote: null },
    ],
    ...more,
  });

it('reads verdicts, also with text around them', () => {
  const judged = { nuggets: [true, false], isRefusal: false, faithfulness: 0.5 };
  expect(judgementIn(said({}), OF)).toEqual(judged);
  expect(judgementIn(`Here:\n\`\`\`json\n${said({})}\n\`\`\``, OF)).toEqual(judged);
  expect(judgementIn(said({ statements: [] }), OF).faithfulness).toBeNull();
});

it('believes nothing without a quote that stands where it must', () => {
  const nuggets = [
    { number: 0, verdict: 'support', quote: 'Oaks live for ever' },
    { number: 1, verdict: 'support' },
  ];
  const statements = [{ statement: 'x', isSupported: true, quote: 'Elms are rare' }];
  expect(judgementIn(said({ nuggets, statements }), OF)).toEqual({
    nuggets: [false, false],
    isRefusal: false,
    faithfulness: 0,
  });
});

it.each([
  ['no JSON', 'All is well.'],
  ['broken JSON', '{"refusal": false, '],
  ['no verdict on a refusal', '{"nuggets": [], "statements": []}'],
  ['a nugget too few', said({ nuggets: [{ number: 0, verdict: 'support', quote: 'Oaks' }] })],
])('is refused with %s', (_, text) => {
  expect(() => judgementIn(text, OF)).toThrow(
    expect.objectContaining({ code: 'llm_misconfigured' }),
  );
});
