import { describe, expect, it } from 'vitest';
import { RESEARCH_PART_CHARACTERS_MAX } from '#base/assistant-limits.ts';
import { planIn } from './research-plan.ts';

const researchers = [
  { name: 'Facts', instructions: 'Find facts.' },
  { name: 'Doubts', instructions: 'Doubt.' },
];
const plan = (said: string, questionsMax = 8): string[] =>
  planIn(said, { question: 'whole', researchers, questionsMax }).map(
    ({ researcher, question }) => `${researcher.name}: ${question}`,
  );

describe('a plan is read from what a model says', () => {
  it.each([
    ['a list', '[{"researcher": "Doubts", "question": "a"}]', ['Doubts: a']],
    [
      'words around it',
      'Sure!\n```json\n[{"question": " a "}, "b"]\n```',
      ['Facts: a', 'Doubts: b'],
    ],
    ['an object', '{"questions": [{"question": "a", "researcher": "facts"}]}', ['Facts: a']],
    ['one question', '{"question": "a", "researcher": "Doubts"}', ['Doubts: a']],
    [
      'nobody that is there',
      '[{"researcher": "X", "question": "a"}, {"question": 7}]',
      ['Facts: a'],
    ],
    ['the same twice', '["a", "a", "b", ""]', ['Facts: a', 'Doubts: b']],
    ['broken JSON', '[{"question": "a"', ['Facts: whole', 'Doubts: whole']],
    ['brackets in words', 'I [really] cannot.', ['Facts: whole', 'Doubts: whole']],
    ['no list', '{"a": 1}', ['Facts: whole', 'Doubts: whole']],
    ['nothing', '', ['Facts: whole', 'Doubts: whole']],
  ])('%s', (_what, said, expected) => {
    expect(plan(said)).toEqual(expected);
  });

  it('has so many questions at most, of so many letters', () => {
    expect(plan('["a", "b", "c"]', 2)).toEqual(['Facts: a', 'Doubts: b']);
    expect(plan('', 1)).toEqual(['Facts: whole']);
    const [long = ''] = plan(JSON.stringify(['x'.repeat(RESEARCH_PART_CHARACTERS_MAX + 1)]));
    expect(long).toHaveLength('Facts: '.length + RESEARCH_PART_CHARACTERS_MAX);
  });
});
