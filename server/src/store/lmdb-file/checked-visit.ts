import { checkedEnd } from '../checked-values.ts';
import type { EntryVisitor, TreePlace } from './tree-pages.ts';

/** A tree, and how its values are stored. */
export interface CheckedPlace extends TreePlace {
  /** The number of the database when its values have checks; undefined when they have none. */
  readonly checkedAs: number | undefined;
}

/**
 * Makes a visitor of stored entries from one that expects plain values. It throws the problem
 * `storage_corrupt` when a check does not match.
 */
export function visitorOf(visitor: EntryVisitor, checkedAs: number | undefined): EntryVisitor {
  if (checkedAs === undefined) return visitor;
  return (key, keyStart, keyEnd, stored, start, end) =>
    visitor(
      key,
      keyStart,
      keyEnd,
      stored,
      start,
      checkedEnd(checkedAs, key, keyStart, keyEnd, stored, start, end),
    );
}
