import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '#base/assert.ts';
import { SEARCH_CACHED_PAGES_MAX } from '#base/search-limits.ts';
import { SEAL_BYTES, segmentName } from './segment-codec.ts';
import type { FilePages } from './segment-bytes.ts';

const PAGE_BYTES = 65_536;
/** More than any file has. */
const FILE_PAGES_MAX = 2 ** 24;

/** The file of a segment cannot be opened, mostly because a newer view no longer needs it. */
export class UnreadableSegmentError extends Error {
  override readonly name = 'UnreadableSegmentError';
}

/**
 * Reads segments that are not in memory, for one thread. Its files stay readable after they are
 * removed. It caches up to `SEARCH_CACHED_PAGES_MAX` pages of all files.
 *
 * It takes the functions of `node:fs` when it is made, as an endpoint worker loses the file system
 * later. They only read segments of this folder, and a guest cannot reach them.
 */
export class SegmentReaders implements Disposable {
  readonly #folder: string;
  readonly #fs = { closeSync, fstatSync, openSync, readSync };
  readonly #files = new Map<number, FilePages & { readonly descriptor: number }>();
  /** Last used at the end. */
  readonly #pages = new Map<number, Uint8Array>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Throws an `UnreadableSegmentError`. */
  readonly open = (id: number): FilePages => {
    const known = this.#files.get(id);
    if (known !== undefined) return known;
    const descriptor = this.#openFile(id);
    const bytes = this.#fs.fstatSync(descriptor).size - SEAL_BYTES;
    const page = (number: number): Uint8Array => this.#page(id, descriptor, number, bytes);
    const file = { descriptor, pageBytes: PAGE_BYTES, page };
    this.#files.set(id, file);
    return file;
  };

  /** Closes all other files. Nobody may read them any more. */
  keepOnly(ids: ReadonlySet<number>): void {
    let hasClosed = false;
    for (const [id, { descriptor }] of this.#files) {
      if (ids.has(id)) continue;
      this.#fs.closeSync(descriptor);
      this.#files.delete(id);
      hasClosed = true;
    }
    if (!hasClosed) return;
    for (const key of this.#pages.keys()) {
      if (!ids.has(Math.floor(key / FILE_PAGES_MAX))) this.#pages.delete(key);
    }
  }

  [Symbol.dispose](): void {
    this.keepOnly(new Set());
  }

  #openFile(id: number): number {
    try {
      return this.#fs.openSync(join(this.#folder, segmentName(id)), 'r');
    } catch (error) {
      throw new UnreadableSegmentError(`${segmentName(id)} cannot be opened`, { cause: error });
    }
  }

  #page(id: number, descriptor: number, number: number, bytes: number): Uint8Array {
    const key = id * FILE_PAGES_MAX + number;
    const known = this.#pages.get(key);
    this.#pages.delete(key);
    const page = known ?? this.#read(descriptor, number * PAGE_BYTES, bytes);
    this.#pages.set(key, page);
    if (this.#pages.size > SEARCH_CACHED_PAGES_MAX) {
      for (const oldest of this.#pages.keys()) {
        this.#pages.delete(oldest);
        break;
      }
    }
    return page;
  }

  /** Reads into new memory: a cursor may still use the page that this one replaces. */
  #read(descriptor: number, from: number, bytes: number): Uint8Array {
    const page = new Uint8Array(Math.min(PAGE_BYTES, bytes - from));
    for (let filled = 0; filled < page.length;) {
      const rest = page.length - filled;
      const count = this.#fs.readSync(descriptor, page, filled, rest, from + filled);
      assert(count > 0, 'a segment file does not shrink while it is open');
      filled += count;
    }
    return page;
  }
}
