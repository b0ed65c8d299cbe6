import { assert, AssertionError } from '#base/assert.ts';
import { releaseMemory } from '#base/release-memory.ts';
import { copyBytes, u16, u32 } from './bytes.ts';
import { type DatabaseNumber, DATABASES } from './databases.ts';
import type { WriteBatch } from './key-value.ts';

/**
 * The payload of one commit in the log: its operations one after the other, without padding.
 * Numbers are little-endian.
 *
 *     put     u8 1, u8 database number, u16 key length, u32 value length, key, value
 *     delete  u8 0, u8 database number, u16 key length, key
 *
 * Logs and replicas keep payloads, so these two kinds of operation must stay as they are. A change
 * of the layout needs new kinds.
 */
const DELETE = 0;
const PUT = 1;
const DELETE_HEADER_BYTES = 4;
const PUT_HEADER_BYTES = 8;
const CAPACITY_DEFAULT_BYTES = 512;

/**
 * The longest key. What cannot be applied must not reach the log. LMDB takes one byte more, so that
 * a key can be made that is above all others.
 */
export const KEY_BYTES_MAX = 1_977;
/** Above every key. */
export const KEY_END = new Uint8Array(KEY_BYTES_MAX + 1).fill(255);
/**
 * The longest value. It is larger than the largest node record (`NODE_RECORD_BYTES_MAX`) with its
 * frame.
 */
export const VALUE_BYTES_MAX = 64 * 1024 * 1024;

const KNOWN_DATABASES = new Uint8Array(256);
for (const { number } of DATABASES) KNOWN_DATABASES[number] = 1;

/** The number of bytes that a put takes in a payload. */
export function putBytes(keyBytes: number, valueBytes: number): number {
  return PUT_HEADER_BYTES + keyBytes + valueBytes;
}

/** Encodes operations into one growing buffer, without allocating memory for each. */
export class BatchEncoder implements Omit<WriteBatch, 'nextSequence'> {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #end = 0;
  #count = 0;
  /** Smaller buffers that were replaced: views of them may be in use while the commit is built. */
  #replaced: Uint8Array[] = [];

  /** Writes into `bytes` first, while there is room; their old content does not matter. */
  constructor(bytes: Uint8Array<ArrayBuffer> = new Uint8Array(CAPACITY_DEFAULT_BYTES)) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get count(): number {
    return this.#count;
  }

  /** Bytes of the operations encoded so far. */
  get length(): number {
    return this.#end;
  }

