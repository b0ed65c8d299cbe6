import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortStrings } from './sort-strings.ts';

/** Many with the same beginning, some of letters beyond Latin, and halves of surrogate pairs. */
const word = fc
  .array(fc.constantFrom('a', 'b', '\0', 'ÿ', 'Ā', 'я', '日', '\ud83d', '\ude00'), { maxLength: 7 })
  .map((parts) => parts.join(''));

describe('sortStrings', () => {
  it('sorts by UTF-16 units, as the language does', () => {
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 50, maxLength: 300 }), (words) => {
        expect(sortStrings(words)).toEqual(words.toSorted());
      }),
      { numRuns: 100 },
    );
  });
});
