import { expect, test } from 'vitest';
import { completedQuery } from './completed-query.ts';

test.each([
  ['har', '(har OR har*)'],
  [' north  har ', 'north (har OR har*)'],
  ['סירה', '(סירה OR סירה*)'],
  ['', ''],
  ['"bad idea"', '"bad idea"'],
  ['Title:har', 'Title:har'],
  [' 4D9FYGr42r2wMD262F6BN2', '4D9FYGr42r2wMD262F6BN2'],
])('%s is looked for as %s', (typed, query) => {
  expect(completedQuery(typed)).toBe(query);
});
