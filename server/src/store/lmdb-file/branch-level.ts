import { putU16, putU32 } from '../bytes.ts';
import type { PageSink } from './page-sink.ts';
import {
  NODE_HEADER_BYTES,
  PAGE_HEADER_BYTES,
  PAGE_IS_BRANCH,
  PAGE_LOWER_AT,
  PAGE_UPPER_AT,
} from './page-format.ts';

interface Child {
  /** The first key below it. */
  readonly key: Uint8Array;
  readonly page: number;
}

/** The branch pages of one height of a tree that is written from its first key to its last. */
export class BranchLevel {
  readonly #sink: PageSink;
  /** Is told of each page that is written. */
  readonly #above: (key: Uint8Array, page: number) => void;
  /** Those that no page has yet, and how many of them, and of their bytes, fit the next one. */
  #children: Child[] = [];
  #fitting = 0;
  #bytes = 0;
  #pages = 0;

  constructor(sink: PageSink, above: (key: Uint8Array, page: number) => void) {
    this.#sink = sink;
    this.#above = above;
  }

  /** How many are written. */
  get pages(): number {
    return this.#pages;
  }

  /** The one child when there is no other: nothing need be above it. */
  get only(): number | undefined {
    const isAlone = this.#pages === 0 && this.#children.length === 1;
    return isAlone ? this.#children[0]?.page : undefined;
  }

  /** By ascending keys. */
  add(key: Uint8Array, page: number): void {
    this.#children.push({ key, page });
    this.#count();
    // With two behind it, whatever comes, the page behind will have the two that it needs at least.
    if (this.#children.length === this.#fitting + 2) this.#write(this.#fitting);
  }

  /** Nothing is added any more. */
  end(): void {
    // At least three fit, whatever their keys: so two stay.
    if (this.#children.length > this.#fitting) this.#write(this.#fitting - 1);
    this.#write(this.#children.length);
  }

  /** Whether the newest fits, when all before it do. */
  #count(): void {
    if (this.#children.length !== this.#fitting + 1) return;
    const { key } = this.#children[this.#fitting]!;
    const bytes = this.#bytes + nodeBytes(this.#fitting === 0 ? 0 : key.length) + 2;
    if (bytes > this.#sink.pageBytes - PAGE_HEADER_BYTES) return;
    this.#bytes = bytes;
    this.#fitting++;
  }

  #write(count: number): void {
    const children = this.#children.slice(0, count);
    const rest = this.#children.slice(count);
    const number = this.#sink.add(branchPage(this.#sink.pageBytes, children), PAGE_IS_BRANCH);
    this.#pages++;
    this.#above(children[0]!.key, number);
    this.#children = [];
    this.#fitting = 0;
    this.#bytes = 0;
    for (const child of rest) {
      this.#children.push(child);
      this.#count();
    }
  }
}

function branchPage(pageBytes: number, children: readonly Child[]): Uint8Array {
  const page = new Uint8Array(pageBytes);
  let upper = pageBytes - PAGE_HEADER_BYTES;
  for (const [i, { key, page: child }] of children.entries()) {
    // All that is below the second key is below the first child.
    const keyBytes = i === 0 ? 0 : key.length;
    upper -= nodeBytes(keyBytes);
    putU16(page, PAGE_HEADER_BYTES + 2 * i, upper);
    const node = PAGE_HEADER_BYTES + upper;
    putU32(page, node, child);
    putU16(page, node + 4, Math.floor(child / 2 ** 32));
    putU16(page, node + 6, keyBytes);
    page.set(key.subarray(0, keyBytes), node + NODE_HEADER_BYTES);
  }
  putU16(page, PAGE_LOWER_AT, 2 * children.length);
  putU16(page, PAGE_UPPER_AT, upper);
  return page;
}

/** Nodes begin at even places. */
function nodeBytes(keyBytes: number): number {
  return (NODE_HEADER_BYTES + keyBytes + 1) & -2;
}
