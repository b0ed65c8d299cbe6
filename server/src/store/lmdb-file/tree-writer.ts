import { copyBytes, putU16, putU32, u16 } from '../bytes.ts';
import { BranchLevel } from './branch-level.ts';
import {
  EMPTY_TREE,
  LONG_VALUE_BYTES,
  NODE_HAS_LONG_VALUE,
  NODE_HEADER_BYTES,
  PAGE_HEADER_BYTES,
  PAGE_IS_LEAF,
  PAGE_LOWER_AT,
  PAGE_UPPER_AT,
  type Tree,
} from './page-format.ts';
import { FIRST_TRANSACTION, type PageSink } from './page-sink.ts';

/** Writes one tree from its entries in the order of their keys: each page once, and full. */
export class TreeWriter {
  readonly #sink: PageSink;
  readonly #leaf: Uint8Array;
  /** Of a node with its value, so that two fit a page (`me_nodemax` in liblmdb). */
  readonly #nodeBytesMax: number;
  /** From the leaves' parents up. */
  readonly #levels: BranchLevel[] = [];
  /** Where the places end and the nodes begin, from the end of the header. */
  #lower = 0;
  #upper: number;
  /** Of the newest key, in the leaf. */
  #lastStart = 0;
  #lastEnd = 0;
  #entries = 0;
  #leafPages = 0;
  #longValuePages = 0;

  constructor(sink: PageSink) {
    this.#sink = sink;
    this.#leaf = new Uint8Array(sink.pageBytes);
    this.#upper = sink.pageBytes - PAGE_HEADER_BYTES;
    this.#nodeBytesMax = ((this.#upper / 2) & -2) - 2;
  }

  /** Both lie in `bytes`. False, and nothing is added, when the key is not above the one before. */
  add(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    valueStart: number,
    valueEnd: number,
    flags = 0,
  ): boolean {
    if (this.#entries > 0 && !this.#isAboveLast(bytes, keyStart, keyEnd)) return false;
    const keyBytes = keyEnd - keyStart;
    const valueBytes = valueEnd - valueStart;
    const isLong = NODE_HEADER_BYTES + keyBytes + valueBytes > this.#nodeBytesMax;
    const held = isLong ? LONG_VALUE_BYTES : valueBytes;
    const node = this.#beginNode((NODE_HEADER_BYTES + keyBytes + held + 1) & -2);
    const leaf = this.#leaf;
    putU32(leaf, node, valueBytes);
    putU16(leaf, node + 4, isLong ? NODE_HAS_LONG_VALUE : flags);
    putU16(leaf, node + 6, keyBytes);
    this.#lastStart = node + NODE_HEADER_BYTES;
    this.#lastEnd = this.#lastStart + keyBytes;
    copyBytes(bytes, keyStart, keyEnd, leaf, this.#lastStart);
    if (isLong) this.#addLongValue(bytes, valueStart, valueEnd);
    else copyBytes(bytes, valueStart, valueEnd, leaf, this.#lastEnd);
    this.#entries++;
    return true;
  }

  /** Nothing is added any more. */
  end(): Tree {
    if (this.#entries === 0) return EMPTY_TREE;
    this.#endLeaf();
    let branchPages = 0;
    for (let depth = 1; ; depth++) {
      const level = this.#level(depth - 1);
      const root = level.only;
      if (root === undefined) {
        level.end();
        branchPages += level.pages;
        continue;
      }
      return {
        depth,
        branchPages,
        leafPages: this.#leafPages,
        longValuePages: this.#longValuePages,
        entries: this.#entries,
        root,
      };
    }
  }

  /** Answers where it begins in the leaf. */
  #beginNode(nodeBytes: number): number {
    if (nodeBytes + 2 > this.#upper - this.#lower) this.#endLeaf();
    this.#upper -= nodeBytes;
    putU16(this.#leaf, PAGE_HEADER_BYTES + this.#lower, this.#upper);
    this.#lower += 2;
    return PAGE_HEADER_BYTES + this.#upper;
  }

  #endLeaf(): void {
    const leaf = this.#leaf;
    putU16(leaf, PAGE_LOWER_AT, this.#lower);
    putU16(leaf, PAGE_UPPER_AT, this.#upper);
    const number = this.#sink.add(leaf, PAGE_IS_LEAF);
    const first = PAGE_HEADER_BYTES + u16(leaf, PAGE_HEADER_BYTES);
    const keyStart = first + NODE_HEADER_BYTES;
    this.#level(0).add(leaf.slice(keyStart, keyStart + u16(leaf, first + 6)), number);
    this.#leafPages++;
    this.#lower = 0;
    this.#upper = leaf.length - PAGE_HEADER_BYTES;
  }

  #addLongValue(bytes: Uint8Array, start: number, end: number): void {
    const { first, pages } = this.#sink.addLongValue(bytes, start, end);
    const record = Buffer.from(this.#leaf.buffer, this.#lastEnd, LONG_VALUE_BYTES);
    for (const [i, number] of [first, FIRST_TRANSACTION, pages].entries()) {
      record.writeBigUInt64LE(BigInt(number), 8 * i);
    }
    this.#longValuePages += pages;
  }

  #level(i: number): BranchLevel {
    return (this.#levels[i] ??= new BranchLevel(this.#sink, (key, page) =>
      this.#level(i + 1).add(key, page),
    ));
  }

  /** As unsigned bytes, and a key is above its own beginning. */
  #isAboveLast(bytes: Uint8Array, keyStart: number, keyEnd: number): boolean {
    const length = Math.min(keyEnd - keyStart, this.#lastEnd - this.#lastStart);
    for (let i = 0; i < length; i++) {
      const difference = bytes[keyStart + i]! - this.#leaf[this.#lastStart + i]!;
      if (difference !== 0) return difference > 0;
    }
    return keyEnd - keyStart > this.#lastEnd - this.#lastStart;
  }
}
