import { expect, it } from 'vitest';
import {
  contentOf,
  goldenNameFault,
  newQuestion,
  nextQuestionId,
  valuesOf,
} from './golden-values.ts';

const UID = '1111111111111111111111';
const SET = {
  version: 3,
  description: 'Trees',
  questions: [
    {
      id: 'oak',
      question: 'How old?',
      asUser: 'ann',
      nuggets: [
        { text: 'old', importance: 'vital' as const, uids: [UID, UID] },
        { text: 'tall', importance: 'okay' as const },
      ],
      mustRefuse: true,
      mustNotReveal: [UID],
    },
    { id: 'elm', question: 'How rare?', nuggets: [] },
  ],
};

it('gives back what it was given', () => {
  expect(contentOf(valuesOf(SET))).toEqual(SET);
});

it('has room for what an answer must say, unless it must be refused', () => {
  const questions = [
    { id: 'asked', question: 'Who?', nuggets: [] },
    { id: 'refused', question: 'Who?', nuggets: [], mustRefuse: true },
  ];
  const { questions: shown } = valuesOf({ ...SET, questions });
  expect(shown.map(({ nuggets }) => nuggets.length)).toEqual([1, 0]);
});

it('leaves out what is empty, and reads UIDs however they are separated', () => {
  const question = { ...newQuestion(1), question: 'Who?', mustNotReveal: `${UID}\n${UID},` };
  expect(contentOf({ version: 1, description: '', questions: [question] }).questions).toEqual([
    { id: 'question-1', question: 'Who?', nuggets: [], mustNotReveal: [UID, UID] },
  ]);
});

it('takes no name that a set has already, which would be replaced', () => {
  expect(goldenNameFault('oaks', ['elms'])).toBe(true);
  expect(goldenNameFault('elms', ['elms'])).toContain('already');
  expect(goldenNameFault('-', [])).toContain('letters');
});

it('gives a question an id that no other has', () => {
  expect(nextQuestionId([])).toBe('question-1');
  expect(nextQuestionId([{ id: 'oak' }, { id: 'question-3' }])).toBe('question-4');
});
