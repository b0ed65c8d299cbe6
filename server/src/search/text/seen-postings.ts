import { FrequencyCursor } from './frequency-cursor.ts';
import { documentAt } from './postings-block.ts';
import { NO_DOCUMENT } from './postings-cursor.ts';
import { type FieldMask, MIXED, SEEN } from './visible-fields.ts';

/** Counts the documents with a term. */
export class SeenPostings extends FrequencyCursor {
  /** Those that are not passed over, and that have the term in a field of the mask. */
  count(isPassedOver: (document: number) => boolean, mask: FieldMask | undefined): number {
    let count = 0;
    for (; this.document !== NO_DOCUMENT; this.load(this.block + 1)) {
      const { documentsAt, width, base, size } = this;
      const { bytes } = this.window;
      for (let i = 0; i < size; i++) {
        const document = documentAt(bytes, documentsAt + i * width, width, base);
        if (isPassedOver(document)) continue;
        if (mask === undefined || this.#isSeenAt(mask, i, document)) count++;
      }
    }
    return count;
  }

  #isSeenAt(mask: FieldMask, index: number, document: number): boolean {
    const coverage = mask.coverage(this.window.bytes[this.codesAt + index]!);
    if (coverage !== MIXED) return coverage === SEEN;
    let isSeen = false;
    this.forEachFieldAt(index, (field) => (isSeen ||= mask.has(document, field)));
    return isSeen;
  }
}
