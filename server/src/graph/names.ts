import { editDistance } from '#base/edit-distance.ts';
import { SCHEMA_NAME_CHARACTERS_MAX } from '#base/limits.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Names that every node already has in its JSON, and the one name that would set an object's
 * prototype.
 */
export const RESERVED_FIELD_NAMES: ReadonlySet<string> = new Set([
  'UID',
  'Type',
  'Timestamp',
  'Id',
  '__proto__',
]);
/** Names that every edge already has in its JSON. */
export const RESERVED_EDGE_FIELD_NAMES: ReadonlySet<string> = new Set([
  'UID',
  'type',
  'from',
  'to',
  'timestamp',
  '__proto__',
]);

/** What is wrong with a name of a type or a field, or undefined. */
export function faultOfName(name: unknown): string | undefined {
  if (typeof name !== 'string' || !NAME.test(name)) {
    return 'a name is letters, digits and underscores, and does not begin with a digit';
  }
  if (name.length > SCHEMA_NAME_CHARACTERS_MAX) {
    return `a name has at most ${SCHEMA_NAME_CHARACTERS_MAX} characters`;
  }
  return name === '__proto__' ? 'this name is reserved' : undefined;
}

/**
 * Whether only the server itself may write this type: a built-in type, or an edge that decides
 * about access.
 */
export function isSystemName(type: string): boolean {
  return type.startsWith('_') || type.startsWith('RestrictAccessTo');
}

const ECHO_CHARACTERS_MAX = 300;

/**
 * Shortens a text of the caller for a message or a path, since a key or a name may be megabytes
 * long.
 */
export function shorten(text: string): string {
  return text.length <= ECHO_CHARACTERS_MAX ? text : `${text.slice(0, ECHO_CHARACTERS_MAX)}...`;
}

/** The candidate that a misspelt name most likely means; undefined when none is similar enough. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase().slice(0, SCHEMA_NAME_CHARACTERS_MAX);
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * A hint with the most similar known name, for the options of a problem; empty when none is
 * similar.
 */
export function didYouMean(name: string, candidates: Iterable<string>): { hint?: string } {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? {} : { hint: `Did you mean "${nearest}"?` };
}
