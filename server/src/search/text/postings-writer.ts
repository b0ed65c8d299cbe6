import { assert } from '#base/assert.ts';
import { occurrenceWeights } from './bm25.ts';
import type { DocumentTable } from './document-table.ts';
import { ESCAPE, FIELDS_MAX, type FrequencyTable } from './frequency-table.ts';
import { NumberList } from './number-list.ts';

/** Postings in a block of one term; a term's last block may have fewer. */
export const BLOCK_POSTINGS = 128;

/** How many postings the block with this number, counted within its term, has. */
export function blockSize(documentCount: number, number: number): number {
  return Math.min(BLOCK_POSTINGS, documentCount - number * BLOCK_POSTINGS);
}

/**
 * Bytes for each document in a block: enough for the distance of the last one from the block
 * before.
 */
export function documentWidth(distance: number): number {
  if (distance < 2 ** 16) return distance < 2 ** 8 ? 1 : 2;
  return distance < 2 ** 24 ? 3 : 4;
}

/** The document written at `at`: a distance from `base`, the last document of the block before. */
export function documentAt(bytes: Uint8Array, at: number, width: number, base: number): number {
  if (width === 2) return base + (bytes[at]! | (bytes[at + 1]! << 8));
  let distance = bytes[at]!;
  for (let i = 1; i < width; i++) distance |= bytes[at + i]! << (8 * i);
  return base + distance;
}

/** As `ByteWriter.variable` writes them. */
export function variableAt(bytes: Uint8Array, at: number): number {
  let value = 0;
  let shift = 0;
  let index = at;
  let byte: number;
  do {
    byte = bytes[index++]!;
    value |= (byte & 127) << shift;
    shift += 7;
  } while (byte > 127);
  return value >>> 0;
}

export function afterVariables(bytes: Uint8Array, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0; at++) if (bytes[at]! < 128) left--;
  return at;
}

const OFFSET_MAX = 2 ** 32 - 1;

/** The postings of a segment: for each term, blocks of up to 128 documents. */
export interface Postings {
  /** Term -> its first block; one more than there are terms. */
  readonly termBlocks: Uint32Array;
  readonly termDocumentCounts: Uint32Array;
  readonly blockLasts: Uint32Array;
  /** Block -> where it begins in `bytes`; one more than there are blocks. */
  readonly blockStarts: Uint32Array;
  /**
   * The highest weight of the term in a block, by the segment's own average lengths. Under other
   * averages a weight is at most this times the greatest ratio of the averages, and less without
   * some fields. So it is a bound for the life of the segment.
   */
  readonly blockWeights: Float32Array;
  /** The highest weight of each term. */
  readonly termWeights: Float32Array;
  readonly blockPositions: Uint32Array;
  /**
   * For each block: distances of its documents from the last one of the block before, in as many
   * bytes as the largest needs; one code for each; the frequencies of those with `ESCAPE`.
   */
  readonly bytes: Uint8Array;
  /** For each posting, field by field: differences of positions. The frequencies say how many. */
  readonly positions: Uint8Array;
}

export class PostingsWriter {
  /** The caller fills in the fields of a posting with the code `ESCAPE`: `fieldCount` of them. */
  readonly fields = new Uint16Array(FIELDS_MAX);
  readonly frequencies = new Uint32Array(FIELDS_MAX);
  fieldCount = 0;
  /** The caller appends the positions of a posting after `add`. */
  readonly positions = new ByteWriter(65_536);

  readonly #documents: DocumentTable;
  readonly #table: FrequencyTable;
  readonly #weights: readonly Float64Array[];
  readonly #bytes = new ByteWriter(65_536);
  readonly #escapes = new ByteWriter();
  readonly #blockDocuments = new Uint32Array(BLOCK_POSTINGS);
  readonly #blockCodes = new Uint8Array(BLOCK_POSTINGS);
  #blockSize = 0;
  #blockWeight = 0;
  #termWeight = 0;
  #before = 0;
  #termDocumentCount = 0;

  readonly #termBlocks = new NumberList();
  readonly #termDocumentCounts = new NumberList();
  readonly #blockLasts = new NumberList();
  readonly #blockStarts = new NumberList();
  readonly #blockWeights: number[] = [];
  readonly #termWeights: number[] = [];
  readonly #blockPositions = new NumberList();

  constructor(documents: DocumentTable, table: FrequencyTable) {
    this.#documents = documents;
    this.#table = table;
    this.#weights = referenceWeights(documents);
    this.#termBlocks.push(0);
  }

