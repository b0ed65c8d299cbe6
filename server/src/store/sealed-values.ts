import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { GetOptions } from 'lmdb';
import { KEY_BYTES_MAX } from './batch.ts';
import { ViewCache } from './codecs.ts';
import { DATABASES } from './databases.ts';
import type { SealSalts } from './seal-salts.ts';
import { ValueArena } from './value-arena.ts';
import { valueDamaged, type ValueSeal } from './value-seal.ts';

/**
 * A sealed value is
 *
 * number of its salt | counter | AES-256-GCM of the value, with database number and key as
 * associated data | tag (16)
 *
 * Both numbers are varints (seven bits in each byte, the lowest first). Each opening of an
 * environment for writing draws a salt, derives a key from it, and counts the values that it seals
 * with the key. The counter is the nonce, so no nonce repeats under one key.
 *
 * In a database that has only keys, an empty value is stored empty. A tag would double the size of
 * an edge. It would not help to detect a missing entry, or an old entry that was put back, since a
 * single entry cannot show that.
 */
const CIPHER = 'aes-256-gcm';
export const SEAL_KEY_BYTES = 32;
export const SEAL_SALT_BYTES = 16;
export const SEAL_TAG_BYTES = 16;
const NONCE_BYTES = 12;
/**
 * The last bytes of the nonce are the counter. No environment is open long enough to seal 2^48
 * values.
 */
const COUNTER_BYTES = 6;
const COUNTER_MAX = 2 ** (8 * COUNTER_BYTES) - 1;
const VARINT_BYTES_MAX = 7;
const OPTIONS = { authTagLength: SEAL_TAG_BYTES } as const;
const EMPTY = new Uint8Array(0);

const OF_KEYS = new Set<number>(
  DATABASES.filter(({ isOfKeys }) => isOfKeys === true).map(({ number }) => number),
);

interface OwnSalt {
  readonly number: number;
  readonly salt: Uint8Array;
  readonly key: KeyObject;
}

interface NumberedPlace extends SealedPlace {
  /** The number of the salt. */
  readonly number: number;
}

export class SealedValues implements ValueSeal {
  readonly form = 'sealed';
  /** A KeyObject keeps the key in memory that scripts cannot read. */
  readonly #rootKey: KeyObject;
  readonly #salts: SealSalts;
  /** By the number of the salt. */
  readonly #keys: (KeyObject | undefined)[] = [];
  readonly #arena = new ValueArena();
  readonly #nonce = Buffer.alloc(NONCE_BYTES);
  readonly #place = Buffer.alloc(1 + KEY_BYTES_MAX);
  #own: OwnSalt | undefined;
  #isOwnWritten = false;
  #counter = 0;
  /** Where the last read number ends. */
  #end = 0;
  readonly #opened = new OpenedValues();

  constructor(rootKey: Uint8Array, salts: SealSalts) {
    this.#rootKey = createSecretKey(rootKey);
    this.#salts = salts;
  }

