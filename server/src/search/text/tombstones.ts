import type { DocumentTable } from './document-table.ts';
import { DECODED_LENGTHS } from './bm25.ts';

/**
 * The deleted documents of a segment, as of one view. Its memory is never written again: the next view has another
 * one, so that a reader sees all of a commit or nothing of it.
 */
export interface Tombstones {
  readonly deletedCount: number;
  /** One bit for each document. */
  readonly bits: Uint32Array;
  /**
   * Deleted documents in the order of their deletion, `deletedCount` of them. Later views have the same ones first, so
   * that what was counted over them is counted on.
   */
  readonly deleted: Uint32Array;
  /** Field of the segment -> documents with the field that are deleted, and the sum of their lengths. */
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
