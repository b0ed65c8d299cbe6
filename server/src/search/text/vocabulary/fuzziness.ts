/** How many typos a word of a query may have, or `auto`: by its length (open-shapes, section 6). */
export type Fuzziness = 0 | 1 | 2 | 'auto';

/** Letters from which a word may have one typo, and two: Elasticsearch's AUTO, which is AUTO:3,6. */
const ONE_TYPO_FROM_CODE_POINTS = 3;
const TWO_TYPOS_FROM_CODE_POINTS = 6;

export function typosAllowed(fuzziness: Fuzziness, word: string): 0 | 1 | 2 {
  if (fuzziness !== 'auto') return fuzziness;
  let codePoints = 0;
  for (const _ of word) {
    if (++codePoints === TWO_TYPOS_FROM_CODE_POINTS) return 2;
  }
  return codePoints >= ONE_TYPO_FROM_CODE_POINTS ? 1 : 0;
}
