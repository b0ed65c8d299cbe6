import type { NameTable } from '../names/name-table.ts';
import type { TextSegment } from '../segment.ts';

/**
 * What two segments with the same documents in the same order have in common, however they came
 * about.
 */
export function contentOf({
  documents: table,
  terms,
  vocabulary,
  facets,
  names,
}: TextSegment): unknown {
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
    names: namesOf(names),
  };
}

function namesOf(names: NameTable): unknown[] {
  const all: unknown[] = [];
  for (const walk = names.walk(); walk.next();) {
    names.someEntry([walk.entry, walk.entry + walk.count], (document, field) => {
      all.push([walk.name, document, field]);
      return false;
    });
  }
  return all;
}
