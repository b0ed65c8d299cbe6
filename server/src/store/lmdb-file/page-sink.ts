import { putU16, putU32 } from '../bytes.ts';
import { closeSync, fdatasync, fsyncSync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import {
  META_PAGES,
  PAGE_COUNT_AT,
  PAGE_FLAGS_AT,
  PAGE_HEADER_BYTES,
  PAGE_IS_LONG_VALUE,
} from './page-format.ts';

/** The transaction that all pages are of. */
export const FIRST_TRANSACTION = 1;
const BUFFER_BYTES = 4 * 1024 * 1024;
/** After so much the disk is told to begin, so that not all of it is left for the end. */
const FLUSH_BYTES = 32 * 1024 * 1024;
const flush = promisify(fdatasync);

/** The pages of a new file, one after the other. */
export class PageSink implements AsyncDisposable {
  readonly pageBytes: number;
  readonly #file: number;
  readonly #buffer = Buffer.alloc(BUFFER_BYTES);
  /** Room for the first pages, which come last. */
  #filled: number;
  #unflushed = 0;
  #flushing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #nextPage = META_PAGES;

  constructor(path: string, pageBytes: number) {
    this.pageBytes = pageBytes;
    this.#filled = META_PAGES * pageBytes;
    this.#file = openSync(path, 'wx', 0o600);
  }

  get lastPage(): number {
    return this.#nextPage - 1;
  }

  /** A page, of whose header only what says where its nodes are is there yet. Answers its number. */
  add(page: Uint8Array, flags: number): number {
    const number = this.#begin(page, flags, 1);
    this.#append(page, 0, this.pageBytes);
    return number;
  }

  /** A value in pages of its own. */
  addLongValue(
    bytes: Uint8Array,
    start: number,
    end: number,
  ): { readonly first: number; readonly pages: number } {
    const used = PAGE_HEADER_BYTES + end - start;
    const pages = Math.ceil(used / this.pageBytes);
    const header = new Uint8Array(PAGE_HEADER_BYTES);
    const first = this.#begin(header, PAGE_IS_LONG_VALUE, pages);
    putU32(header, PAGE_COUNT_AT, pages);
    this.#append(header, 0, header.length);
    this.#append(bytes, start, end);
    const rest = new Uint8Array(pages * this.pageBytes - used);
    this.#append(rest, 0, rest.length);
    return { first, pages };
  }

  /** The first pages, by which the others are found. Everything is durable behind it. */
  async end(metaPages: Uint8Array): Promise<void> {
    this.#drain();
    await this.#flushing;
    if (this.#failure !== undefined) throw this.#failure.error;
    writeWhole(this.#file, metaPages, 0);
    fsyncSync(this.#file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#flushing;
    closeSync(this.#file);
  }

  #begin(header: Uint8Array, flags: number, pages: number): number {
    const number = this.#nextPage;
    this.#nextPage += pages;
    putU32(header, 0, number);
    putU32(header, 4, Math.floor(number / 2 ** 32));
    putU32(header, 8, FIRST_TRANSACTION);
    putU32(header, 12, 0);
    putU16(header, 16, 0);
    putU16(header, PAGE_FLAGS_AT, flags);
    return number;
  }

  #append(bytes: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end;) {
      if (this.#filled === this.#buffer.length) this.#drain();
      const to = Math.min(end, at + this.#buffer.length - this.#filled);
      this.#buffer.set(bytes.subarray(at, to), this.#filled);
      this.#filled += to - at;
      at = to;
    }
  }

  #drain(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    writeWhole(this.#file, this.#buffer.subarray(0, this.#filled), null);
    this.#unflushed += this.#filled;
    this.#filled = 0;
    if (this.#unflushed < FLUSH_BYTES || this.#flushing !== undefined) return;
    this.#unflushed = 0;
    this.#flushing = flush(this.#file)
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => (this.#flushing = undefined));
  }
}

/** At a place in the file, or behind what was written last. */
function writeWhole(file: number, bytes: Uint8Array, position: number | null): void {
  for (let at = 0; at < bytes.length;) {
    const place = position === null ? null : position + at;
    at += writeSync(file, bytes, at, bytes.length - at, place);
  }
}
