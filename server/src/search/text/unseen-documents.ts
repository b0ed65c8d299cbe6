import { DECODED_LENGTHS } from './length-code.ts';
import type { Segment } from './segment.ts';
import { isDeleted, type Tombstones } from './tombstones.ts';

/** Whether a searcher may see a node, given the id of its type. */
export type SeesNode = (node: number, type: number) => boolean;

/** Documents, and for each field of the segment those that have it with the sum of their lengths. */
class Tally {
  count = 0;
  readonly fieldDocumentCounts: Float64Array;
  readonly fieldLengthSums: Float64Array;
  readonly #segment: Segment;

  constructor(segment: Segment) {
    const { length } = segment.documents.fields.ids;
    this.fieldDocumentCounts = new Float64Array(length);
    this.fieldLengthSums = new Float64Array(length);
    this.#segment = segment;
  }

  add(document: number): void {
    const { lengthStarts, lengthFields, lengthCodes } = this.#segment.documents;
    this.count++;
    for (let at = lengthStarts[document]!; at < lengthStarts[document + 1]!; at++) {
      const field = lengthFields[at]!;
      this.fieldDocumentCounts[field]! += 1;
      this.fieldLengthSums[field]! += DECODED_LENGTHS[lengthCodes[at]!]!;
    }
  }
}

/** The documents of a segment that a searcher may not see, deleted or not. */
export class UnseenDocuments {
  readonly bits: Uint32Array;
  readonly all: Tally;
  readonly #segment: Segment;
  /** Those of the deleted ones that were looked at last. */
  #deleted: { readonly of: number; readonly tally: Tally };

  /** `mayHide` takes the id of a type: of another one all nodes are seen. */
  constructor(segment: Segment, sees: SeesNode, mayHide: (type: number) => boolean) {
    const { count, nodes, types, typeIds } = segment.documents;
    this.#segment = segment;
    this.all = new Tally(segment);
    this.#deleted = { of: 0, tally: new Tally(segment) };
    const areAsked = Array.from(typeIds, mayHide);
    const isAsked = areAsked.includes(true);
    this.bits = new Uint32Array(isAsked ? Math.ceil(count / 32) : 0);
    if (!isAsked) return;
    for (let document = 0; document < count; document++) {
      const type = types[document]!;
      if (!areAsked[type] || sees(nodes[document]!, typeIds[type]!)) continue;
      this.bits[document >>> 5]! |= 1 << (document & 31);
      this.all.add(document);
    }
  }

  has(document: number): boolean {
    return this.all.count > 0 && ((this.bits[document >>> 5]! >>> (document & 31)) & 1) === 1;
  }

  /** Those of them that are deleted. */
  deleted(tombstones: Tombstones): Tally {
    const { deleted, deletedCount } = tombstones;
    const known = this.#deleted;
    if (known.of === deletedCount) return known.tally;
    // The first ones stay the same from one view to the next; an older view is counted from the start.
    const isLater = known.of < deletedCount;
    const tally = isLater ? known.tally : new Tally(this.#segment);
    for (let i = isLater ? known.of : 0; i < deletedCount; i++) {
      if (this.has(deleted[i]!)) tally.add(deleted[i]!);
    }
    this.#deleted = { of: deletedCount, tally };
    return tally;
  }

  isUncounted(document: number, tombstones: Tombstones): boolean {
    return this.has(document) || (tombstones.deletedCount > 0 && isDeleted(tombstones, document));
  }
}
