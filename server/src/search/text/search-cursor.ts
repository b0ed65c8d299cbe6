import { NO_DOCUMENT } from './postings-cursor.ts';

/** Goes through the documents of a segment that match a part of a query, in ascending order, and scores them. */
export interface SearchCursor {
  /** Where it stands, or `NO_DOCUMENT`. */
  readonly document: number;
  /** About how many documents it will go through. */
  readonly cost: number;
  /** No document scores above it. */
  readonly scoreMax: number;
  next(): void;
  /** Goes to the first match that is not below `document`; never back. */
  seek(document: number): void;
  /** Sets the bit of each document from here on, and goes behind all. */
  markRest(bits: Uint32Array): void;
  score(): number;
  /** No document from where it stands up to `blockLast` scores above it. */
  blockScoreMax(): number;
  blockLast(): number;
}

/** `markRest` for cursors that have no faster way. */
export function markEach(cursor: SearchCursor, bits: Uint32Array): void {
  for (; cursor.document !== NO_DOCUMENT; cursor.next()) {
    bits[cursor.document >>> 5]! |= 1 << (cursor.document & 31);
  }
}
