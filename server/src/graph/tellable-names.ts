import type { Visibility } from './reader.ts';

/** What is known of nodes without reading one. */
interface Counts {
  countOfType(type: string): number;
}

/** Whether a hint may tell this reader that there is such a type: that a node of it can be seen. */
export function isTellableType(
  reader: Counts,
  visibility: Visibility | undefined,
  type: string,
): boolean {
  if (visibility === undefined || visibility.sightOf([type]) === undefined) return true;
  if (type.startsWith('_')) return false;
  return reader.countOfType(type) > visibility.hiddenOfType(type);
}

/** The same of a field of nodes of a type. */
export function isTellableField(
  reader: Counts,
  visibility: Visibility | undefined,
  type: string,
  field: string,
): boolean {
  if (!isTellableType(reader, visibility, type)) return false;
  return visibility === undefined || visibility.canReadFieldOfType(type, field);
}

/** Types of edges say of which nodes they are: only who sees everything is told of one. */
export function tellsOfEdges(visibility: Visibility | undefined): boolean {
  return visibility === undefined || visibility.sightOf([]) === undefined;
}
