import { documentAt, documentWidth, variableAt } from '../postings-writer.ts';
import type { ByteWindow, SegmentBytes } from '../segment-bytes.ts';
import type { AskedName } from '../text-query.ts';

/**
 * The names of the nodes of a segment, sorted, each with its entries: which documents have it, and
 * in which field. A name does not repeat what it has in common with the name before it (front
 * coding), so that it takes few bytes; every 16 names, a block begins with a whole one.
 *
 * In memory is only where blocks begin. Names and entries may stay in the file:
 *
 * - a name: how many bytes are those of the name before, how many follow, how many entries it has,
 *   all three as `ByteWriter.variable` writes them; then the bytes that follow
 * - an entry: the document, in as many bytes as the greatest needs; the field, in two bytes
 *
 * Names are UTF-8, which sorts as its bytes do. Here they are strings with a unit for each byte, as
 * `packedName` makes them.
 */
export interface NameBytes {
  /** Block -> where it begins in `names`; one more than there are blocks. */
  readonly blockStarts: Uint32Array;
  /** Block -> its first entry; one more than there are blocks. */
  readonly blockEntries: Uint32Array;
  readonly names: Uint8Array;
  readonly entries: Uint8Array;
}

export const BLOCK_NAMES = 16;

/** A range of entries, `[from, to)`. */
type Entries = readonly [from: number, to: number];

export function packedName(folded: string): string {
  return Buffer.from(folded, 'utf8').toString('latin1');
}

function unpackedName(packed: string): string {
  return Buffer.from(packed, 'latin1').toString('utf8');
}

/** No name has this byte: as strings are sorted, it comes after all that go on. */
const AFTER_ALL = '\u00ff';

export function entryBytes(documentCount: number): number {
  return documentWidth(documentCount) + FIELD_BYTES;
}

const FIELD_BYTES = 2;
/** Entries that are read from a file at a time. */
const ENTRIES_AT_A_TIME = 4_096;

interface NameTableParts extends Pick<NameBytes, 'blockStarts' | 'blockEntries'> {
  readonly names: SegmentBytes;
  readonly entries: SegmentBytes;
  readonly documentCount: number;
}

export class NameTable {
  readonly #parts: NameTableParts;
  /** A query asks for the same name in each of its searches. */
  readonly #meant = new WeakMap<AskedName, Entries>();

  constructor(parts: NameTableParts) {
    this.#parts = parts;
  }

  /** The entries that a name of a query means. */
  entriesMeant(asked: AskedName): Entries {
    let entries = this.#meant.get(asked);
    if (entries === undefined) this.#meant.set(asked, (entries = this.#entriesMeant(asked)));
    return entries;
  }

  /** The entries of one name. */
  entriesOf(folded: string): Entries {
    const name = packedName(folded);
    // No string is between these two.
    return this.#range(name, `${name}\0`);
  }

  /** The entries of names that begin with these letters. */
  entriesFrom(folded: string): Entries {
    const name = packedName(folded);
    return this.#range(name, name + AFTER_ALL);
  }

  /** Whether more names than `few` begin with these letters. It may overlook a block or two. */
  hasMoreFrom(folded: string, few: number): boolean {
    const prefix = packedName(folded);
    const blocks = this.#blocksBelow(prefix + AFTER_ALL) - this.#blocksBelow(prefix);
    return (blocks - 1) * BLOCK_NAMES >= few;
  }

