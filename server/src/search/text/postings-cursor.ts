import { ESCAPE } from './frequency-table.ts';
import { BLOCK_POSTINGS } from './postings-writer.ts';
import type { ByteWindow } from './segment-bytes.ts';
import type { Segment } from './segment.ts';

/** Where a cursor stands that has no more documents: behind all. */
export const NO_DOCUMENT = 0xffff_ffff;

/** Goes through the documents of a term in ascending order, a block at a time. */
export class PostingsCursor {
  document = NO_DOCUMENT;
  readonly documentCount: number;
  protected readonly segment: Segment;
  protected readonly firstBlock: number;
  protected readonly endBlock: number;
  protected block = 0;
  /** Index of the posting within its block. */
  protected index = 0;
  protected size = 0;
  protected readonly window: ByteWindow;
  protected codesAt = 0;
  readonly #documents = newBlockDocuments();

  constructor(segment: Segment, term: number) {
    this.segment = segment;
    this.documentCount = segment.termDocumentCounts[term]!;
    this.firstBlock = segment.termBlocks[term]!;
    this.endBlock = segment.termBlocks[term + 1]!;
    this.window = segment.postings.window();
    this.#load(this.firstBlock);
  }

  next(): void {
    if (++this.index < this.size) this.document = this.#documents[this.index]!;
    else if (this.document !== NO_DOCUMENT) this.#load(this.block + 1);
  }

  /** Goes to the first document that is not below `document`; never back. */
  seek(document: number): void {
    if (this.document >= document) return;
    const { blockLasts } = this.segment;
    if (blockLasts[this.block]! < document) {
      this.#load(this.#blockOf(document));
      if (this.document >= document) return;
    }
    let index = this.index;
    while (this.#documents[index]! < document) index++;
    this.index = index;
    this.document = this.#documents[index]!;
  }

  /** Sets the bit of each document from here on, and goes behind all. */
  markRest(bits: Uint32Array): void {
    const documents = this.#documents;
    while (this.document !== NO_DOCUMENT) {
      for (let i = this.index; i < this.size; i++) {
        const document = documents[i]!;
        bits[document >>> 5]! |= 1 << (document & 31);
      }
      this.#load(this.block + 1);
    }
  }

  /** Code of the posting's frequencies. */
  protected get code(): number {
    return this.window.bytes[this.codesAt + this.index]!;
  }

  /** Where in the window the frequencies of this posting, whose code is `ESCAPE`, are written out. */
  protected escapeAt(): number {
    const { bytes } = this.window;
    let at = this.codesAt + this.size;
    for (let i = 0; i < this.index; i++) {
      if (bytes[this.codesAt + i] !== ESCAPE) continue;
      const fieldCount = variableAt(bytes, at);
      at = afterVariables(bytes, at, 1 + fieldCount * 2);
    }
    return at;
  }

  #blockOf(document: number): number {
    const { blockLasts } = this.segment;
    let low = this.block + 1;
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

  #load(block: number): void {
    this.block = block;
    this.index = 0;
    if (block >= this.endBlock) {
      this.size = 0;
      this.document = NO_DOCUMENT;
      return;
    }
    const size = blockSize(this.documentCount, block - this.firstBlock);
    const isFirst = block === this.firstBlock;
    this.codesAt = readBlock(this.segment, this.window, block, isFirst, this.#documents, size);
    this.size = size;
    this.document = this.#documents[0]!;
  }
}

const NO_DOCUMENTS: readonly number[] = Array.from({ length: BLOCK_POSTINGS }, () => 0);

/** For `readBlock`. A plain array, as a typed one of this size takes longer to make than many a search. */
export function newBlockDocuments(): number[] {
  return NO_DOCUMENTS.slice();
}

/** How many postings the block with this number, counted within its term, has. */
export function blockSize(documentCount: number, number: number): number {
  return Math.min(BLOCK_POSTINGS, documentCount - number * BLOCK_POSTINGS);
}

/** Reads the documents of a block, and returns where in the window the codes of its postings begin. */
export function readBlock(
  { blockStarts, blockLasts }: Segment,
  window: ByteWindow,
  block: number,
  isFirst: boolean,
  documents: number[],
  size: number,
): number {
  const start = blockStarts[block]!;
  let at = window.seek(start, blockStarts[block + 1]! - start);
  const { bytes } = window;
  let document = isFirst ? 0 : blockLasts[block - 1]!;
  for (let i = 0; i < size; i++) {
    let difference = bytes[at++]!;
    if (difference > 127) {
      difference &= 127;
      let shift = 7;
      let byte: number;
      do {
        byte = bytes[at++]!;
        difference |= (byte & 127) << shift;
        shift += 7;
      } while (byte > 127);
    }
    document += difference;
    documents[i] = document;
  }
  return at;
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
