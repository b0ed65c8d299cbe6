import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { GetOptions } from 'lmdb';
import { KEY_BYTES_MAX } from './batch.ts';
import { DATABASES } from './databases.ts';
import { OpenedValues, type SealedPlace } from './opened-values.ts';
import type { SealSalts } from './seal-salts.ts';
import { ValueArena } from './value-arena.ts';
import { valueDamaged, type ValueSeal } from './value-seal.ts';

/**
 * A value that is sealed is
 *
 * number of its salt | counter | AES-256-GCM of the value, with database number and key as
 * associated data | tag (16)
 *
 * Both numbers are varints (seven bits a byte, the lowest first). Whoever opens an environment for
 * writing draws a salt, from which a key of its own follows, and counts what it seals with it: the
 * counter is the nonce, and none comes twice under one key.
 *
 * Where the database is of keys alone an empty value is stored empty: a tag would double what an
 * edge takes, and tell nothing more about an entry that is missing, or an older one that is back,
 * which nobody can tell by looking at one entry.
 */
const CIPHER = 'aes-256-gcm';
export const SEAL_KEY_BYTES = 32;
export const SEAL_SALT_BYTES = 16;
export const SEAL_TAG_BYTES = 16;
const NONCE_BYTES = 12;
/** The last bytes of the nonce: no environment is open for long enough to seal 2^48 values. */
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
  /** In memory that no script sees. */
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
  /** Where the number that was read last ends. */
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

  open(db: number, key: Uint8Array, stored: Uint8Array, options?: GetOptions): Uint8Array {
    if (stored.length === 0 && OF_KEYS.has(db)) return EMPTY;
    return this.#decipher(this.#readPlace(db, key, stored), options);
  }

  openOften(db: number, key: Uint8Array, stored: Uint8Array, options?: GetOptions): Uint8Array {
    if (stored.length === 0 && OF_KEYS.has(db)) return EMPTY;
    const place = this.#readPlace(db, key, stored);
    const known = this.#opened.find(place);
    if (known !== undefined) return known;
    // Else the salt is read first, into the place of what is stored.
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

  /** Every transaction that was begun before has put down the salt. */
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
      // LMDB's next read takes the place of this one.
      const ownPlace = { ...place, key: Uint8Array.from(key), stored: Uint8Array.from(stored) };
      const salt = this.#salts.read(number, options);
      // Whoever visits the entry still has to read it there.
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
    // As every other form answers: `slice` of a Buffer is no copy.
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

  /** NaN where there is none. */
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
