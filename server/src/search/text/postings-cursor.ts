import { blockSize, documentAt, documentWidth } from './postings-block.ts';
import type { ByteWindow } from './segment-bytes.ts';
import type { Segment } from './segment.ts';

/** So many postings are passed over at a time. */
const STRIDE = 8;

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
  /** Where in the window the documents and the codes of the block begin; see `documentAt`. */
  protected documentsAt = 0;
  protected codesAt = 0;
  protected width = 1;
  protected base = 0;

  constructor(segment: Segment, term: number) {
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

  /** To the first document that is not below `document`, which is above the present one and in `block`, here or behind. */
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
