import { expect, test } from 'vitest';
import { firstQuestions } from './first-questions.ts';

const type = (name: string, count: number, ...fields: string[]) => ({
  type: name,
  count,
  mayWrite: false,
  key: 'Id',
  fields: Object.fromEntries(fields.map((field) => [field, 'String' as const])),
  indexes: [],
});

test('questions name what there is most of, and nothing that nobody sees', () => {
  const types = [
    type('Rare', 1, 'Name'),
    type('Empty', 0, 'Name'),
    type('Book', 9, 'Id', 'Title', 'Pages', 'Tags', 'Notes'),
    type('Bare', 20),
  ];
  const questions = firstQuestions(types);
  expect(questions).toHaveLength(4);
  expect(questions.slice(2)).toEqual([
    'Compare some nodes of the type Book in a table: Title, Pages, Tags.',
    'How are nodes of the types Book and Rare connected? Show examples.',
  ]);
  expect(questions.join(' ')).not.toMatch(/Empty|Bare/);
});

test('one node alone is compared with nothing', () => {
  const questions = firstQuestions([type('Rare', 1, 'Name')]);
  expect(questions.join(' ')).not.toContain('Compare some');
  expect(new Set(questions).size).toBe(4);
});

test('without nodes the questions are general', () => {
  expect(new Set(firstQuestions([type('Empty', 0, 'Name')])).size).toBe(4);
  expect(firstQuestions([]).join(' ')).not.toContain('type');
});
