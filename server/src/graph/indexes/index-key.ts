import { hash } from 'node:crypto';
import { UID_BYTES } from '#base/uid.ts';
import { INDEX_TEXT_BYTES_MAX } from '#base/limits.ts';
import { asBuffer } from '../bytes.ts';
import { compareDecimals, normalizeDecimal } from '../decimal.ts';
import { decodeField } from '../field-decoder.ts';
import { scalarOf, TAG, type GeoPoint } from '../field-types.ts';
import { TIMED_ID_BYTES, writeId, writeTime, writeType } from '../keys.ts';
import { canonicalText, NUMBER_CHARACTERS_MAX } from '../query/comparison.ts';

/**
 * The keys of `indexes` (open-shapes, section 9):
 *
 *   index(2) value { present(1) value } time(6) id(5)
 *
 * Values sort as the query compares them, and nodes with equal values as they do in `types`: so the
 * nodes with one value, newest first, are one range read backwards. Each value tells its end:
 *
 *   text        its code units in the manner of UTF-8, surrogates one by one, 0 and 1 as 1 1 and
 *               1 2; then 0, or 255 where it was cut at `INDEX_TEXT_BYTES_MAX`
 *   number      the nearest double, 8 bytes; then whether the number is below, equal or above
 *   others      Time 8 bytes, Bool 1 byte, UID 16 bytes, which sort as the printed UID
 *   GeoPoint    its cell, 8 bytes: the bits of latitude and longitude in turn
 *   encrypted   in an encrypted store 16 bytes of a keyed digest, which have no order
 *
 * Bytes are indexed as base64, Json as its canonical text. A value that is cut, or is not the
 * double itself, shares its bytes with others: `isExact` says so, and whoever reads looks at the
 * node.
 */
export const NUMBER_BELOW = 0x40;
export const NUMBER_EQUAL = 0x80;
export const NUMBER_ABOVE = 0xc0;
const TEXT_END = 0;
const TEXT_CUT = 0xff;
const ESCAPE = 1;
/** Before each value of a compound index but the first. */
const PRESENT = 1;
const ABSENT = 0xff;
const DIGEST_BYTES = 16;
/** Little-endian, as all processors are that Node runs on. */
const DOUBLE = new Float64Array(1);
const DOUBLE_BYTES = new Uint8Array(DOUBLE.buffer);
const INDEX_BYTES = 2;
/** Longer keys get a new view each: only digests are made of them. */
const VIEW_BYTES_MAX = 1_024;

/** Writes one key after the other, into memory of its own. */
export class IndexKey {
  #bytes: Buffer = Buffer.allocUnsafeSlow(1_024);
  /** Of `#bytes`, by length. */
  #views: (Uint8Array | undefined)[] = [];
  length = 0;
  /** Whether the values written so far tell all of what they stand for. */
  isExact = true;
  /** Whether texts are written to their ends: for digests. */
  readonly #isWhole: boolean;

  constructor(options: { readonly isWhole?: boolean } = {}) {
    this.#isWhole = options.isWhole === true;
  }

  begin(index: number): this {
    writeType(this.#bytes, 0, index);
    this.length = INDEX_BYTES;
    this.isExact = true;
    return this;
  }

  /** A view, valid until the next key. */
  get bytes(): Uint8Array {
    const { length } = this;
    if (length > VIEW_BYTES_MAX) return this.#bytes.subarray(0, length);
    return (this.#views[length] ??= this.#bytes.subarray(0, length));
  }

  copy(): Uint8Array {
    return new Uint8Array(this.bytes);
  }

  /** Goes back to where a key was when it had so many bytes. */
  rewind(length: number, isExact: boolean): void {
    this.length = length;
    this.isExact = isExact;
  }

  present(): void {
    this.byte(PRESENT);
  }

  absent(): void {
    this.byte(ABSENT);
  }

  raw(bytes: Uint8Array, start: number, count: number): void {
    this.#reserve(count);
    this.#bytes.set(bytes.subarray(start, start + count), this.length);
    this.length += count;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.length++] = value;
  }

  /** A value as it is stored, by the scalar that it was stored under. */
  stored(bytes: Buffer, start: number, end: number, scalar: number): void {
    switch (scalar) {
      case TAG.Bool:
        return this.byte(bytes[start]!);
      case TAG.Time:
        return this.double(bytes.readDoubleBE(start));
      case TAG.UID:
        return this.raw(bytes, start, UID_BYTES);
      case TAG.Float:
        return this.number(bytes.readFloatBE(start));
      default:
        return this.#value(scalar, decodeField(bytes, start, end, scalar, scalar));
    }
  }

  #value(scalar: number, value: unknown): void {
    switch (scalar) {
      case TAG.Int:
      case TAG.Long:
      case TAG.Double:
      case TAG.Decimal:
        return this.number(value as number | string);
      case TAG.GeoPoint:
        // Points near each other share a cell.
        this.isExact = false;
        return this.cell(value as GeoPoint);
      case TAG.Json:
        return this.text(canonicalText(value));
      default:
        return this.text(String(value));
    }
  }

