import type { Database, GetOptions } from 'lmdb';
import type { ValueForm } from './value-seal.ts';

/** Its name cannot clash with one of `DATABASES`. */
export const SEALS_DATABASE = 'seals';

type SealsDatabase = Database<Uint8Array, Uint8Array>;

/** In the database `seals`: how the values of the environment are stored, one byte. */
const FORM_KEY = Uint8Array.of(0);
const FORMS: readonly ValueForm[] = ['plain', 'checked', 'sealed'];
const KEY_BYTES = 4;
const KEY_END = Uint8Array.of(255, 255, 255, 255, 255);

/**
 * How the values of an environment are stored, as it says itself; undefined when it says nothing,
 * which is plain.
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

  constructor(seals: SealsDatabase) {
    this.#seals = seals;
  }

  read(number: number, options?: GetOptions): Uint8Array | undefined {
    if (number > 2 ** 32 - 1) return undefined;
    const salt = this.#seals.get(keyOf(number), options);
    return salt === undefined ? undefined : Uint8Array.from(salt);
  }

  /** In the transaction that is under way; `isAtOnce` where it is a synchronous one. */
  write(number: number, salt: Uint8Array, isAtOnce: boolean): void {
    if (isAtOnce) this.#seals.putSync(keyOf(number), salt);
    else void this.#seals.put(keyOf(number), salt);
  }

  /** The greatest number; 0 when there is none. */
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
 * Before the key of an environment whose values are sealed, in base64url; that of LMDB's encryption
 * has none of these characters.
 */
const SEALED_PREFIX = 'values:';

/** As it is handed to whoever opens the environment. */
export function sealedKeyText(rootKey: Buffer): string {
  return SEALED_PREFIX + rootKey.toString('base64url');
}

/** Undefined when it is of an environment that LMDB encrypts. */
export function sealedRootKey(text: string): Uint8Array | undefined {
  if (!text.startsWith(SEALED_PREFIX)) return undefined;
  return Buffer.from(text.slice(SEALED_PREFIX.length), 'base64url');
}
