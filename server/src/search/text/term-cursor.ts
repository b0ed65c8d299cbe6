import { saturated } from './bm25.ts';
import type { FieldScoring } from './field-scoring.ts';
import { ESCAPE } from './frequency-table.ts';
import { DECODED_LENGTHS } from './length-code.ts';
import { NO_DOCUMENT, PostingsCursor, variableAt, afterVariables } from './postings-cursor.ts';
import { type SearchCursor, markEach } from './search-cursor.ts';
import type { FieldMask } from './visible-fields.ts';

/** Bounds are computed in another order than scores: this is more than rounding can make of it. */
const ROUNDING = 1 + 1e-9;

/** The documents with a term in a field that may be seen. */
export class TermCursor extends PostingsCursor implements SearchCursor {
  readonly scoreMax: number;
  readonly #scoring: FieldScoring;
  readonly #mask: FieldMask | undefined;
  readonly #ceiling: number;
  /** The block that `#blockBound` is of. */
  #boundBlock = -1;
  #blockBound = 0;

  constructor(scoring: FieldScoring, term: number, ceiling: number, mask: FieldMask | undefined) {
    super(scoring.segment, term);
    this.#scoring = scoring;
    this.#mask = mask;
    this.#ceiling = ceiling;
    this.scoreMax = this.#computeScoreMax();
    if (mask !== undefined) this.#skipHidden(mask);
  }

  get cost(): number {
    return this.documentCount;
  }

  override next(): void {
    super.next();
    if (this.#mask !== undefined) this.#skipHidden(this.#mask);
  }

  override seek(document: number): void {
    super.seek(document);
    if (this.#mask !== undefined) this.#skipHidden(this.#mask);
  }

  override markRest(bits: Uint32Array): void {
    if (this.#mask === undefined) super.markRest(bits);
    else markEach(this, bits);
  }

  score(): number {
    return saturated(this.#ceiling, this.#weight());
  }

  blockScoreMax(): number {
    if (this.#boundBlock !== this.block) {
      this.#boundBlock = this.block;
      this.#blockBound = this.#bound(this.segment.blockWeights[this.block]!);
    }
    return this.#blockBound;
  }

  blockLast(): number {
    return this.document === NO_DOCUMENT ? NO_DOCUMENT : this.segment.blockLasts[this.block]!;
  }

  /** Number and frequency of each field of this posting, in ascending order, seen or not. */
  forEachField(visit: (field: number, frequency: number) => void): void {
    const { code } = this;
    if (code !== ESCAPE) {
      const { starts, fields, frequencies } = this.segment.frequencies;
      for (let i = starts[code]!; i < starts[code + 1]!; i++) visit(fields[i]!, frequencies[i]!);
      return;
    }
    const { bytes } = this.window;
    let at = this.escapeAt();
    let left = variableAt(bytes, at);
    for (at = afterVariables(bytes, at, 1); left > 0; left--) {
      const field = variableAt(bytes, at);
      at = afterVariables(bytes, at, 1);
      visit(field, variableAt(bytes, at));
      at = afterVariables(bytes, at, 1);
    }
  }

  /** What the posting's occurrences in `field` weigh, `frequency` of them; 0 where the field may not be seen. */
  fieldWeight(field: number, frequency: number): number {
    if (!this.isVisible(field)) return 0;
    return this.#scoring.weights[field]![this.#lengthCode(field)]! * frequency;
  }

  /** In tokens. */
  fieldLength(field: number): number {
    return DECODED_LENGTHS[this.#lengthCode(field)]!;
  }

  isVisible(field: number): boolean {
    return this.#mask === undefined || this.#mask.has(this.document, field);
  }

  /** Which posting of which block it stands at: what reads along with it goes by that. */
  get place(): { readonly block: number; readonly index: number } {
    return { block: this.block, index: this.index };
  }

  /** Occurrences, seen or not, in the postings `[from, to)` of the block; `to` is at most where the cursor stands. */
  occurrencesBetween(from: number, to: number): number {
    const { starts, frequencies } = this.segment.frequencies;
    const { bytes } = this.window;
    let escape = this.codesAt + this.size;
    let count = 0;
    for (let index = 0; index < to; index++) {
      const code = bytes[this.codesAt + index]!;
      if (code === ESCAPE) {
        const fieldCount = variableAt(bytes, escape);
        escape = afterVariables(bytes, escape, 1);
        for (let i = 0; i < fieldCount; i++) {
          const frequencyAt = afterVariables(bytes, escape, 1);
          if (index >= from) count += variableAt(bytes, frequencyAt);
          escape = afterVariables(bytes, frequencyAt, 1);
        }
      } else if (index >= from) {
        for (let i = starts[code]!; i < starts[code + 1]!; i++) count += frequencies[i]!;
      }
    }
    return count;
  }

  #lengthCode(field: number): number {
    const { lengthStarts, lengthFields, lengthCodes } = this.segment.documents;
    let at = lengthStarts[this.document]!;
    while (lengthFields[at] !== field) at++;
    return lengthCodes[at]!;
  }

  #weight(): number {
    const { code } = this;
    if (code === ESCAPE) return this.#escapedWeight();
    const { starts, fields, frequencies } = this.segment.frequencies;
    const { lengthStarts, lengthFields, lengthCodes } = this.segment.documents;
    const { weights } = this.#scoring;
    const mask = this.#mask;
    const end = starts[code + 1]!;
    let at = lengthStarts[this.document]!;
    let weight = 0;
    for (let i = starts[code]!; i < end; i++) {
      const field = fields[i]!;
      while (lengthFields[at] !== field) at++;
      if (mask === undefined || mask.has(this.document, field)) {
        weight += weights[field]![lengthCodes[at]!]! * frequencies[i]!;
      }
    }
    return weight;
  }

  #escapedWeight(): number {
    let weight = 0;
    this.forEachField((field, frequency) => (weight += this.fieldWeight(field, frequency)));
    return weight;
  }

  #skipHidden(mask: FieldMask): void {
    while (this.document !== NO_DOCUMENT && !this.#isSeen(mask)) super.next();
  }

  #isSeen(mask: FieldMask): boolean {
    const { code } = this;
    if (code !== ESCAPE) {
      const { starts, fields } = this.segment.frequencies;
      for (let i = starts[code]!; i < starts[code + 1]!; i++) {
        if (mask.has(this.document, fields[i]!)) return true;
      }
      return false;
    }
    let isSeen = false;
    this.forEachField((field) => (isSeen ||= mask.has(this.document, field)));
    return isSeen;
  }

  #bound(weight: number): number {
    return saturated(this.#ceiling, weight * this.#scoring.boundFactor) * ROUNDING;
  }

  #computeScoreMax(): number {
    const { blockWeights } = this.segment;
    let weight = 0;
    for (let block = this.firstBlock; block < this.endBlock; block++) {
      if (blockWeights[block]! > weight) weight = blockWeights[block]!;
    }
    return this.#bound(weight);
  }
}