  /** Documents of a term ascend. */
  add(document: number, code: number): void {
    if (this.#blockSize === BLOCK_POSTINGS) this.#finishBlock();
    if (this.#blockSize === 0) this.#blockPositions.push(this.positions.length);
    this.#blockDocuments[this.#blockSize] = document;
    this.#blockCodes[this.#blockSize++] = code;
    this.#termDocumentCount++;
    const { starts, fields, frequencies } = this.#table;
    let weight: number;
    if (code === ESCAPE) {
      this.#writeEscape();
      weight = this.#weightOf(document, this.fields, this.frequencies, 0, this.fieldCount);
    } else {
      weight = this.#weightOf(document, fields, frequencies, starts[code]!, starts[code + 1]!);
    }
    if (weight > this.#blockWeight) this.#blockWeight = weight;
  }

  /** Ends the postings of a term. False where it had none: then it gets no number. */
  finishTerm(): boolean {
    if (this.#termDocumentCount === 0) return false;
    this.#finishBlock();
    this.#termBlocks.push(this.#blockLasts.length);
    this.#termDocumentCounts.push(this.#termDocumentCount);
    this.#termWeights.push(this.#termWeight);
    this.#termDocumentCount = 0;
    this.#termWeight = 0;
    this.#before = 0;
    return true;
  }

  finish(): Postings {
    assert(this.#bytes.length <= OFFSET_MAX, 'the postings of a segment take less than 4 GiB');
    assert(this.positions.length <= OFFSET_MAX, 'the positions of a segment take less than 4 GiB');
    this.#blockStarts.push(this.#bytes.length);
    this.#blockPositions.push(this.positions.length);
    return {
      termBlocks: this.#termBlocks.values,
      termDocumentCounts: this.#termDocumentCounts.values,
      blockLasts: this.#blockLasts.values,
      blockStarts: this.#blockStarts.values,
      blockWeights: Float32Array.from(this.#blockWeights, roundedUp),
      termWeights: Float32Array.from(this.#termWeights, roundedUp),
      blockPositions: this.#blockPositions.values,
      bytes: this.#bytes.written,
      positions: this.positions.written,
    };
  }

  #writeEscape(): void {
    this.#escapes.variable(this.fieldCount);
    for (let i = 0; i < this.fieldCount; i++) {
      this.#escapes.variable(this.fields[i]!);
      this.#escapes.variable(this.frequencies[i]!);
    }
  }

  #weightOf(
    document: number,
    fields: Uint16Array,
    frequencies: Uint32Array,
    from: number,
    to: number,
  ): number {
    const { lengthStarts, lengthFields, lengthCodes } = this.#documents;
    let at = lengthStarts[document]!;
    let weight = 0;
    for (let i = from; i < to; i++) {
      while (lengthFields[at] !== fields[i]) at++;
      weight += this.#weights[fields[i]!]![lengthCodes[at]!]! * frequencies[i]!;
    }
    return weight;
  }

  #finishBlock(): void {
    this.#blockStarts.push(this.#bytes.length);
    const last = this.#blockDocuments[this.#blockSize - 1]!;
    const width = documentWidth(last - this.#before);
    for (let i = 0; i < this.#blockSize; i++) {
      this.#bytes.fixed(this.#blockDocuments[i]! - this.#before, width);
    }
    this.#before = last;
    this.#bytes.copy(this.#blockCodes, 0, this.#blockSize);
    const escapes = this.#escapes.written;
    this.#bytes.copy(escapes, 0, escapes.length);
    this.#escapes.clear();
    this.#blockLasts.push(this.#before);
    this.#blockWeights.push(this.#blockWeight);
    this.#termWeight = Math.max(this.#termWeight, this.#blockWeight);
    this.#blockSize = 0;
    this.#blockWeight = 0;
  }
}

/** What an occurrence weighs in each field, by the segment's own average lengths. */
function referenceWeights({ fields }: DocumentTable): Float64Array[] {
  return Array.from(fields.ids, (_, field) => {
    const average = fields.lengthSums[field]! / fields.documentCounts[field]!;
    return occurrenceWeights(fields.boosts[field]!, average);
  });
}

/** Rounds up: a bound must not become smaller in 32 bits. */
function roundedUp(weight: number): number {
  return weight * (1 + 2 ** -20);
}

/** A growing array of bytes. */
export class ByteWriter {
  length = 0;
  #bytes: Uint8Array;

  constructor(capacity = 1_024) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** The bytes so far; valid until more are written. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  byte(value: number): void {
    if (this.length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.length++] = value;
  }

  /**
   * Seven bits in a byte, the lowest first; the last byte is below 128. `value`: at most 32 bits.
   */
  variable(value: number): void {
    if (this.length + 5 > this.#bytes.length) this.#grow(5);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.length++] = rest;
  }

  /** In `width` bytes, the lowest first. */
  fixed(value: number, width: number): void {
    if (this.length + width > this.#bytes.length) this.#grow(width);
    let rest = value;
    for (let i = 0; i < width; i++) {
      this.#bytes[this.length++] = rest & 255;
      rest >>>= 8;
    }
  }

  /** Copies `[from, to)` of `source` in a loop: pieces are mostly short, where `set` is slower. */
  copy(source: Uint8Array, from: number, to: number): void {
    const count = to - from;
    if (this.length + count > this.#bytes.length) this.#grow(count);
    if (count > 64) this.#bytes.set(source.subarray(from, to), this.length);
    else for (let i = 0; i < count; i++) this.#bytes[this.length + i] = source[from + i]!;
    this.length += count;
  }

  #grow(count: number): void {
    const bytes = new Uint8Array(Math.max(this.#bytes.length * 2, this.length + count));
    bytes.set(this.written);
    this.#bytes = bytes;
  }
}