  /**
   * The buffer itself, with unused room at its end. A later operation may replace it with a larger
   * one.
   */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes;
  }

  /** The operations encoded so far. */
  get payload(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Puts an entry. Returns where the key begins in the payload; the value is directly after it. */
  put(db: DatabaseNumber, key: Uint8Array, value: Uint8Array): number {
    const at = this.#beginPut(db, key.length, value.length);
    copyBytes(key, 0, key.length, this.#bytes, at);
    copyBytes(value, 0, value.length, this.#bytes, at + key.length);
    return at;
  }

  /** The same for an entry that is given by its places in buffers. */
  putPlaces(
    db: DatabaseNumber,
    keyBytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    valueBytes: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): number {
    const at = this.#beginPut(db, keyEnd - keyStart, valueEnd - valueStart);
    // The value directly follows the key, as in a page of LMDB: both are copied at once.
    if (valueBytes === keyBytes && valueStart === keyEnd) {
      copyBytes(keyBytes, keyStart, valueEnd, this.#bytes, at);
      return at;
    }
    copyBytes(keyBytes, keyStart, keyEnd, this.#bytes, at);
    copyBytes(valueBytes, valueStart, valueEnd, this.#bytes, at + keyEnd - keyStart);
    return at;
  }

  /** Deletes a key. Returns where the key begins in the payload. */
  delete(db: DatabaseNumber, key: Uint8Array): number {
    const at = this.#begin(db, key.length, DELETE_HEADER_BYTES + key.length);
    this.#bytes[at] = DELETE;
    copyBytes(key, 0, key.length, this.#bytes, at + DELETE_HEADER_BYTES);
    return at + DELETE_HEADER_BYTES;
  }

  #beginPut(db: DatabaseNumber, keyBytes: number, valueBytes: number): number {
    // Millions of entries pass here, so the message of an assertion is made only when it fails.
    if (valueBytes > VALUE_BYTES_MAX) {
      throw new AssertionError(`a value of ${valueBytes} bytes is too long`);
    }
    const at = this.#begin(db, keyBytes, putBytes(keyBytes, valueBytes));
    this.#bytes[at] = PUT;
    this.#view.setUint32(at + 4, valueBytes, true);
    return at + PUT_HEADER_BYTES;
  }

  #begin(db: DatabaseNumber, keyBytes: number, bytes: number): number {
    if (KNOWN_DATABASES[db] !== 1) throw new AssertionError(`database ${db} does not exist`);
    if (keyBytes === 0 || keyBytes > KEY_BYTES_MAX) {
      throw new AssertionError(`a key has 1 to ${KEY_BYTES_MAX} bytes, this one ${keyBytes}`);
    }
    const at = this.#end;
    if (at + bytes > this.#bytes.length) this.#grow(at + bytes);
    this.#end = at + bytes;
    this.#count++;
    this.#bytes[at + 1] = db;
    this.#view.setUint16(at + 2, keyBytes, true);
    return at;
  }

  #grow(bytesMin: number): void {
    const grown = new Uint8Array(Math.max(bytesMin, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#end));
    this.#replaced.push(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }

  /** Frees the memory of buffers that were replaced. Call this once no view of them is in use. */
  releaseReplaced(): void {
    for (const bytes of this.#replaced) releaseMemory(bytes);
    this.#replaced = [];
  }
}

/** Where an operation lies in its payload; `valueStart` is -1 for a delete. */
export type OperationPlaceVisitor = (
  db: DatabaseNumber,
  keyStart: number,
  keyEnd: number,
  valueStart: number,
  valueEnd: number,
) => void;

/**
 * Visits the operations of a payload by their places, so that nothing is allocated for them. An
 * assertion fails when the bytes are not a payload, because the log has already verified them.
 */
export function readPlaces(payload: Uint8Array, visit: OperationPlaceVisitor): void {
  const { length } = payload;
  let at = 0;
  while (at < length) {
    assert(at + DELETE_HEADER_BYTES <= length, 'a batch ends within an operation');
    const kind = payload[at]!;
    const db = payload[at + 1]!;
    const keyLength = payload[at + 2]! | (payload[at + 3]! << 8);
    if (kind > PUT || !isDatabaseNumber(db)) {
      throw new AssertionError(`a batch has operation ${kind} on database ${db}`);
    }
    const isPut = kind === PUT;
    const keyStart = at + (isPut ? PUT_HEADER_BYTES : DELETE_HEADER_BYTES);
    const keyEnd = keyStart + keyLength;
    assert(keyStart <= length, 'a batch ends within an operation');
    at = isPut ? keyEnd + u32(payload, keyStart - 4) : keyEnd;
    assert(at <= length, 'a batch ends within an operation');
    visit(db, keyStart, keyEnd, isPut ? keyEnd : -1, at);
  }
}

/**
 * Whether a payload has an operation on one of the databases whose numbers are 1 in `wanted`. It
 * takes a fraction of the time of a visit to each operation.
 */
export function hasOperationOn(wanted: Uint8Array, payload: Uint8Array): boolean {
  for (let at = 0; at < payload.length;) {
    if (wanted[payload[at + 1]!] === 1) return true;
    const keyLength = u16(payload, at + 2);
    at +=
      payload[at] === PUT
        ? PUT_HEADER_BYTES + keyLength + u32(payload, at + 4)
        : DELETE_HEADER_BYTES + keyLength;
  }
  return false;
}

/** As `OperationPlaceVisitor`, for operations on one database. */
export type PlaceVisitor = (
  keyStart: number,
  keyEnd: number,
  valueStart: number,
  valueEnd: number,
) => void;

/** Visits the operations on one database in the first `length` bytes: a payload of this process. */
export function readPlacesOf(
  db: DatabaseNumber,
  bytes: Uint8Array,
  length: number,
  visit: PlaceVisitor,
): void {
  for (let at = 0; at < length;) {
    const isPut = bytes[at] === PUT;
    const isWanted = bytes[at + 1] === db;
    const keyStart = at + (isPut ? PUT_HEADER_BYTES : DELETE_HEADER_BYTES);
    const keyEnd = keyStart + (bytes[at + 2]! | (bytes[at + 3]! << 8));
    at = isPut ? keyEnd + u32(bytes, keyStart - 4) : keyEnd;
    if (isWanted) visit(keyStart, keyEnd, isPut ? keyEnd : -1, at);
  }
}

/**
 * Called with each operation in order; `value` is undefined for a delete. Both are views of the
 * payload.
 */
export type OperationVisitor = (
  db: DatabaseNumber,
  key: Uint8Array,
  value: Uint8Array | undefined,
) => void;

/** Reads a payload; the visitor gets views for each operation. */
export function readBatch(payload: Uint8Array, visit: OperationVisitor): void {
  readPlaces(payload, (db, keyStart, keyEnd, valueStart, valueEnd) => {
    visit(
      db,
      payload.subarray(keyStart, keyEnd),
      valueStart < 0 ? undefined : payload.subarray(valueStart, valueEnd),
    );
  });
}

function isDatabaseNumber(n: number): n is DatabaseNumber {
  return KNOWN_DATABASES[n] === 1;
}

/**
 * One buffer for keys, with one view for each length. It may be used again after each `put`,
 * because lmdb-js has copied the key when `put` returns.
 */
export class KeyScratch {
  readonly #bytes = new Uint8Array(KEY_BYTES_MAX);
  readonly #views: Uint8Array[] = [];

  copy(from: Uint8Array, start: number, end: number): Uint8Array {
    const length = end - start;
    for (let i = 0; i < length; i++) this.#bytes[i] = from[start + i]!;
    return (this.#views[length] ??= this.#bytes.subarray(0, length));
  }
}
