import { ByteWriter } from './bytes.ts';

/**
 * The fields of a record: a table of their numbers, tags and ends, then their values, both in the
 * order of the numbers. So one field can be read without decoding the others.
 *
 *   u16 count, count x [u16 number, u8 tag, u16 or u32 end of the value], values
 *
 * Ends count from the first value; they are u32 when a flag in the record's first byte says so.
 */
export const WIDE_ENDS = 1;

const COUNT_BYTES = 2;
const NARROW_ENTRY_BYTES = 5;
const WIDE_ENTRY_BYTES = 7;
const END_IN_ENTRY = 3;
const NARROW_END_MAX = 0xffff;

/** A view of the fields of one record. It is opened on one record after another. */
export class FieldTable {
  bytes: Buffer = Buffer.alloc(0);
  count = 0;
  #isWide = false;
  #entriesAt = 0;
  #valuesAt = 0;

  open(bytes: Buffer, at: number, isWide: boolean): void {
    this.bytes = bytes;
    this.#isWide = isWide;
    this.#entriesAt = at + COUNT_BYTES;
    this.count = (bytes[at]! << 8) | bytes[at + 1]!;
    this.#valuesAt = this.#entriesAt + this.count * this.#entryBytes;
  }

  openEmpty(): void {
    this.count = 0;
  }

  get #entryBytes(): number {
    return this.#isWide ? WIDE_ENTRY_BYTES : NARROW_ENTRY_BYTES;
  }

  number(index: number): number {
    const at = this.#entriesAt + index * this.#entryBytes;
    return (this.bytes[at]! << 8) | this.bytes[at + 1]!;
  }

  tag(index: number): number {
    return this.bytes[this.#entriesAt + index * this.#entryBytes + 2]!;
  }

  start(index: number): number {
    return index === 0 ? this.#valuesAt : this.end(index - 1);
  }

  end(index: number): number {
    const at = this.#entriesAt + index * this.#entryBytes + END_IN_ENTRY;
    const { bytes } = this;
    const end = this.#isWide ? bytes.readUInt32BE(at) : (bytes[at]! << 8) | bytes[at + 1]!;
    return this.#valuesAt + end;
  }

  /** The place of a field in the table, or -1. */
  find(number: number): number {
    for (let i = 0; i < this.count; i++) {
      const found = this.number(i);
      if (found >= number) return found === number ? i : -1;
    }
    return -1;
  }
}

/** Whether two records have the same value of a field, or none. */
export function isSameField(a: FieldTable, b: FieldTable, number: number): boolean {
  const [i, j] = [a.find(number), b.find(number)];
  if (i < 0 || j < 0) return i === j;
  const [value, other] = [
    a.bytes.subarray(a.start(i), a.end(i)),
    b.bytes.subarray(b.start(j), b.end(j)),
  ];
  return a.tag(i) === b.tag(j) && value.equals(other);
}

/**
 * Collects the fields of one record, then of the next. A value is written to `values`; `add` then
 * ends it.
 */
export class FieldTableWriter {
  readonly values = new ByteWriter();
  #numbers = new Uint16Array(64);
  #tags = new Uint8Array(64);
  #ends = new Uint32Array(64);
  #count = 0;

  clear(): void {
    this.values.length = 0;
    this.#count = 0;
  }

  get count(): number {
    return this.#count;
  }

  get flags(): number {
    return this.values.length > NARROW_END_MAX ? WIDE_ENDS : 0;
  }

  /** Ends the value of a field, whose number is higher than the one before. */
  add(number: number, tag: number): void {
    const index = this.#count++;
    if (index === this.#numbers.length) this.#grow();
    this.#numbers[index] = number;
    this.#tags[index] = tag;
    this.#ends[index] = this.values.length;
  }

  /** Copies a field as it is stored in another record. */
  copyFrom(table: FieldTable, index: number): void {
    this.values.copy(table.bytes, table.start(index), table.end(index));
    this.add(table.number(index), table.tag(index));
  }

  writeTo(out: ByteWriter): void {
    const isWide = this.flags === WIDE_ENDS;
    const entryBytes = isWide ? WIDE_ENTRY_BYTES : NARROW_ENTRY_BYTES;
    out.reserve(COUNT_BYTES + this.#count * entryBytes);
    const { bytes } = out;
    let at = out.length;
    bytes[at++] = this.#count >>> 8;
    bytes[at++] = this.#count;
    for (let i = 0; i < this.#count; i++) {
      const end = this.#ends[i]!;
      bytes[at++] = this.#numbers[i]! >>> 8;
      bytes[at++] = this.#numbers[i]!;
      bytes[at++] = this.#tags[i]!;
      if (isWide) {
        bytes[at++] = end >>> 24;
        bytes[at++] = end >>> 16;
      }
      bytes[at++] = end >>> 8;
      bytes[at++] = end;
    }
    out.length = at;
    out.copy(this.values.bytes, 0, this.values.length);
  }

  #grow(): void {
    const capacity = this.#numbers.length * 2;
    const numbers = new Uint16Array(capacity);
    const tags = new Uint8Array(capacity);
    const ends = new Uint32Array(capacity);
    numbers.set(this.#numbers);
    tags.set(this.#tags);
    ends.set(this.#ends);
    this.#numbers = numbers;
    this.#tags = tags;
    this.#ends = ends;
  }
}
