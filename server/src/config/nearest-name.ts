import { editDistance } from '#base/edit-distance.ts';

/** Of `known` (not empty), the name with the fewest letters to insert, delete or replace; the first of equals. */
export function nearestName(name: string, known: readonly string[]): string {
  let nearest = '';
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const edits = editDistance(name, candidate);
    if (edits < fewest) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}
