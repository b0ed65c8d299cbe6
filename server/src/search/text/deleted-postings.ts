import { NO_DOCUMENT, PostingsCursor } from './postings-cursor.ts';
import { BLOCK_POSTINGS } from './postings-block.ts';
import type { Segment } from './segment.ts';
import type { Tombstones } from './tombstones.ts';

/** Forgotten beyond this many terms, all at once. */
const TERMS_MAX = 65_536;

/**
 * How many of a term's documents in a segment are deleted. Counted when a query first needs it and counted on when more
 * are deleted, so that a score depends on the living documents only, however they are spread over segments: two servers
 * that merged differently rank alike.
 */
export class DeletedPostings {
  readonly #segment: Segment;
  readonly #counts = new Map<number, { seen: number; count: number }>();

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  count(term: number, tombstones: Tombstones): number {
    const { deletedCount } = tombstones;
    if (deletedCount === 0) return 0;
    const known = this.#counts.get(term);
    if (known?.seen === deletedCount) return known.count;
    // An older view than the one counted last is rare: it is counted from the start and not kept.
    if (known !== undefined && known.seen > deletedCount) {
      return this.#countFrom(0, term, tombstones);
    }
    const added = this.#countFrom(known?.seen ?? 0, term, tombstones);
    const count = (known?.count ?? 0) + added;
    if (this.#counts.size >= TERMS_MAX) this.#counts.clear();
    this.#counts.set(term, { seen: deletedCount, count });
    return count;
  }

  /** `from` is how many of the deleted ones were counted before. */
  #countFrom(from: number, term: number, { deleted, deletedCount, bits }: Tombstones): number {
    const cursor = new PostingsCursor(this.#segment, term);
    let count = 0;
    if (from === 0 && deletedCount > cursor.documentCount / BLOCK_POSTINGS) {
      for (; cursor.document !== NO_DOCUMENT; cursor.next()) {
        count += (bits[cursor.document >>> 5]! >>> (cursor.document & 31)) & 1;
      }
      return count;
    }
    for (const document of deleted.slice(from, deletedCount).toSorted()) {
      cursor.seek(document);
      if (cursor.document === document) count++;
    }
    return count;
  }
}
