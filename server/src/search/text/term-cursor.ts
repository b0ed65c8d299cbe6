import { DECODED_LENGTHS, saturated, scoreOf } from './bm25.ts';
import type { Candidates } from './match-collectors.ts';
import { NO_COLUMN } from './document-table.ts';
import { type FieldScoring, LENGTH_CODES, TABLE_CODES } from './field-scoring.ts';
import { FrequencyCursor, NO_DOCUMENT } from './postings-cursor.ts';
import { ESCAPE } from './frequency-table.ts';
import { documentAt } from './postings-writer.ts';
import type { ScoreWindow, SearchCursor } from './search-cursor.ts';
import { type FieldMask, MIXED, SEEN } from './visible-fields.ts';

/** Covers rounding: bounds are computed in another order than scores. */
const ROUNDING = 1 + 1e-9;
/** Instead of a score: the posting is in no visible field. */
const UNSEEN = -1;

/** Visits documents with a term in a visible field. */
export class TermCursor extends FrequencyCursor implements SearchCursor {
  readonly scoreMax: number;
  readonly #scoring: FieldScoring;
  readonly #mask: FieldMask | undefined;
  readonly #ceiling: number;
  /** The block looked at, and the one that `#bound` is of. */
  #ahead: number;
  #boundBlock = -1;
  #bound = 0;

  constructor(scoring: FieldScoring, term: number, ceiling: number, mask: FieldMask | undefined) {
    super(scoring.segment, term);
    this.#scoring = scoring;
    this.#mask = mask;
    this.#ceiling = ceiling;
    this.#ahead = this.firstBlock;
    this.scoreMax = this.#boundOf(this.segment.termWeights[term]!);
    if (mask !== undefined) this.#skipHidden();
  }

  get cost(): number {
    return this.documentCount;
  }

