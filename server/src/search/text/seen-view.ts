import { type FieldLengths, IndexView } from './index-view.ts';
import { SeenPostings } from './seen-postings.ts';
import type { Segment } from './segment.ts';
import { type SeesNode, UnseenDocuments } from './unseen-documents.ts';
import type { VisibleFields } from './visible-fields.ts';

/** Counts of terms that are kept for one searcher and segment; then all of them are forgotten. */
const TERMS_MAX = 16_384;

/** What is known of one segment. */
interface SeenSegment {
  readonly unseen: UnseenDocuments;
  /** Term -> its documents that are seen, while so many of the segment were deleted. */
  readonly counts: Map<number, { readonly deletedCount: number; readonly count: number }>;
}

/**
 * What somebody sees of segments. Segments never change: what was found out of one holds for as long as they see the same
 * nodes and fields.
 */
export class Sight {
  /** Undefined where all fields are seen. */
  readonly #fields: VisibleFields | undefined;
  readonly #segments = new WeakMap<Segment, SeenSegment>();

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
 * A view as somebody searches it who does not see all of it: its statistics are those of an index of what they see, so that no
 * score, and no word that a query is expanded to, hangs on anything else. What is found is filtered apart from that.
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
