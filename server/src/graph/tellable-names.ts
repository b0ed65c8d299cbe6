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
 * Whether a type of this name is to be as one that has no nodes, and takes any field, whether it exists or not: a refusal would
 * tell a reader from whom all nodes of a type are hidden which. Without a name: whether that holds for any type. Who sees a node
 * of each type that has any is told which names are mistakes.
 */
export function concealsType(
  reader: Counts,
  visibility: Visibility | undefined,
  type: string | undefined,
  known: Iterable<string>,
): boolean {
  if (seesEverything(visibility)) return false;
  const types = [...known];
  const isHidden = (one: string): boolean => {
    if (isSystemType(one)) return false;
    const hidden = visibility.hiddenOfType(one);
    return hidden > 0 && reader.countOfType(one) <= hidden;
  };
  return type !== undefined && types.includes(type) ? isHidden(type) : types.some(isHidden);
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