  override next(): void {
    super.next();
    if (this.#mask !== undefined) this.#skipHidden();
  }

  override seek(document: number): void {
    super.seek(document);
    if (this.#mask !== undefined) this.#skipHidden();
  }

  score(): number {
    return this.#scoreAt(this.index, this.document);
  }

  lookAhead(document: number): void {
    if (this.#ahead < this.block) this.#ahead = this.block;
    if (this.#ahead < this.endBlock && this.segment.blockLasts[this.#ahead]! < document) {
      this.#ahead = this.blockOf(document, this.#ahead + 1);
    }
  }

  blockScoreMax(): number {
    if (this.#boundBlock !== this.#ahead) {
      this.#boundBlock = this.#ahead;
      const isBehind = this.#ahead === this.endBlock;
      this.#bound = isBehind ? 0 : this.#boundOf(this.segment.blockWeights[this.#ahead]!);
    }
    return this.#bound;
  }

  blockLast(): number {
    return this.#ahead === this.endBlock ? NO_DOCUMENT : this.segment.blockLasts[this.#ahead]!;
  }

  markRest(bits: Uint32Array): void {
    const mask = this.#mask;
    for (; this.document !== NO_DOCUMENT; this.load(this.block + 1)) {
      const { documentsAt, width, base, size } = this;
      const { bytes } = this.window;
      for (let i = this.index; i < size; i++) {
        const document = documentAt(bytes, documentsAt + i * width, width, base);
        if (mask !== undefined && !this.#isSeenAt(mask, i, document)) continue;
        bits[document >>> 5]! |= 1 << (document & 31);
      }
    }
  }

  collect(candidates: Candidates, end: number): number {
    const { documentsAt, width, base, size } = this;
    const { bytes } = this.window;
    const { documents: found, scores } = candidates;
    const mask = this.#mask;
    let count = 0;
    let index = this.index;
    for (; index < size; index++) {
      const document = documentAt(bytes, documentsAt + index * width, width, base);
      if (document >= end) break;
      if (mask !== undefined && !this.#isSeenAt(mask, index, document)) continue;
      scores[count] = 0;
      found[count++] = document;
    }
    candidates.size = count;
    return index < size ? end : this.segment.blockLasts[this.block]! + 1;
  }

  scoreCollected(candidates: Candidates): void {
    const { documents: found, scores, size } = candidates;
    for (let i = 0; i < size; i++) {
      const document = found[i]!;
      if (this.document < document) this.advance(document, this.block);
      scores[i]! += this.#scoreAt(this.index, document);
    }
  }

  scoreWindow(window: ScoreWindow): void {
    while (this.document < window.end) {
      this.#scoreBlock(window);
      if (this.index < this.size) this.document = this.at(this.index);
      else this.load(this.block + 1);
    }
    if (this.#mask !== undefined) this.#skipHidden();
  }

  meet(candidates: Candidates, isRequired: boolean, minimum: number): void {
    const { documents: found, scores, isScored, size } = candidates;
    // All of the first hits are kept, so bounds do not help yet.
    const isBounded = minimum > -Infinity;
    let aheadLast = -1;
    let bound = 0;
    let kept = 0;
    for (let i = 0; i < size; i++) {
      const document = found[i]!;
      let score = scores[i]!;
      if (document > aheadLast) {
        this.lookAhead(document);
        aheadLast = this.blockLast();
        if (isBounded) bound = this.blockScoreMax();
      }
      if (isBounded && score + bound < minimum) continue;
      if (this.document < document) this.advance(document, this.#ahead);
      const given = this.document === document ? this.#given(isScored) : UNSEEN;
      if (given !== UNSEEN) score += given;
      else if (isRequired) continue;
      found[kept] = document;
      scores[kept++] = score;
    }
    candidates.size = kept;
    if (this.#mask !== undefined) this.#skipHidden();
  }

  /** The weight of `frequency` occurrences in `field`; 0 if the field may not be seen. */
  fieldWeight(field: number, frequency: number): number {
    return this.#fieldWeight(this.document, field, frequency);
  }

  /** In tokens. */
  fieldLength(field: number): number {
    return DECODED_LENGTHS[this.#lengthCode(this.document, field)]!;
  }

  isVisible(field: number): boolean {
    return this.#mask === undefined || this.#mask.has(this.document, field);
  }

  /**
   * Scores this block up to the end of the window. Searches spend most of their time in this loop.
   */
  #scoreBlock(window: ScoreWindow): void {
    const { documentsAt, width, base, size, codesAt } = this;
    const { bytes } = this.window;
    const { end, filter } = window;
    const { columnStarts, shares } = this.#scoring;
    const { lengthColumns } = this.segment.documents;
    const ceiling = this.#ceiling;
    const isMasked = this.#mask !== undefined;
    let index = this.index;
    for (; index < size; index++) {
      const document = documentAt(bytes, documentsAt + index * width, width, base);
      if (document >= end) break;
      if (filter !== undefined && !filter.acceptsBits(document)) continue;
      const code = bytes[codesAt + index]!;
      const start = code < TABLE_CODES && !isMasked ? columnStarts[code]! : -1;
      const score =
        start >= 0
          ? scoreOf(ceiling, shares[code * LENGTH_CODES + lengthColumns[start + document]!]!)
          : this.#scoreAt(index, document);
      if (score !== UNSEEN) window.add(document, score);
    }
    this.index = index;
  }

  /** The score of a posting of this block, or `UNSEEN`. */
  #scoreAt(index: number, document: number): number {
    const code = this.window.bytes[this.codesAt + index]!;
    const scoring = this.#scoring;
    const mask = this.#mask;
    const isWhole = mask === undefined || mask.coverage(code) === SEEN;
    if (code < TABLE_CODES && isWhole && scoring.makeTable(code)) {
      const at = scoring.columnStarts[code]! + document;
      const length = this.segment.documents.lengthColumns[at]!;
      return scoreOf(this.#ceiling, scoring.shares[code * LENGTH_CODES + length]!);
    }
    const weight =
      code === ESCAPE ? this.#escapedWeight(index, document) : this.#weight(code, document);
    return weight === 0 ? UNSEEN : scoreOf(this.#ceiling, saturated(weight));
  }

  #weight(code: number, document: number): number {
    const { starts, fields, frequencies } = this.segment.frequencies;
    const end = starts[code + 1]!;
    let weight = 0;
    for (let i = starts[code]!; i < end; i++) {
      weight += this.#fieldWeight(document, fields[i]!, frequencies[i]!);
    }
    return weight;
  }

  #escapedWeight(index: number, document: number): number {
    let weight = 0;
    this.forEachFieldAt(index, (field, frequency) => {
      weight += this.#fieldWeight(document, field, frequency);
    });
    return weight;
  }

  /** The score of the current posting, 0 if no score is needed, or `UNSEEN`. */
  #given(isScored: boolean): number {
    if (isScored) return this.#scoreAt(this.index, this.document);
    const mask = this.#mask;
    return mask === undefined || this.#isSeenAt(mask, this.index, this.document) ? 0 : UNSEEN;
  }

  #fieldWeight(document: number, field: number, frequency: number): number {
    if (this.#mask !== undefined && !this.#mask.has(document, field)) return 0;
    return this.#scoring.weights[field]![this.#lengthCode(document, field)]! * frequency;
  }

  #lengthCode(document: number, field: number): number {
    const { count, fields, lengthColumns } = this.segment.documents;
    const column = fields.columns[field]!;
    if (column !== NO_COLUMN) return lengthColumns[column * count + document]!;
    const { lengthStarts, lengthFields, lengthCodes } = this.segment.documents;
    let at = lengthStarts[document]!;
    while (lengthFields[at] !== field) at++;
    return lengthCodes[at]!;
  }

  #skipHidden(): void {
    const mask = this.#mask!;
    while (this.document !== NO_DOCUMENT && !this.#isSeenAt(mask, this.index, this.document)) {
      super.next();
    }
  }

  #isSeenAt(mask: FieldMask, index: number, document: number): boolean {
    const code = this.window.bytes[this.codesAt + index]!;
    const coverage = mask.coverage(code);
    if (coverage !== MIXED) return coverage === SEEN;
    let isSeen = false;
    this.forEachFieldAt(index, (field) => (isSeen ||= mask.has(document, field)));
    return isSeen;
  }

  #boundOf(weight: number): number {
    return scoreOf(this.#ceiling, saturated(weight * this.#scoring.boundFactor) * ROUNDING);
  }
}
