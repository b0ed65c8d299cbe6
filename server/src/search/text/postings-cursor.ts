import {
  afterVariables,
  blockSize,
  documentAt,
  documentWidth,
  variableAt,
} from './postings-writer.ts';
import type { ByteWindow } from './segment-bytes.ts';
import type { TextSegment } from './segment.ts';
import { ESCAPE } from './frequency-table.ts';

/** How many postings a seek skips at a time. */
const STRIDE = 8;

/** The position of a cursor after its last document. */
export const NO_DOCUMENT = 0xffff_ffff;

/** Goes through the documents of a term in ascending order, a block at a time. */
export class PostingsCursor {
  document = NO_DOCUMENT;
  readonly documentCount: number;
  protected readonly segment: TextSegment;
  protected readonly firstBlock: number;
  protected readonly endBlock: number;
  protected block = 0;
  /** Index of the posting within its block. */
  protected index = 0;
  protected size = 0;
  protected readonly window: ByteWindow;
  /** Where in the window the documents and the codes of the block begin; see `documentAt`. */
  protected documentsAt = 0;
  protected codesAt = 0;
  protected width = 1;
  protected base = 0;

  constructor(segment: TextSegment, term: number) {
    this.segment = segment;
    this.documentCount = segment.termDocumentCounts[term]!;
    this.firstBlock = segment.termBlocks[term]!;
    this.endBlock = segment.termBlocks[term + 1]!;
    this.window = segment.postings.window();
    this.load(this.firstBlock);
  }

  next(): void {
    if (++this.index < this.size) this.document = this.at(this.index);
    else if (this.document !== NO_DOCUMENT) this.load(this.block + 1);
  }

  /** Goes to the first document that is not below `document`; never back. */
  seek(document: number): void {
    if (this.document >= document) return;
    const isHere = this.segment.blockLasts[this.block]! >= document;
    this.advance(document, isHere ? this.block : this.blockOf(document, this.block + 1));
  }

  /** Moves to the first document from `document` on. It is in `block`, after the current one. */
  protected advance(document: number, block: number): void {
    if (block !== this.block) {
      this.load(block);
      if (this.document >= document) return;
    }
    const { documentsAt, width, base, size } = this;
    const { bytes } = this.window;
    let { index } = this;
    for (let far = index + STRIDE; far < size; far += STRIDE) {
      if (documentAt(bytes, documentsAt + far * width, width, base) >= document) break;
      index = far;
    }
    let reached: number;
    do {
      reached = documentAt(bytes, documentsAt + ++index * width, width, base);
    } while (reached < document);
    this.index = index;
    this.document = reached;
  }

  /** Document of a posting of this block. */
  protected at(index: number): number {
    const { width } = this;
    return documentAt(this.window.bytes, this.documentsAt + index * width, width, this.base);
  }

  /** The block, from `first` on, that the first document which is not below `document` is in. */
  protected blockOf(document: number, first: number): number {
    const { blockLasts } = this.segment;
    let low = first;
    let step = 1;
    while (low + step < this.endBlock && blockLasts[low + step]! < document) {
      low += step;
      step *= 2;
    }
    let high = Math.min(this.endBlock, low + step + 1);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (blockLasts[middle]! < document) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  protected load(block: number): void {
    this.block = block;
    this.index = 0;
    if (block >= this.endBlock) {
      this.size = 0;
      this.document = NO_DOCUMENT;
      return;
    }
    const { blockLasts, blockStarts } = this.segment;
    const start = blockStarts[block]!;
    this.size = blockSize(this.documentCount, block - this.firstBlock);
    this.base = block === this.firstBlock ? 0 : blockLasts[block - 1]!;
    this.width = documentWidth(blockLasts[block]! - this.base);
    this.documentsAt = this.window.seek(start, blockStarts[block + 1]! - start);
    this.codesAt = this.documentsAt + this.size * this.width;
    this.document = this.at(0);
  }
}

/** Reads the fields and frequencies of the term in its documents. */
export class FrequencyCursor extends PostingsCursor {
  /** Visits number and frequency of each field of this posting, ascending, visible or not. */
  forEachField(visit: (field: number, frequency: number) => void): void {
    this.forEachFieldAt(this.index, visit);
  }

  /** Block and index of its posting, for readers of positions. */
  get place(): { readonly block: number; readonly index: number } {
    return { block: this.block, index: this.index };
  }

  /**
   * Occurrences in the postings `[from, to)` of the block, visible or not; `to` is at most the
   * cursor's place.
   */
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

  /** Visits the fields of one posting of this block. */
  protected forEachFieldAt(index: number, visit: (field: number, frequency: number) => void): void {
    const { bytes } = this.window;
    const code = bytes[this.codesAt + index]!;
    if (code !== ESCAPE) {
      const { starts, fields, frequencies } = this.segment.frequencies;
      for (let i = starts[code]!; i < starts[code + 1]!; i++) visit(fields[i]!, frequencies[i]!);
      return;
    }
    let at = this.#escapeAt(index);
    let left = variableAt(bytes, at);
    for (at = afterVariables(bytes, at, 1); left > 0; left--) {
      const field = variableAt(bytes, at);
      at = afterVariables(bytes, at, 1);
      visit(field, variableAt(bytes, at));
      at = afterVariables(bytes, at, 1);
    }
  }

  /** Where in the window the frequencies of a posting, whose code is `ESCAPE`, are written out. */
  #escapeAt(index: number): number {
    const { bytes } = this.window;
    let at = this.codesAt + this.size;
    for (let i = 0; i < index; i++) {
      if (bytes[this.codesAt + i] !== ESCAPE) continue;
      const fieldCount = variableAt(bytes, at);
      at = afterVariables(bytes, at, 1 + fieldCount * 2);
    }
    return at;
  }
}
