import { copyBytes, u32 } from './bytes.ts';
import { ViewCache } from './codecs.ts';
import { crc32c } from './crc32c.ts';
import { ValueArena } from './value-arena.ts';
import { valueDamaged, type ValueSeal } from './value-seal.ts';

/**
 * A value that is checked is
 *
 * value | CRC-32C of database number (one byte), key and value (4 bytes, little-endian)
 *
 * also when the value is empty. Then the check detects a flipped bit in the key, for example of an
 * edge that has only a key.
 */
export const CHECK_BYTES = 4;

/** The checksum of the database number, by database number. */
const SEEDS = Array.from({ length: 256 }, (_, db) => crc32c(Uint8Array.of(db), 0, 1));

export class CheckedValues implements ValueSeal {
  readonly form = 'checked';
  readonly #views = new ViewCache();
  readonly #arena = new ValueArena();

  seal(db: number, key: Uint8Array, value: Uint8Array): Uint8Array {
    const { length } = value;
    const stored = this.#arena.take(length + CHECK_BYTES);
    stored.set(value);
    writeCheck(stored, length, checkOf(db, key, 0, key.length, stored, 0, length));
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
    const length = valueEnd - keyEnd;
    copyBytes(bytes, keyEnd, valueEnd, to, at);
    // Key and value lie behind one another, as the check covers them.
    writeCheck(to, at + length, crc32c(bytes, keyStart, valueEnd, SEEDS[db]));
    return length + CHECK_BYTES;
  }

  open(db: number, key: Uint8Array, stored: Uint8Array): Uint8Array {
    const end = checkedEnd(db, key, 0, key.length, stored, 0, stored.length);
    return this.#views.view(stored, 0, end);
  }

  openOften(db: number, key: Uint8Array, stored: Uint8Array): Uint8Array {
    return this.open(db, key, stored);
  }

  begin(): void {}

  committed(): void {}
}

/**
 * Where the value of the entry at these places ends. Throws the problem `storage_corrupt` when the
 * check does not match.
 */
export function checkedEnd(
  db: number,
  keyBytes: Uint8Array,
  keyStart: number,
  keyEnd: number,
  storedBytes: Uint8Array,
  storedStart: number,
  storedEnd: number,
): number {
  const end = storedEnd - CHECK_BYTES;
  const isRight =
    end >= storedStart &&
    checkOf(db, keyBytes, keyStart, keyEnd, storedBytes, storedStart, end) ===
      u32(storedBytes, end);
  if (!isRight) throw valueDamaged(db, keyBytes.subarray(keyStart, keyEnd));
  return end;
}

function writeCheck(bytes: Uint8Array, at: number, check: number): void {
  bytes[at] = check;
  bytes[at + 1] = check >>> 8;
  bytes[at + 2] = check >>> 16;
  bytes[at + 3] = check >>> 24;
}

function checkOf(
  db: number,
  keyBytes: Uint8Array,
  keyStart: number,
  keyEnd: number,
  valueBytes: Uint8Array,
  valueStart: number,
  valueEnd: number,
): number {
  const ofKey = crc32c(keyBytes, keyStart, keyEnd, SEEDS[db]);
  return crc32c(valueBytes, valueStart, valueEnd, ofKey);
}
