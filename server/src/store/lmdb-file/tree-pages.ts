import { closeSync, openSync, readSync } from 'node:fs';
import { AssertionError } from '#base/assert.ts';
import { u16, u32 } from '../bytes.ts';
import {
  NO_PAGE,
  NODE_HAS_LONG_VALUE,
  NODE_HEADER_BYTES,
  PAGE_FLAGS_AT,
  PAGE_HEADER_BYTES,
  PAGE_IS_BRANCH,
  PAGE_IS_LEAF,
  PAGE_IS_LONG_VALUE,
  PAGE_LOWER_AT,
  type Tree,
} from './page-format.ts';

/**
 * Gets an entry by its places: the key in one buffer, the value in the same or in another. The
 * buffers are valid until it returns. Returns false to end the visit.
 */
export type EntryVisitor = (
  keyBytes: Uint8Array,
  keyStart: number,
  keyEnd: number,
  valueBytes: Uint8Array,
  valueStart: number,
  valueEnd: number,
) => boolean;

/** Where a tree is, in a form that can be sent to another thread. */
export interface TreePlace {
  readonly path: string;
  readonly pageBytes: number;
  readonly tree: Tree;
}

/**
 * The pages of an LMDB file, read from the file itself. They stay unchanged only while a read
 * transaction is open that shows the same trees. The caller, or the thread from which it got the
 * place, must hold one as long as it reads here.
 */
export class TreePages implements Disposable {
  readonly #file: number;
  readonly #pageBytes: number;
  /** One buffer with a page for each depth of the tree. */
  readonly #pages: Buffer[] = [];

  constructor(path: string, pageBytes: number) {
    this.#file = openSync(path, 'r');
    this.#pageBytes = pageBytes;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  /** Visits the entries in order, from the first key that is not below `start`. */
  visit(tree: Tree, start: Uint8Array, visitor: EntryVisitor): void {
    const visitNode = (page: Buffer, node: number, keyEnd: number): boolean => {
      const keyStart = node + NODE_HEADER_BYTES;
      const length = u32(page, node);
      if ((u16(page, node + 4) & NODE_HAS_LONG_VALUE) === 0) {
        return visitor(page, keyStart, keyEnd, page, keyEnd, keyEnd + length);
      }
      const value = this.#longValue(pageNumber(page, keyEnd), length);
      return visitor(page, keyStart, keyEnd, value, 0, length);
    };
    this.visitNodes(tree, start, visitNode);
  }

  /** Visits the nodes of the leaves, in order. */
  visitNodes(tree: Tree, start: Uint8Array, visitor: NodeVisitor): void {
    if (tree.root !== NO_PAGE) this.#visitPage(tree.root, 0, tree.depth, start, visitor);
  }

  /** Visits one page. Returns whether to continue after it. */
  #visitPage(
    number: number,
    level: number,
    depth: number,
    start: Uint8Array,
    visitor: NodeVisitor,
  ): boolean {
    const isLeaf = level === depth - 1;
    const page = this.#read(number, level, isLeaf ? PAGE_IS_LEAF : PAGE_IS_BRANCH);
    const nodes = u16(page, PAGE_LOWER_AT) >> 1;
    const first = start.length === 0 ? 0 : firstNode(page, nodes, start, isLeaf);
    let from = start;
    for (let i = first; i < nodes; i++) {
      const node = nodeAt(page, i);
      const isGoing = isLeaf
        ? visitor(page, node, node + NODE_HEADER_BYTES + u16(page, node + 6))
        : this.#visitPage(childNumber(page, node), level + 1, depth, from, visitor);
      if (!isGoing) return false;
      // All pages after the first one are above the start.
      from = NO_KEY;
    }
    return true;
  }

  #read(number: number, level: number, flag: number): Buffer {
    const page = (this.#pages[level] ??= Buffer.allocUnsafeSlow(this.#pageBytes));
    const bytes = readSync(this.#file, page, 0, this.#pageBytes, number * this.#pageBytes);
    checkPage(page, bytes === this.#pageBytes, number, flag);
    return page;
  }

  #longValue(number: number, length: number): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(PAGE_HEADER_BYTES + length);
    const read = readSync(this.#file, bytes, 0, bytes.length, number * this.#pageBytes);
    checkPage(bytes, read === bytes.length, number, PAGE_IS_LONG_VALUE);
    return bytes.subarray(PAGE_HEADER_BYTES);
  }
}

/** Gets the place of a node in its page, and where its key ends. Returns false to end the visit. */
export type NodeVisitor = (page: Buffer, node: number, keyEnd: number) => boolean;

const NO_KEY = new Uint8Array(0);

/**
 * In a leaf, the first node that is not below the key. In a branch, the last node whose subtree may
 * contain the key.
 */
function firstNode(page: Buffer, nodes: number, key: Uint8Array, isLeaf: boolean): number {
  let low = isLeaf ? 0 : 1;
  let high = nodes;
  while (low < high) {
    const middle = (low + high) >> 1;
    const start = nodeAt(page, middle) + NODE_HEADER_BYTES;
    const end = start + u16(page, start - 2);
    const order = page.compare(key, 0, key.length, start, end);
    if (isLeaf ? order < 0 : order <= 0) low = middle + 1;
    else high = middle;
  }
  return isLeaf ? low : low - 1;
}

function nodeAt(page: Uint8Array, i: number): number {
  return PAGE_HEADER_BYTES + u16(page, PAGE_HEADER_BYTES + 2 * i);
}

function childNumber(page: Uint8Array, node: number): number {
  return u32(page, node) + u16(page, node + 4) * 2 ** 32;
}

function pageNumber(bytes: Uint8Array, at: number): number {
  return u32(bytes, at) + u32(bytes, at + 4) * 2 ** 32;
}

function checkPage(page: Uint8Array, isWhole: boolean, number: number, flag: number): void {
  if (isWhole && pageNumber(page, 0) === number && (u16(page, PAGE_FLAGS_AT) & flag) !== 0) return;
  throw new AssertionError(`page ${number} of the store is not what the tree says`);
}
