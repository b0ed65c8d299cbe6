import { expect, test } from 'vitest';
import { draftMeaning, draftText } from './field-draft.ts';

test.each([
  ['String', 'a b', 'a b'],
  ['Int', 7, '7'],
  ['Long', '9223372036854775807', '9223372036854775807'],
  ['Decimal', '0.10', '0.10'],
  ['Bool', false, 'no'],
  ['Time', '2024-05-01T10:30:00.000Z', '2024-05-01T10:30:00.000Z'],
  ['GeoPoint', { lat: 52.5, lon: -13 }, '52.5, -13'],
  ['Json', { a: [1] }, '{\n  "a": [\n    1\n  ]\n}'],
  ['String[]', ['one', 'two'], 'one\ntwo'],
  ['String[]', ['a\nb'], '[\n  "a\\nb"\n]'],
  ['Int[]', [1, 2], '1\n2'],
])('%s %j is edited as %j, and comes back', (type, value, text) => {
  expect(draftText(value, type)).toBe(text);
  expect(draftMeaning(text, type)).toEqual({ value });
});

test.each(['String', 'Int', 'Bool', 'Time', 'String[]'])('an empty %s is no value', (type) => {
  expect(draftText(undefined, type)).toBe('');
  expect(draftMeaning(' ', type)).toEqual({ value: null });
});

test.each([
  ['Int', '1.5'],
  ['Double', 'x'],
  ['Time', 'soon'],
  ['GeoPoint', '52'],
  ['Json', '{'],
  ['Int[]', '1\nx'],
])('for %s, %j is told to be wrong', (type, text) => {
  expect(draftMeaning(text, type).error).toBeTypeOf('string');
});
