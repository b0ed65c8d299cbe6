import { must } from '#base/assert.ts';
import { occurrenceWeights } from './bm25.ts';
import { DeletedPostings, isDeleted, type Tombstones } from './tombstones.ts';
import { FieldScoring, type FieldStatistics } from './field-scoring.ts';
import type { OpenPages } from './segment-bytes.ts';
import { SearchScratch } from './search-cursor.ts';
import { TextSegment } from './segment.ts';
import { Vocabularies } from './vocabulary/vocabularies.ts';

/** A view as it is posted to other threads: its memory is shared, not copied. */
export interface SharedView {
  readonly parts: readonly SharedPart[];
}

export interface SharedPart {
  /** A number stands for one segment for the life of the index. */
  readonly id: number;
  readonly memory: SharedArrayBuffer;
  /** Postings, positions and names are not in `memory`, but in the segment's file. */
  readonly isInFile: boolean;
  readonly tombstones: Tombstones;
}

export interface ViewPart extends SharedPart {
  readonly segment: TextSegment;
  readonly deletedPostings: DeletedPostings;
}

/**
 * The index at one moment: segments and their deleted documents. A view never changes: a node is in
 * it once or not at all, however long a search takes. The next commit makes another view.
 *
 * Its statistics count every living document. Who may not see all of them searches a `SeenView`.
 */
export class IndexView {
  readonly parts: readonly ViewPart[];
  /**
   * Numbers of the parts in search order: large ones first, as a high threshold early saves work.
   */
  readonly largestFirst: readonly number[];
  #documentCount: number | undefined;
  readonly #fields = new Map<number, FieldStatistics>();
  readonly #scorings: (FieldScoring | undefined)[] = [];
  readonly #scratches: SearchScratch[];

  /** Reuses the working memory of the `previous` view of this thread. */
  constructor(parts: readonly ViewPart[], previous?: IndexView) {
    this.parts = parts;
    this.#scratches = previous === undefined ? [] : previous.#scratches;
    const count = (part: number): number => parts[part]!.segment.documents.count;
    this.largestFirst = [...parts.keys()].toSorted((a, b) => count(b) - count(a));
  }

  /**
   * Opens a view in this thread, and reuses segments of `previous`. Segments in files need
   * `openPages`.
   */
  static open({ parts }: SharedView, previous?: IndexView, openPages?: OpenPages): IndexView {
    const known = new Map(previous?.parts.map((part) => [part.id, part]));
    return new IndexView(
      parts.map((part) => {
        const before = known.get(part.id);
        if (before?.isInFile === part.isInFile) return { ...before, ...part };
        const segment = openSegment(part, openPages);
        return { ...part, segment, deletedPostings: new DeletedPostings(segment) };
      }),
      previous,
    );
  }

  /** Documents that are not deleted. */
  get documentCount(): number {
    return (this.#documentCount ??= this.countDocuments());
  }

  share(): SharedView {
    return {
      parts: this.parts.map(({ id, memory, isInFile, tombstones }) => ({
        id,
        memory,
        isInFile,
        tombstones,
      })),
    };
  }

  /** Bytes of all its segments, in memory or not. */
  get bytes(): number {
    return this.parts.reduce((sum, { segment }) => sum + segment.bytes, 0);
  }

  get memoryBytes(): number {
    return this.parts.reduce((sum, { memory }) => sum + memory.byteLength, 0);
  }

  /** Words as they were written, for prefixes and typos. */
  get vocabularies(): Vocabularies {
    return new Vocabularies(this.parts.map(({ segment }) => segment.vocabulary));
  }

  /** How many documents have a term, given its number in each part, or -1. */
  documentCountOf(termNumbers: readonly number[]): number {
    return termNumbers.reduce(
      (sum, term, part) => (term < 0 ? sum : sum + this.countInPart(part, term)),
      0,
    );
  }

  /** Whether a document is one of those that the statistics count. */
  isCounted(part: number, document: number): boolean {
    return !isDeleted(this.parts[part]!.tombstones, document);
  }

  field(id: number): FieldStatistics {
    let field = this.#fields.get(id);
    if (field === undefined) this.#fields.set(id, (field = this.#computeField(id)));
    return field;
  }

  scoring(part: number): FieldScoring {
    return (this.#scorings[part] ??= new FieldScoring(this.parts[part]!.segment, (id) =>
      this.field(id),
    ));
  }

  /** Memory for a search in this view. Give it back, unless the search fails. */
  takeScratch(): SearchScratch {
    return this.#scratches.pop() ?? new SearchScratch();
  }

  giveBack(scratch: SearchScratch): void {
    this.#scratches.push(scratch);
  }

  protected countDocuments(): number {
    return this.parts.reduce(
      (sum, { segment, tombstones }) => sum + segment.documents.count - tombstones.deletedCount,
      0,
    );
  }

  /** How many documents of a part have one of its terms. */
  protected countInPart(part: number, term: number): number {
    const { segment, tombstones, deletedPostings } = this.parts[part]!;
    return segment.termDocumentCounts[term]! - deletedPostings.count(term, tombstones);
  }

  /** How many documents of a part have one of its fields, and how long these are together. */
  protected lengthsInPart(part: number, field: number): FieldLengths {
    const { segment, tombstones } = this.parts[part]!;
    const { documentCounts, lengthSums } = segment.documents.fields;
    return {
      documentCount: documentCounts[field]! - tombstones.fieldDocumentCounts[field]!,
      lengthSum: lengthSums[field]! - tombstones.fieldLengthSums[field]!,
    };
  }

  #computeField(id: number): FieldStatistics {
    let documentCount = 0;
    let lengthSum = 0;
    let boost = 1;
    let newest = -1;
    this.parts.forEach(({ id: partId, segment }, part) => {
      const { fields } = segment.documents;
      const number = fields.ids.indexOf(id);
      if (number < 0) return;
      const lengths = this.lengthsInPart(part, number);
      documentCount += lengths.documentCount;
      lengthSum += lengths.lengthSum;
      if (partId > newest) {
        newest = partId;
        boost = fields.boosts[number]!;
      }
    });
    const averageLength = documentCount > 0 ? lengthSum / documentCount : 1;
    return { boost, averageLength, weights: occurrenceWeights(boost, averageLength) };
  }
}

export interface FieldLengths {
  readonly documentCount: number;
  /** In tokens. */
  readonly lengthSum: number;
}

/** A segment as it was shared, opened in this thread. */
export function openSegment(
  { id, memory, isInFile }: Omit<SharedPart, 'tombstones'>,
  openPages: OpenPages | undefined,
): TextSegment {
  if (!isInFile) return new TextSegment(memory);
  return new TextSegment(memory, must(openPages, 'who reads segments that are in files')(id));
}
