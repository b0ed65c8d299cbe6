import type { DocumentTable } from './document-table.ts';
import { DECODED_LENGTHS } from './bm25.ts';
import { NO_DOCUMENT, PostingsCursor } from './postings-cursor.ts';
import { BLOCK_POSTINGS } from './postings-writer.ts';
import type { TextSegment } from './segment.ts';

/**
 * The deleted documents of a segment in one view. The memory never changes: the next view has its
 * own, so that a reader sees all of a commit or nothing.
 */
export interface Tombstones {
  readonly deletedCount: number;
  /** One bit for each document. */
  readonly bits: Uint32Array;
  /**
   * Deleted documents in the order of deletion, `deletedCount` of them. Later views begin with the
   * same ones, so that counts continue.
   */
  readonly deleted: Uint32Array;
  /** Field of the segment -> deleted documents with the field, and the sum of their lengths. */
  readonly fieldDocumentCounts: Float64Array;
  readonly fieldLengthSums: Float64Array;
}

export function isDeleted({ bits }: Tombstones, document: number): boolean {
  return ((bits[document >>> 5]! >>> (document & 31)) & 1) === 1;
}

/** The writer's side: deletes documents, and gives a view its tombstones. */
export class TombstoneSet {
  readonly #documents: DocumentTable;
  readonly #bits: Uint32Array;
  readonly #deleted: number[] = [];
  readonly #fieldDocumentCounts: Float64Array;
  readonly #fieldLengthSums: Float64Array;
  #published: Tombstones | undefined;

  constructor(documents: DocumentTable, deleted: Iterable<number> = []) {
    this.#documents = documents;
    this.#bits = new Uint32Array(Math.ceil(documents.count / 32));
    this.#fieldDocumentCounts = new Float64Array(documents.fields.ids.length);
    this.#fieldLengthSums = new Float64Array(documents.fields.ids.length);
    for (const document of deleted) this.delete(document);
  }

  get deletedCount(): number {
    return this.#deleted.length;
  }

  has(document: number): boolean {
    return ((this.#bits[document >>> 5]! >>> (document & 31)) & 1) === 1;
  }

  delete(document: number): void {
    if (this.has(document)) return;
    this.#published = undefined;
    this.#bits[document >>> 5]! |= 1 << (document & 31);
    this.#deleted.push(document);
    const { lengthStarts, lengthFields, lengthCodes } = this.#documents;
    for (let at = lengthStarts[document]!; at < lengthStarts[document + 1]!; at++) {
      const field = lengthFields[at]!;
      this.#fieldDocumentCounts[field]! += 1;
      this.#fieldLengthSums[field]! += DECODED_LENGTHS[lengthCodes[at]!]!;
    }
  }

  /** The same object until another document is deleted. */
  publish(): Tombstones {
    this.#published ??= {
      deletedCount: this.#deleted.length,
      bits: shared(this.#bits, Uint32Array),
      deleted: shared(this.#deleted, Uint32Array),
      fieldDocumentCounts: shared(this.#fieldDocumentCounts, Float64Array),
      fieldLengthSums: shared(this.#fieldLengthSums, Float64Array),
    };
    return this.#published;
  }
}

function shared<Numbers extends Uint32Array | Float64Array>(
  values: ArrayLike<number>,
  kind: { new (memory: SharedArrayBuffer): Numbers; readonly BYTES_PER_ELEMENT: number },
): Numbers {
  const numbers = new kind(new SharedArrayBuffer(values.length * kind.BYTES_PER_ELEMENT));
  numbers.set(values);
  return numbers;
}

/** Forgotten beyond this many terms, all at once. */
const TERMS_MAX = 65_536;

/**
 * How many of a term's documents in a segment are deleted, counted when a query first needs it. So
 * scores depend on living documents only, and two servers that merged differently rank alike.
 */
export class DeletedPostings {
  readonly #segment: TextSegment;
  readonly #counts = new Map<number, { seen: number; count: number }>();

  constructor(segment: TextSegment) {
    this.#segment = segment;
  }

  count(term: number, tombstones: Tombstones): number {
    const { deletedCount } = tombstones;
    if (deletedCount === 0) return 0;
    const known = this.#counts.get(term);
    if (known?.seen === deletedCount) return known.count;
    // An older view than the last one is rare: count from the start, and do not cache.
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
