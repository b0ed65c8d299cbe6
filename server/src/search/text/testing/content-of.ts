import type { TextSegment } from '../segment.ts';

/**
 * What two segments with the same documents in the same order have in common, however they came
 * about.
 */
export function contentOf({ documents: table, terms, vocabulary, facets }: TextSegment): unknown {
  return {
    nodes: [...table.nodes],
    lengths: [...table.lengthCodes],
    averages: [...table.fields.lengthSums],
    terms: Array.from({ length: terms.size }, (_, term) => terms.get(term)),
    words: Array.from({ length: vocabulary.size }, (_, entry) => [
      vocabulary.word(entry),
      vocabulary.term(entry),
    ]),
    facets: [...facets].map(([id, { values, ordinals }]) => [
      id,
      [...ordinals].map((ordinal) => values.get(ordinal)),
    ]),
  };
}
