import { checkedEnd } from '../checked-values.ts';
import type { EntryVisitor, TreePlace } from './tree-pages.ts';

/** A tree, and how its values are stored. */
export interface CheckedPlace extends TreePlace {
  /** The number of the database where its values are checked. */
  readonly checkedAs: number | undefined;
}

/**
 * For a visit of what is stored, from one that is to see the values. Throws the problem
 * `storage_corrupt`.
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
