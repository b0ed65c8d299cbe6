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
  if (seesEverything(visibility)) return true;
  return !isSystemType(type) && seesNodeOf(reader, visibility, type);
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
  return seesEverything(visibility);
}

/**
 * Whether this type, which there is, looks to the reader like one that has no nodes and any field:
 * no node of it can be seen. So an empty type and one whose nodes are all hidden are answered
 * alike. Without a type: no.
 */
export function concealsType(
  reader: Counts,
  visibility: Visibility | undefined,
  type: string | undefined,
  known: Iterable<string>,
): boolean {
  if (type === undefined || seesEverything(visibility) || isSystemType(type)) return false;
  return !seesNodeOf(reader, visibility, type) && new Set(known).has(type);
}

function seesEverything(visibility: Visibility | undefined): visibility is undefined {
  return visibility === undefined || visibility.sightOf([]) === undefined;
}

function seesNodeOf(reader: Counts, visibility: Visibility, type: string): boolean {
  return reader.countOfType(type) > visibility.hiddenOfType(type);
}

/** Their names are no secret. */
function isSystemType(type: string): boolean {
  return type.startsWith('_');
}
