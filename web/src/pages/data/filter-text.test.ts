import { expect, test } from 'vitest';
import { filterMeaning } from './filter-text.ts';

const short = (type: string, text: string): unknown => {
  const { conditions, error } = filterMeaning('F', type, text);
  return error ?? conditions?.map(({ compare, value }) => `${compare} ${JSON.stringify(value)}`);
};

test.each([
  ['String', ' ', []],
  ['String', 'dune', ['contains "dune"']],
  ['String', 'du*', ['startsWith "du"']],
  ['String', '*ne', ['endsWith "ne"']],
  ['String', '= Dune', ['= "Dune"']],
  ['String', '=', ['exists false']],
  ['Json', '!=', ['exists true']],
  ['String[]', 'new', ['contains "new"']],
  ['Int[]', '7', ['contains 7']],
  ['Int', '7', ['= 7']],
  ['Int', '>= 7', ['>= 7']],
  ['Double', '1..2.5', ['>= 1', '<= 2.5']],
  ['Long', '9223372036854775807', ['= "9223372036854775807"']],
  ['Decimal', '<0.10', ['< "0.10"']],
  ['Bool', 'Yes', ['= true']],
  ['Bool', '!=no', ['!= false']],
  ['Time', '2024', ['>= "2024-01-01T00:00:00.000Z"', '< "2025-01-01T00:00:00.000Z"']],
  ['Time', '2024-12', ['>= "2024-12-01T00:00:00.000Z"', '< "2025-01-01T00:00:00.000Z"']],
  ['Time', '>2024-02-29', ['>= "2024-03-01T00:00:00.000Z"']],
  ['Time', '<= 2024-01-01T10:00Z', ['<= "2024-01-01T10:00:00.000Z"']],
])('for %s, %s means %j', (type, text, meaning) => {
  expect(short(type, text)).toEqual(meaning);
});

test.each([
  ['Int', 'many'],
  ['Int', '1.5'],
  ['Int', '1..'],
  ['Bool', 'perhaps'],
  ['Time', '2024-13'],
  ['Time', 'soon'],
  ['Json', 'a'],
])('for %s, %s is told to mean nothing', (type, text) => {
  expect(short(type, text)).toMatch(/^(Type|Only)/);
});
