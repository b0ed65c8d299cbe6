import type { Database, GetOptions } from 'lmdb';
import { must } from '#base/assert.ts';
import { numberOf, type TransactionWrites } from './transaction-writes.ts';
import type { ValueForm } from './value-seal.ts';

/** The database of the salts. Its name cannot clash with one of `DATABASES`. */
export const SEALS_DATABASE = 'seals';

type SealsDatabase = Database<Uint8Array, Uint8Array>;

/**
 * The key in the database `seals` under which one byte says how the values of the environment are
 * stored.
 */
const FORM_KEY = Uint8Array.of(0);
const FORMS: readonly ValueForm[] = ['plain', 'checked', 'sealed'];
const KEY_BYTES = 4;
const KEY_END = Uint8Array.of(255, 255, 255, 255, 255);

/**
 * How the values of an environment are stored, according to the environment itself; undefined when
 * it does not say, which means plain.
 */
export function readForm(seals: SealsDatabase | undefined): ValueForm | undefined {
  const record = seals?.get(FORM_KEY);
  return record === undefined ? undefined : FORMS[record[0]!];
}

export function writeForm(seals: SealsDatabase, form: ValueForm): void {
  seals.putSync(FORM_KEY, Uint8Array.of(FORMS.indexOf(form)));
}

/**
 * The salts of an environment by their numbers, from 1 on: u32, big-endian -> salt. They are no
 * secret.
 */
export class SealSalts {
  readonly #seals: SealsDatabase;
  readonly #writes: TransactionWrites | undefined;

  constructor(seals: SealsDatabase, writes: TransactionWrites | undefined) {
    this.#seals = seals;
    this.#writes = writes;
  }

  read(number: number, options?: GetOptions): Uint8Array | undefined {
    if (number > 2 ** 32 - 1) return undefined;
    const salt = this.#seals.get(keyOf(number), options);
    return salt === undefined ? undefined : Uint8Array.from(salt);
  }

  /** Writes a salt in the present transaction. `isAtOnce` is true in a synchronous transaction. */
  write(number: number, salt: Uint8Array, isAtOnce: boolean): void {
    const key = keyOf(number);
    if (isAtOnce) {
      this.#seals.putSync(key, salt);
      return;
    }
    const writes = must(this.#writes, 'an environment that is open for writing');
    writes.room(salt.length).set(salt, writes.roomAt);
    writes.put(numberOf(this.#seals), key, 0, key.length, salt.length);
  }

  /** The highest number of a salt; 0 when there is none. */
  last(): number {
    const range = { start: KEY_END, end: FORM_KEY, reverse: true, limit: 1 };
    for (const key of this.#seals.getKeys(range)) {
      return key.length === KEY_BYTES ? Buffer.from(key).readUInt32BE() : 0;
    }
    return 0;
  }
}

function keyOf(number: number): Uint8Array {
  const key = Buffer.alloc(KEY_BYTES);
  key.writeUInt32BE(number);
  return key;
}

/**
 * The prefix of the key of an environment whose values are sealed, before base64url. A key of
 * LMDB's own encryption never begins with it.
 */
const SEALED_PREFIX = 'values:';

/** The key as text, in the form that `openEnvironment` takes. */
export function sealedKeyText(rootKey: Buffer): string {
  return SEALED_PREFIX + rootKey.toString('base64url');
}

/**
 * The key from its text; undefined when the text is the key of an environment that LMDB encrypts.
 */
export function sealedRootKey(text: string): Uint8Array | undefined {
  if (!text.startsWith(SEALED_PREFIX)) return undefined;
  return Buffer.from(text.slice(SEALED_PREFIX.length), 'base64url');
}
