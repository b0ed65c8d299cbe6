import { type FieldLengths, IndexView } from './index-view.ts';
import type { TextSegment } from './segment.ts';
import { type FieldMask, MIXED, SEEN, type VisibleFields } from './visible-fields.ts';
import { FrequencyCursor, NO_DOCUMENT } from './postings-cursor.ts';
import { documentAt } from './postings-writer.ts';
import { DECODED_LENGTHS } from './bm25.ts';
import { isDeleted, type Tombstones } from './tombstones.ts';

/** Cached counts of terms for one searcher and segment; beyond this, all are dropped. */
const TERMS_MAX = 16_384;

/** What is known of one segment. */
interface SeenSegment {
  readonly unseen: UnseenDocuments;
  /** Term -> its documents that are seen, while so many of the segment were deleted. */
  readonly counts: Map<number, { readonly deletedCount: number; readonly count: number }>;
}

/** What somebody sees of segments, cached while they see the same nodes and fields. */
export class Sight {
  /** Undefined where all fields are seen. */
  readonly #fields: VisibleFields | undefined;
  readonly #segments = new WeakMap<TextSegment, SeenSegment>();

  constructor(fields: VisibleFields | undefined) {
    this.#fields = fields;
  }

  /** The view as it is searched with this sight. `mayHide` takes the id of a type. */
  of(view: IndexView, sees: SeesNode, mayHide: (type: number) => boolean): IndexView {
    const segments = view.parts.map(({ segment }) => {
      let known = this.#segments.get(segment);
      if (known === undefined) {
        known = { unseen: new UnseenDocuments(segment, sees, mayHide), counts: new Map() };
        this.#segments.set(segment, known);
      }
      return known;
    });
    const isWhole =
      this.#fields === undefined && segments.every(({ unseen }) => unseen.all.count === 0);
    return isWhole ? view : new SeenView(view, segments, this.#fields);
  }
}

/**
 * A view for somebody who does not see all. Its statistics are those of an index of what they see,
 * so that scores and expanded words depend on nothing else. Hits are filtered separately.
 */
export class SeenView extends IndexView {
  readonly #segments: readonly SeenSegment[];
  readonly #fields: VisibleFields | undefined;

  constructor(
    view: IndexView,
    segments: readonly SeenSegment[],
    fields: VisibleFields | undefined,
  ) {
    super(view.parts, view);
    this.#segments = segments;
    this.#fields = fields;
  }

  override isCounted(part: number, document: number): boolean {
    return !this.#segments[part]!.unseen.isUncounted(document, this.parts[part]!.tombstones);
  }

  protected override countDocuments(): number {
    return this.#segments.reduce((sum, { unseen }, part) => {
      const { segment, tombstones } = this.parts[part]!;
      const hidden = unseen.all.count - unseen.deleted(tombstones).count;
      return sum + segment.documents.count - tombstones.deletedCount - hidden;
    }, 0);
  }

  protected override countInPart(part: number, term: number): number {
    const { segment, tombstones } = this.parts[part]!;
    const { unseen, counts } = this.#segments[part]!;
    if (this.#fields === undefined && unseen.all.count === 0) return super.countInPart(part, term);
    const { deletedCount } = tombstones;
    const known = counts.get(term);
    if (known?.deletedCount === deletedCount) return known.count;
    const count = new SeenPostings(segment, term).count(
      (document) => unseen.isUncounted(document, tombstones),
      this.#fields?.mask(segment),
    );
    if (counts.size >= TERMS_MAX) counts.clear();
    counts.set(term, { deletedCount, count });
    return count;
  }

  protected override lengthsInPart(part: number, field: number): FieldLengths {
    const { documentCount, lengthSum } = super.lengthsInPart(part, field);
    const { unseen } = this.#segments[part]!;
    const { all } = unseen;
    const deleted = unseen.deleted(this.parts[part]!.tombstones);
    const hidden = all.fieldDocumentCounts[field]! - deleted.fieldDocumentCounts[field]!;
    const hiddenLength = all.fieldLengthSums[field]! - deleted.fieldLengthSums[field]!;
    return { documentCount: documentCount - hidden, lengthSum: lengthSum - hiddenLength };
  }
}

/** Counts the documents with a term. */
class SeenPostings extends FrequencyCursor {
  /** Documents with the term in a field of the mask, without those to skip. */
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

/** Whether a searcher may see a node, given the id of its type. */
type SeesNode = (node: number, type: number) => boolean;

/** Counts documents, and for each field the documents with it and the sum of their lengths. */
class Tally {
  count = 0;
  readonly fieldDocumentCounts: Float64Array;
  readonly fieldLengthSums: Float64Array;
  readonly #segment: TextSegment;

  constructor(segment: TextSegment) {
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
class UnseenDocuments {
  readonly bits: Uint32Array;
  readonly all: Tally;
  readonly #segment: TextSegment;
  /** The deleted documents counted last. */
  #deleted: { readonly of: number; readonly tally: Tally };

  /** `mayHide` takes the id of a type; all nodes of other types are visible. */
  constructor(segment: TextSegment, sees: SeesNode, mayHide: (type: number) => boolean) {
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

  /** The unseen documents that are deleted. */
  deleted(tombstones: Tombstones): Tally {
    const { deleted, deletedCount } = tombstones;
    const known = this.#deleted;
    if (known.of === deletedCount) return known.tally;
    // The first ones stay the same from one view to the next; an older view is counted from the
    // start.
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