  seal(db: number, key: Uint8Array, value: Uint8Array): Uint8Array {
    if (value.length === 0 && OF_KEYS.has(db)) return EMPTY;
    const own = (this.#own ??= this.#draw());
    const counter = ++this.#counter;
    const cipher = createCipheriv(CIPHER, own.key, this.#nonceOf(counter), OPTIONS);
    cipher.setAAD(this.#placeOf(db, key));
    const hidden = cipher.update(value);
    cipher.final();
    const header = varintBytes(own.number) + varintBytes(counter);
    const stored = this.#arena.take(header + hidden.length + SEAL_TAG_BYTES);
    writeVarint(stored, writeVarint(stored, 0, own.number), counter);
    stored.set(hidden, header);
    stored.set(cipher.getAuthTag(), header + hidden.length);
    return stored;
  }

  sealInto(
    db: number,
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    valueEnd: number,
    to: Uint8Array,
    at: number,
  ): number {
    const key = bytes.subarray(keyStart, keyEnd);
    const stored = this.seal(db, key, bytes.subarray(keyEnd, valueEnd));
    to.set(stored, at);
    return stored.length;
  }

  open(db: number, key: Uint8Array, stored: Uint8Array, options?: GetOptions): Uint8Array {
    if (stored.length === 0 && OF_KEYS.has(db)) return EMPTY;
    return this.#decipher(this.#readPlace(db, key, stored), options);
  }

  openOften(db: number, key: Uint8Array, stored: Uint8Array, options?: GetOptions): Uint8Array {
    if (stored.length === 0 && OF_KEYS.has(db)) return EMPTY;
    const place = this.#readPlace(db, key, stored);
    const known = this.#opened.find(place);
    if (known !== undefined) return known;
    // Otherwise the salt must be read first, and that read overwrites the stored bytes.
    const isInPlace = this.#keys[place.number] !== undefined;
    const value = this.#decipher(place, options);
    if (isInPlace) this.#opened.keep(place, value);
    return value;
  }

  begin(isAtOnce: boolean): void {
    if (this.#isOwnWritten) return;
    const { number, salt } = (this.#own ??= this.#draw());
    this.#salts.write(number, salt, isAtOnce);
  }

  /** All transactions that began before this have stored the salt. */
  committed(): void {
    this.#isOwnWritten = true;
  }

  #readPlace(db: number, key: Uint8Array, stored: Uint8Array): NumberedPlace {
    const number = this.#readVarint(stored, 0);
    const counter = this.#readVarint(stored, this.#end);
    const start = this.#end;
    const tagAt = stored.length - SEAL_TAG_BYTES;
    const isPlace = number > 0 && counter > 0 && counter <= COUNTER_MAX && tagAt >= start;
    if (!isPlace) throw valueDamaged(db, key);
    return { db, key, stored, number, counter, start, tagAt };
  }

  #decipher(place: NumberedPlace, options?: GetOptions): Uint8Array {
    const { db, key, stored, number, counter, start, tagAt } = place;
    const known = this.#keys[number];
    if (known === undefined) {
      // LMDB's next read overwrites the bytes of this one.
      const ownPlace = { ...place, key: Uint8Array.from(key), stored: Uint8Array.from(stored) };
      const salt = this.#salts.read(number, options);
      // The visitor of the entry still reads the key at that place.
      key.set(ownPlace.key);
      if (salt === undefined) throw valueDamaged(db, ownPlace.key);
      this.#keys[number] = this.#derive(salt);
      return this.#decipher(ownPlace, options);
    }
    const decipher = createDecipheriv(CIPHER, known, this.#nonceOf(counter), OPTIONS);
    decipher.setAAD(this.#placeOf(db, key));
    decipher.setAuthTag(stored.subarray(tagAt));
    const value = decipher.update(stored.subarray(start, tagAt));
    try {
      decipher.final();
    } catch (cause) {
      throw valueDamaged(db, key, cause);
    }
    // A Uint8Array, as the other forms return: `slice` of a Buffer would not copy.
    return new Uint8Array(value.buffer, value.byteOffset, value.length);
  }

  #draw(): OwnSalt {
    const salt = randomBytes(SEAL_SALT_BYTES);
    const number = this.#salts.last() + 1;
    const key = this.#derive(salt);
    this.#keys[number] = key;
    return { number, salt, key };
  }

  #derive(salt: Uint8Array): KeyObject {
    const bytes = hkdfSync('sha256', this.#rootKey, salt, 'trellis values', SEAL_KEY_BYTES);
    return createSecretKey(Buffer.from(bytes));
  }

  #nonceOf(counter: number): Uint8Array {
    this.#nonce.writeUIntBE(counter, NONCE_BYTES - COUNTER_BYTES, COUNTER_BYTES);
    return this.#nonce;
  }

  #placeOf(db: number, key: Uint8Array): Uint8Array {
    this.#place[0] = db;
    this.#place.set(key, 1);
    return this.#place.subarray(0, 1 + key.length);
  }

  /** Reads a varint; NaN when there is none. */
  #readVarint(bytes: Uint8Array, start: number): number {
    let number = 0;
    let scale = 1;
    for (let at = start; at < bytes.length && at < start + VARINT_BYTES_MAX; at++) {
      const byte = bytes[at]!;
      number += (byte & 127) * scale;
      if (byte < 128) {
        this.#end = at + 1;
        return number;
      }
      scale *= 128;
    }
    return Number.NaN;
  }
}

function varintBytes(number: number): number {
  let bytes = 1;
  for (let rest = number; rest >= 128; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

function writeVarint(bytes: Uint8Array, start: number, number: number): number {
  let at = start;
  let rest = number;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) | 128;
  bytes[at++] = rest;
  return at;
}

/** The size of each of the two halves. Each is allocated when its first value arrives. */
export const OPENED_HALF_BYTES = 4 * 1024 * 1024;
/**
 * Longer values are not kept: to open one takes little longer than to copy it, and a few would
 * displace all others.
 */
export const OPENED_VALUE_BYTES_MAX = 16 * 1024;
/** The most entries in a half, so that half of its slots stay free. */
export const OPENED_ENTRIES_MAX = 32_768;
const SLOTS = 2 * OPENED_ENTRIES_MAX;
/** Shifting a 32-bit hash by this leaves the bits of a slot number. */
const SLOT_SHIFT = 16;
/** 2^32 divided by the golden ratio. Multiplication by it spreads consecutive counters. */
const SPREAD = 0x9e3779b1;

/** A sealed value as it is stored in the state. */
export interface SealedPlace {
  readonly db: number;
  readonly key: Uint8Array;
  readonly stored: Uint8Array;
  /** Unique among the values with one salt. */
  readonly counter: number;
  /** Where the sealed bytes begin in `stored`, after the numbers of salt and counter. */
  readonly start: number;
  /** Where its tag begins. */
  readonly tagAt: number;
}

/**
 * A cache of opened values, each with its key, its numbers and its tag, so that a value is found
 * only when all of these are the same. Values are added to one half. When it is full, the other
 * half is emptied and used next. So a value that nobody asks for in that time is dropped.
 */
export class OpenedValues {
  #young: Half | undefined;
  #old: Half | undefined;

  /** A copy of the value, valid until the next call; undefined when it is not in the cache. */
  find(place: SealedPlace): Uint8Array | undefined {
    const value = this.#young?.find(place);
    if (value !== undefined || this.#old === undefined) return value;
    const former = this.#old.find(place);
    if (former !== undefined) this.keep(place, former);
    return former;
  }

  keep(place: SealedPlace, value: Uint8Array): void {
    if (value.length > OPENED_VALUE_BYTES_MAX) return;
    this.#young ??= new Half();
    if (this.#young.add(place, value)) return;
    const emptied = this.#old ?? new Half();
    emptied.clear();
    emptied.add(place, value);
    this.#old = this.#young;
    this.#young = emptied;
  }
}

/**
 * The header of an entry: the database number, and the lengths of key (two bytes), numbers and
 * value (two bytes). Key, numbers, tag and value follow.
 */
const HEADER_BYTES = 6;

/**
 * One half of the cache. Its bytes begin with room for the copy that `find` returns; the entries
 * follow.
 */
class Half {
  readonly #bytes = new Uint8Array(OPENED_VALUE_BYTES_MAX + OPENED_HALF_BYTES);
  /** Where the entries begin; 0 for a free slot. */
  readonly #slots = new Int32Array(SLOTS);
  readonly #views = new ViewCache();
  #end = OPENED_VALUE_BYTES_MAX;
  #entries = 0;

  find(place: SealedPlace): Uint8Array | undefined {
    for (let slot = slotOf(place); ; slot = (slot + 1) % SLOTS) {
      const at = this.#slots[slot]!;
      if (at === 0) return undefined;
      const valueAt = this.#valueOf(at, place);
      if (valueAt === 0) continue;
      const length = place.tagAt - place.start;
      this.#bytes.copyWithin(0, valueAt, valueAt + length);
      return this.#views.view(this.#bytes, 0, length);
    }
  }

  /** Adds a value; returns false when the half is full. */
  add(place: SealedPlace, value: Uint8Array): boolean {
    const { db, key, stored, start, tagAt } = place;
    const bytes = this.#bytes;
    let at = this.#end;
    const end = at + HEADER_BYTES + key.length + start + stored.length - tagAt + value.length;
    if (this.#entries === OPENED_ENTRIES_MAX || end > bytes.length) return false;
    let slot = slotOf(place);
    while (this.#slots[slot] !== 0) slot = (slot + 1) % SLOTS;
    this.#slots[slot] = at;
    this.#end = end;
    this.#entries++;
    bytes[at++] = db;
    bytes[at++] = key.length;
    bytes[at++] = key.length >>> 8;
    bytes[at++] = start;
    bytes[at++] = value.length;
    bytes[at++] = value.length >>> 8;
    // They are short, so this copy is faster than making views of them.
    for (let i = 0; i < key.length; i++) bytes[at++] = key[i]!;
    for (let i = 0; i < start; i++) bytes[at++] = stored[i]!;
    for (let i = tagAt; i < stored.length; i++) bytes[at++] = stored[i]!;
    bytes.set(value, at);
    return true;
  }

  clear(): void {
    this.#slots.fill(0);
    this.#end = OPENED_VALUE_BYTES_MAX;
    this.#entries = 0;
  }

  /** Where the value of the entry begins; 0 when the entry is not for this place. */
  #valueOf(entry: number, { db, key, stored, start, tagAt }: SealedPlace): number {
    const bytes = this.#bytes;
    const length = tagAt - start;
    const isAlike =
      bytes[entry] === db &&
      bytes[entry + 1]! + bytes[entry + 2]! * 256 === key.length &&
      bytes[entry + 3] === start &&
      bytes[entry + 4]! + bytes[entry + 5]! * 256 === length;
    if (!isAlike) return 0;
    let at = entry + HEADER_BYTES;
    // Keys and numbers most often differ at their ends, so the comparison begins there.
    for (let i = start - 1; i >= 0; i--) if (bytes[at + key.length + i] !== stored[i]) return 0;
    for (let i = key.length - 1; i >= 0; i--) if (bytes[at + i] !== key[i]) return 0;
    at += key.length + start;
    for (let i = tagAt; i < stored.length; i++) if (bytes[at++] !== stored[i]) return 0;
    return at;
  }
}

function slotOf({ counter }: SealedPlace): number {
  return Math.imul(counter, SPREAD) >>> SLOT_SHIFT;
}