  /** The names that begin with these letters, the first `limit` of them. */
  namesFrom(folded: string, limit: number): string[] {
    const prefix = packedName(folded);
    const names: string[] = [];
    const walk = new NameWalk(this.#parts, Math.max(0, this.#blocksBelow(prefix) - 1));
    while (names.length < limit && walk.next()) {
      if (walk.name < prefix) continue;
      if (!walk.name.startsWith(prefix)) break;
      names.push(unpackedName(walk.name));
    }
    return names;
  }

  /** All names from the first on. */
  walk(): NameWalk {
    return new NameWalk(this.#parts, 0);
  }

  /** Visits entries until `visit` returns true, and returns whether it did. */
  someEntry([from, to]: Entries, visit: (document: number, field: number) => boolean): boolean {
    const { documentCount, entries } = this.#parts;
    const width = documentWidth(documentCount);
    const bytesEach = entryBytes(documentCount);
    const window = entries.window();
    for (let first = from; first < to; first += ENTRIES_AT_A_TIME) {
      const count = Math.min(ENTRIES_AT_A_TIME, to - first);
      const start = window.seek(first * bytesEach, count * bytesEach);
      const end = start + count * bytesEach;
      const { bytes } = window;
      for (let at = start; at < end; at += bytesEach) {
        const document = documentAt(bytes, at, width, 0);
        if (visit(document, documentAt(bytes, at + width, FIELD_BYTES, 0))) return true;
      }
    }
    return false;
  }

  #entriesMeant({ name, match }: AskedName): Entries {
    if (match === 'whole') return this.entriesOf(name);
    return this.entriesFrom(match === 'words' ? `${name} ` : name);
  }

  #range(from: string, to: string): Entries {
    const first = this.#firstEntry(from);
    return [first, this.#firstEntry(to)];
  }

  /** The first entry of the first name that is not below `name`. */
  #firstEntry(name: string): number {
    const block = this.#blocksBelow(name) - 1;
    if (block < 0) return 0;
    const { blockStarts, blockEntries, names } = this.#parts;
    const window = names.window();
    const length = blockStarts[block + 1]! - blockStarts[block]!;
    let at = window.seek(blockStarts[block]!, length);
    const { bytes } = window;
    let entry = blockEntries[block]!;
    // What the name before, which is below `name`, has in common with it.
    let common = 0;
    for (const end = at + length; at < end;) {
      const shared = variableAt(bytes, at);
      at += variableBytes(shared);
      const rest = variableAt(bytes, at);
      at += variableBytes(rest);
      const count = variableAt(bytes, at);
      at += variableBytes(count);
      if (shared < common) return entry;
      if (shared === common) {
        const equal = equalUnits(bytes, at, rest, name, common);
        common += equal;
        if (common === name.length) return entry;
        if (equal < rest && bytes[at + equal]! > name.charCodeAt(common)) return entry;
      }
      at += rest;
      entry += count;
    }
    return entry;
  }

  /** How many blocks begin with a name below this one. */
  #blocksBelow(name: string): number {
    const { blockStarts, names } = this.#parts;
    const window = names.window();
    let low = 0;
    let high = blockStarts.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = blockStarts[middle]!;
      const at = window.seek(start, blockStarts[middle + 1]! - start);
      if (isBelow(window.bytes, at, name)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Whether the whole name at `at` is below another one. */
function isBelow(bytes: Uint8Array, from: number, name: string): boolean {
  let at = from + 1;
  const length = variableAt(bytes, at);
  at += variableBytes(length);
  at += variableBytes(variableAt(bytes, at));
  const equal = equalUnits(bytes, at, length, name, 0);
  if (equal === name.length) return false;
  return equal === length || bytes[at + equal]! < name.charCodeAt(equal);
}

/** How many bytes at `at` are the units of the name from `from` on. */
function equalUnits(
  bytes: Uint8Array,
  at: number,
  length: number,
  name: string,
  from: number,
): number {
  const most = Math.min(length, name.length - from);
  let equal = 0;
  while (equal < most && bytes[at + equal] === name.charCodeAt(from + equal)) equal++;
  return equal;
}

/** As many as `ByteWriter.variable` writes. */
function variableBytes(value: number): number {
  let bytes = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes++;
  return bytes;
}

/** Goes through names in their order. */
export class NameWalk {
  /** Packed. */
  name = '';
  /** Its first entry, and how many it has. */
  entry = 0;
  count = 0;
  readonly #parts: NameTableParts;
  readonly #window: ByteWindow;
  #block: number;
  #at = 0;
  #end = 0;

  /** `block` is the one to begin with. */
  constructor(parts: NameTableParts, block: number) {
    this.#parts = parts;
    this.#window = parts.names.window();
    this.#block = block - 1;
    this.entry = parts.blockEntries[block] ?? 0;
  }

  /** False after the last name. */
  next(): boolean {
    if (this.#at === this.#end && !this.#open(this.#block + 1)) return false;
    const { bytes } = this.#window;
    const shared = this.#variable(bytes);
    const rest = this.#variable(bytes);
    this.entry += this.count;
    this.count = this.#variable(bytes);
    this.name = this.name.slice(0, shared);
    for (const end = this.#at + rest; this.#at < end; this.#at++) {
      this.name += String.fromCharCode(bytes[this.#at]!);
    }
    return true;
  }

  #open(block: number): boolean {
    const { blockStarts } = this.#parts;
    if (block >= blockStarts.length - 1) return false;
    const start = blockStarts[block]!;
    const length = blockStarts[block + 1]! - start;
    this.#block = block;
    this.#at = this.#window.seek(start, length);
    this.#end = this.#at + length;
    return true;
  }

  #variable(bytes: Uint8Array): number {
    const value = variableAt(bytes, this.#at);
    this.#at += variableBytes(value);
    return value;
  }
}