  /** A number, or the digits of one that no number holds. */
  number(value: number | string): void {
    const nearest = Number(value);
    this.double(nearest);
    const order = typeof value === 'number' ? 0 : orderOfNearest(value, nearest);
    this.byte(order === 0 ? NUMBER_EQUAL : order < 0 ? NUMBER_BELOW : NUMBER_ABOVE);
    if (order === 0) return;
    this.isExact = false;
    if (this.#isWhole)
      this.text(
        String(value)
          .replace(/(\.\d*?)0+$/, '$1')
          .replace(/\.$/, ''),
      );
  }

  /** 8 bytes that sort as doubles do; 0 and -0, which are equal, have the same. */
  double(value: number): void {
    this.#reserve(8);
    DOUBLE[0] = value === 0 ? 0 : value;
    // Negative ones backwards, and below all others.
    const flip = DOUBLE_BYTES[7]! > 0x7f ? 0xff : 0;
    const bytes = this.#bytes;
    bytes[this.length++] = DOUBLE_BYTES[7]! ^ (flip | 0x80);
    for (let i = 6; i >= 0; i--) bytes[this.length++] = DOUBLE_BYTES[i]! ^ flip;
  }

  text(value: string): void {
    if (this.textStart(value)) this.byte(TEXT_END);
    else this.byte(TEXT_CUT);
  }

  /** All of a text but what ends it; false when it was cut. */
  textStart(value: string): boolean {
    const most = this.#isWhole ? Infinity : this.length + INDEX_TEXT_BYTES_MAX;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      // An escape may be one byte too long: it is not to be cut where a greater character fits.
      const needed = code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
      if (this.length + needed > most) {
        this.isExact = false;
        return false;
      }
      this.#codeUnit(code);
    }
    return true;
  }

  #codeUnit(code: number): void {
    this.#reserve(3);
    const bytes = this.#bytes;
    if (code <= ESCAPE) {
      bytes[this.length++] = ESCAPE;
      bytes[this.length++] = code + 1;
    } else if (code < 0x80) {
      bytes[this.length++] = code;
    } else if (code < 0x800) {
      bytes[this.length++] = 0xc0 | (code >>> 6);
      bytes[this.length++] = 0x80 | (code & 0x3f);
    } else {
      bytes[this.length++] = 0xe0 | (code >>> 12);
      bytes[this.length++] = 0x80 | ((code >>> 6) & 0x3f);
      bytes[this.length++] = 0x80 | (code & 0x3f);
    }
  }

  cell({ lat, lon }: GeoPoint): void {
    if (this.#isWhole) {
      this.double(lat);
      this.double(lon);
      return;
    }
    this.#reserve(CELL_BYTES);
    writeCell(this.#bytes, this.length, cellOf(lat, 90), cellOf(lon, 180));
    this.length += CELL_BYTES;
  }

  /** In place of values: what an index of an encrypted store has. */
  digest(values: Uint8Array, secret: Uint8Array): void {
    this.raw(digestOf(values, secret), 0, DIGEST_BYTES);
  }

  /** Ends the key of an entry. */
  timedId(timeMs: number, id: number): void {
    this.#reserve(TIMED_ID_BYTES);
    writeTime(this.#bytes, this.length, timeMs);
    writeId(this.#bytes, this.length + 6, id);
    this.length += TIMED_ID_BYTES;
  }

  #reserve(count: number): void {
    if (this.length + count <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.length + count, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.length);
    this.#bytes = grown;
    this.#views = [];
  }
}

/** The digest of values that an encrypted store shows in place of them, keyed by its secret. */
export function digestOf(values: Uint8Array, secret: Uint8Array): Buffer {
  return asBuffer(hash('sha256', Buffer.concat([secret, values]), 'buffer'));
}

/** Whether a number is below the double that is nearest to it (negative), equal (0) or above. */
function orderOfNearest(digits: string, nearest: number): number {
  const decimal = normalizeDecimal(digits, NUMBER_CHARACTERS_MAX);
  if (decimal === undefined) return 0;
  if (nearest === Infinity) return -1;
  if (nearest === -Infinity) return 1;
  return compareDecimals(decimal, String(normalizeDecimal(nearest, NUMBER_CHARACTERS_MAX)));
}

const CELL_BYTES = 8;
const CELLS = 2 ** 32;

/** Which of 2^32 equal parts of `[-most, most]` a coordinate lies in. */
export function cellOf(coordinate: number, most: number): number {
  const part = Math.floor(((coordinate + most) / (2 * most)) * CELLS);
  return Math.min(CELLS - 1, Math.max(0, part));
}

/** The bits of both in turn, the highest first, that of the latitude before the longitude's. */
export function writeCell(bytes: Uint8Array, at: number, lat: number, lon: number): void {
  for (let byte = 0; byte < CELL_BYTES; byte++) {
    const shift = 28 - byte * 4;
    bytes[at + byte] = (spread((lat >>> shift) & 0xf) << 1) | spread((lon >>> shift) & 0xf);
  }
}

/** The four bits of a number, with a 0 before each. */
function spread(bits: number): number {
  return (bits & 1) | ((bits & 2) << 1) | ((bits & 4) << 2) | ((bits & 8) << 3);
}

/** Scalars that an index keeps in their order. */
export function isOrderedScalar(tag: number): boolean {
  const scalar = scalarOf(tag);
  return scalar !== TAG.GeoPoint && scalar !== TAG.Json && scalar !== TAG.Bytes;
}
