import { readSync, writeSync } from 'node:fs';
import {
  FREE_TREE_FLAGS_AT,
  type Meta,
  META_BOOT_AT,
  META_BYTES,
  META_PAGES,
  META_TRANSACTION_AT,
  META_VARYING_AT,
  readMeta,
} from './page-format.ts';

/** A meta page, as its bytes and as what they say. */
export interface MetaPage extends Meta {
  /** Its first `META_BYTES`. */
  readonly bytes: Buffer;
}

/**
 * In the flags of a meta page: the transaction was committed with LMDB's overlapping sync, and not
 * flushed by then.
 */
const IS_UNFLUSHED = 0x1000;

/** The page from its bytes; undefined when they are of another format. */
export function toMetaPage(bytes: Buffer): MetaPage | undefined {
  if (bytes.length < META_BYTES) return undefined;
  const meta = readMeta(bytes);
  return meta === undefined ? undefined : { ...meta, bytes: bytes.subarray(0, META_BYTES) };
}

/** The meta pages of a file, as far as they can be read. */
export interface MetaPages {
  /** The two between which LMDB alternates, by their numbers. */
  readonly pages: readonly (MetaPage | undefined)[];
  /** With overlapping sync LMDB keeps a third one, of the last transaction that it flushed. */
  readonly flushed: MetaPage | undefined;
}

/** `pageBytes` says how large pages are when the first page does not say it any more. */
export function readMetaPages(file: number, pageBytes?: number): MetaPages {
  const first = readAt(file, 0);
  const size = first?.pageBytes ?? pageBytes;
  if (size === undefined) return { pages: [first], flushed: undefined };
  return { pages: [first, readAt(file, size)], flushed: readFlushed(file, size, first) };
}

/** The page that LMDB takes when it opens the file; undefined when none can be read. */
export function newestOf({ pages }: MetaPages): MetaPage | undefined {
  const [one, other] = pages;
  if (one === undefined || other === undefined) return one ?? other;
  return one.transaction >= other.transaction ? one : other;
}

/**
 * The page that LMDB takes with overlapping sync: the newest one if the machine has not gone down
 * since it was written, or if it was flushed; otherwise the last one that was flushed. `bootId` is
 * the present one, as LMDB writes it.
 */
export function flushedOf(metas: MetaPages, bootId: bigint): MetaPage | undefined {
  const newest = newestOf(metas);
  if (newest === undefined || !isUnflushed(newest)) return newest;
  if (bootId !== 0n && newest.bytes.readBigInt64LE(META_BOOT_AT) === bootId) return newest;
  const { flushed, pages } = metas;
  if (flushed !== undefined && flushed.transaction > 0) return flushed;
  return pages.find((page) => page !== undefined && page !== newest);
}

/** Whether LMDB has committed with overlapping sync after this transaction. */
export function hasOverlappingAfter({ pages, flushed }: MetaPages, transaction: number): boolean {
  if (flushed !== undefined && flushed.transaction > transaction) return true;
  return pages.some(
    (page) => page !== undefined && isUnflushed(page) && page.transaction > transaction,
  );
}

/** Makes the file show the transaction of this page: writes it in place of both meta pages. */
export function writeMetaPages(file: number, { bytes, pageBytes, transaction }: MetaPage): void {
  for (let number = 0; number < META_PAGES; number++) {
    const page = Buffer.from(bytes);
    page.writeBigUInt64LE(BigInt(number), 0);
    // LMDB expects even transactions in the first page, and odd ones in the second.
    const own = transaction % META_PAGES === number ? transaction : transaction - 1;
    page.writeBigUInt64LE(BigInt(own), META_TRANSACTION_AT);
    writeSync(file, page, 0, page.length, number * pageBytes);
  }
}

/**
 * Reads the newest meta page of a file that may be written at that time; undefined when the file is
 * encrypted or has an unknown layout. It reads the pages twice, since the writer may be writing one
 * of them. It never writes both at that time.
 */
export function readNewestMeta(file: number): MetaPage | undefined {
  for (;;) {
    const metas = readMetaPages(file);
    if (metas.pages.length < META_PAGES || metas.pages.includes(undefined)) return undefined;
    const again = readMetaPages(file);
    const isSame = metas.pages.every((page, i) => {
      const other = again.pages[i];
      return page !== undefined && other !== undefined && page.bytes.equals(other.bytes);
    });
    if (isSame) return newestOf(metas);
  }
}

function readAt(file: number, at: number): MetaPage | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  const read = readSync(file, bytes, 0, META_BYTES, at);
  return read < META_BYTES ? undefined : toMetaPage(bytes);
}

/** It is in the second half of the first page, without what is the same in all three. */
function readFlushed(file: number, pageBytes: number, first: MetaPage | undefined) {
  if (first === undefined) return undefined;
  const bytes = Buffer.from(first.bytes);
  const length = META_BYTES - META_VARYING_AT;
  const read = readSync(file, bytes, META_VARYING_AT, length, pageBytes / 2 + META_VARYING_AT);
  if (read < length) return undefined;
  // LMDB writes the transaction to that one of the two pages.
  bytes.writeBigUInt64LE(bytes.readBigUInt64LE(META_TRANSACTION_AT) % BigInt(META_PAGES), 0);
  return toMetaPage(bytes);
}

function isUnflushed({ bytes }: MetaPage): boolean {
  return (bytes.readUInt16LE(FREE_TREE_FLAGS_AT) & IS_UNFLUSHED) !== 0;
}
