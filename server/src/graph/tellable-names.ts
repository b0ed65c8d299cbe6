import type { Visibility } from './reader.ts';

/** Counts of nodes, without reading the nodes. */
interface Counts {
  countOfType(type: string): number;
}

/**
 * Whether a hint may tell this reader that the type exists: the reader can see at least one node of
 * it.
 */
export function isTellableType(
  reader: Counts,
  visibility: Visibility | undefined,
  type: string,
): boolean {
  if (seesEverything(visibility)) return true;
  return !isSystemType(type) && seesNodeOf(reader, visibility, type);
}

/** The same for a field of nodes of a type. */
export function isTellableField(
  reader: Counts,
  visibility: Visibility | undefined,
  type: string,
  field: string,
): boolean {
  if (!isTellableType(reader, visibility, type)) return false;
  return visibility === undefined || visibility.canReadFieldOfType(type, field);
}

/**
 * Whether hints may name edge types. Their names tell which nodes they connect, so only a reader
 * who sees everything is told.
 */
export function tellsOfEdges(visibility: Visibility | undefined): boolean {
  return seesEverything(visibility);
}

/**
 * Whether this existing type must look to the reader like a type without nodes that may have any
 * field, because the reader can see no node of it. So an empty type and one whose nodes are all
 * hidden get the same answer. False when `type` is undefined.
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

/** The names of system types are not secret. */
function isSystemType(type: string): boolean {
  return type.startsWith('_');
}
