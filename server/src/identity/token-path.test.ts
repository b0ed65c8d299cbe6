import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathCovers } from './token-claims.ts';

test.each([
  ['', 'a', true],
  ['', 'a/b/c', true],
  ['a', 'a', true],
  ['a', 'a/x', false],
  ['a', 'ab', false],
  ['a', 'A', false],
  ['a/', 'a/x', true],
  ['a/', 'a/x/y', true],
  ['a/', 'a', false],
  ['a/', 'ab/x', false],
  ['a/b', 'a/b', true],
  ['a/b', 'a/bc', false],
  ['a/b', 'a', false],
])('"%s" of "%s": %s', (path, name, covers) => {
  expect(pathCovers(path, name)).toBe(covers);
});

test('covers whole segments only', () => {
  const name = fc.array(fc.constantFrom('a', 'b', 'ab'), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(name, name, fc.boolean(), (scope, asked, isPrefix) => {
      const path = `${scope.join('/')}${isPrefix ? '/' : ''}`;
      const begins = scope.every((segment, i) => asked[i] === segment);
      const expected = isPrefix
        ? begins && asked.length > scope.length
        : begins && asked.length === scope.length;
      expect(pathCovers(path, asked.join('/'))).toBe(expected);
    }),
  );
});
