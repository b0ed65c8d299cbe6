import { hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { KEY_BYTES_MIN } from '#base/sign-in-limits.ts';
import { hashRawSync } from '@node-rs/argon2';
import { sealedKeyText } from './seal-salts.ts';
import { SEAL_KEY_BYTES } from './sealed-values.ts';
import { syncFolder } from './sync-folder.ts';
import type { ValueForm } from './value-seal.ts';

/**
 * The file `<storage>/store.json`. It says what the folder is, and how its keys are derived from
 * the master key (MSK_GRAPH_MASTER_KEY). It holds no secret: only a random salt, and a value
 * derived like the keys, which detects a wrong master key at once.
 */
export interface StoreFile {
  /**
   * From format 3 on, each value has a check or a seal. Format 2 stretches the master key; format 1
   * does not. Format 4 is format 3 with databases in two trees: see `TieredStore`.
   */
  readonly format: 1 | 2 | typeof STORE_FORMAT | typeof TIERED_FORMAT;
  /** Absent in formats 1 and 2, whose values are plain. */
  readonly values?: ValueForm;
  readonly encrypted: boolean;
  /** 32 hexadecimal digits. */
  readonly salt: string;
  /** 32 hexadecimal digits; null when not encrypted. */
  readonly keyCheck: string | null;
  /**
   * Null when not encrypted, and in format 1. "none" in a later format when the master key is not
   * stretched, because the store was rewritten with its old key.
   */
  readonly keyStretching: KeyStretching | typeof NOT_STRETCHED | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/**
 * The keys that are derived from the master key. All are undefined when the store is not encrypted.
 */
export interface StoreKeys {
  readonly values: ValueForm;
  /**
   * The key of the graph: see `seal-salts.ts`. In formats 1 and 2 it is LMDB's key: 192 bits in 32
   * characters of a 64-letter alphabet.
   */
  readonly environmentKey: string | undefined;
  /**
   * The key of the vault. From format 3 on it differs from the key of the graph, so that code that
   * reads the graph cannot read the vault.
   */
  readonly vaultKey: string | undefined;
  /** The key of the log: 32 bytes. */
  readonly logKey: Uint8Array | undefined;
}

/** Of new stores. */
const STORE_FORMAT = 3;
/** Of large stores: the newest format. */
const TIERED_FORMAT = 4;
const NOT_STRETCHED = 'none';
export const STORE_FILE = 'store.json';
const SALT_BYTES = 16;
const KEY_CHECK_BYTES = 16;
const PAGE_KEY_BYTES = 24;
const LOG_KEY_BYTES = 32;
/**
 * No version has accepted a shorter master key. For new stores there is a stricter check, made
 * earlier: `KEY_BYTES_MIN`.
 */
export const MASTER_KEY_CHARACTERS_MIN = 16;

export interface StoreKeysOptions {
  readonly storage: string;
  readonly masterKey?: string | undefined;
}

/**
 * Reads the keys of a store, and makes a new store in a folder that has none. When it throws,
 * nothing was changed.
 */
export function openStoreKeys(options: StoreKeysOptions & { readonly clock: Clock }): StoreKeys {
  const { storage, masterKey, clock } = options;
  checkLength(masterKey);
  if (existsSync(join(storage, STORE_FILE))) return readStoreKeys(options);
  if (existsSync(join(storage, 'graph')) || existsSync(join(storage, 'vault'))) {
    throw unknownFormat(storage, `${STORE_FILE} is missing`);
  }
  const salt = randomBytes(SALT_BYTES);
  const isEncrypted = masterKey !== undefined;
  const secret = isEncrypted ? stretchedKey(masterKey, salt, KEY_STRETCHING) : undefined;
  writeStoreFile(storage, {
    format: STORE_FORMAT,
    values: isEncrypted ? 'sealed' : 'checked',
    encrypted: isEncrypted,
    salt: salt.toString('hex'),
    keyCheck: secret === undefined ? null : keyCheckOf(secret, salt).toString('hex'),
    keyStretching: isEncrypted ? KEY_STRETCHING : null,
    createdAt: new Date(clock.now()).toISOString(),
  });
  return deriveKeys(secret, salt, isEncrypted ? 'sealed' : 'checked');
}

/**
 * Reads the keys of a store that exists. Throws the problems `wrong_master_key`,
 * `missing_master_key`, `store_not_encrypted` and `store_format_unknown`.
 */
export function readStoreKeys({ storage, masterKey }: StoreKeysOptions): StoreKeys {
  checkLength(masterKey);
  return keysOf(readStoreFile(storage), { storage, masterKey });
}

/**
 * Writes the file of a store with the same keys and the format of new ones into another folder.
 * Returns the keys of that store. Throws as `readStoreKeys` does.
 */
export function renewStoreFile(options: StoreKeysOptions, folder: string): StoreKeys {
  const { values: _former, ...file } = readStoreFile(options.storage);
  const renewed: StoreFile = {
    ...file,
    format: STORE_FORMAT,
    values: file.encrypted ? 'sealed' : 'checked',
    keyStretching: file.encrypted ? (file.keyStretching ?? NOT_STRETCHED) : null,
  };
  const keys = keysOf(renewed, options);
  writeStoreFile(folder, renewed);
  return keys;
}

/**
 * Writes into the file of a store that its databases are in two trees, so that an older version
 * refuses it.
 */
export function noteTiers(storage: string): void {
  const file = readStoreFile(storage);
  if (file.format === STORE_FORMAT) writeStoreFile(storage, { ...file, format: TIERED_FORMAT });
}

function keysOf(file: StoreFile, { storage, masterKey }: StoreKeysOptions): StoreKeys {
  const salt = Buffer.from(file.salt, 'hex');
  const values = file.values ?? 'plain';
  if (file.keyCheck === null) {
    if (masterKey === undefined) return deriveKeys(undefined, salt, values);
    throw new Problem('store_not_encrypted', `the store in ${storage} is not encrypted`, {
      hint: 'Start without MSK_GRAPH_MASTER_KEY, or restore a backup into an empty folder with it.',
    });
  }
  if (masterKey === undefined) {
    throw new Problem('missing_master_key', `the store in ${storage} is encrypted`, {
      hint: 'Set MSK_GRAPH_MASTER_KEY to the key with which the store was first started.',
    });
  }
  const { keyStretching } = file;
  const secret = stretchedKey(
    masterKey,
    salt,
    keyStretching === NOT_STRETCHED ? null : keyStretching,
  );
  if (!timingSafeEqual(keyCheckOf(secret, salt), Buffer.from(file.keyCheck, 'hex'))) {
    throw new Problem('wrong_master_key', `the master key does not open the store in ${storage}`, {
      hint: 'Set MSK_GRAPH_MASTER_KEY to the key with which the store was first started.',
    });
  }
  return deriveKeys(secret, salt, values);
}

/** The stretched key; for older stores the master key itself. */
type Secret = string | Uint8Array;

/** Why a store should be rewritten: see `olderStore`. */
export interface OlderStore {
  /**
   * Its values are plain. If the store is encrypted, copies of its files can reveal text; if not, a
   * flipped bit is not detected.
   */
  readonly isOfOlderFormat: boolean;
  readonly isEncrypted: boolean;
  /** It is encrypted with a master key that is not stretched. */
  readonly isOfOlderKey: boolean;
}

/**
 * Reads why a store should be rewritten. Undefined when there is no store, or when it cannot be
 * read; opening it then says why.
 */
export function olderStore(storage: string): OlderStore | undefined {
  try {
    const { encrypted, keyStretching, values } = readStoreFile(storage);
    return {
      isOfOlderFormat: values === undefined,
      isEncrypted: encrypted,
      isOfOlderKey: encrypted && (keyStretching === null || keyStretching === NOT_STRETCHED),
    };
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function deriveKeys(secret: Secret | undefined, salt: Uint8Array, values: ValueForm): StoreKeys {
  if (secret === undefined) {
    return { values, environmentKey: undefined, vaultKey: undefined, logKey: undefined };
  }
  const logKey = derive(secret, salt, 'log', LOG_KEY_BYTES);
  if (values === 'sealed') {
    const keyOf = (purpose: string): string =>
      sealedKeyText(derive(secret, salt, purpose, SEAL_KEY_BYTES));
    return {
      values,
      environmentKey: keyOf('values of graph'),
      vaultKey: keyOf('values of vault'),
      logKey,
    };
  }
  const pageKey = derive(secret, salt, 'environment', PAGE_KEY_BYTES).toString('base64url');
  return { values, environmentKey: pageKey, vaultKey: pageKey, logKey };
}

/** Every member derives the same one, so its salt is the same everywhere; each log has another. */
const SHARED_SALT = Buffer.from('trellis log 0001');

/** The key of a log that several stores have in common: 32 bytes. */
export function sharedLogKey(masterKey: string): Uint8Array {
  checkLength(masterKey);
  const secret = stretchedKey(masterKey, SHARED_SALT, KEY_STRETCHING);
  return derive(secret, SHARED_SALT, 'shared log', LOG_KEY_BYTES);
}

function keyCheckOf(secret: Secret, salt: Uint8Array): Buffer {
  return derive(secret, salt, 'check', KEY_CHECK_BYTES);
}

function derive(secret: Secret, salt: Uint8Array, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, `trellis store ${purpose}`, bytes));
}

function checkLength(masterKey: string | undefined): void {
  if (masterKey === undefined || masterKey.length >= MASTER_KEY_CHARACTERS_MIN) return;
  throw new Problem('wrong_master_key', 'the master key is too short', {
    hint: `Set MSK_GRAPH_MASTER_KEY to the key with which the store was first started; for a new one, to a random one of ${KEY_BYTES_MIN} bytes or more: openssl rand -base64 32`,
  });
}

function readStoreFile(storage: string): StoreFile {
  let file: Partial<StoreFile>;
  try {
    file = JSON.parse(readFileSync(join(storage, STORE_FILE), 'utf8'));
  } catch (cause) {
    throw unknownFormat(storage, `${STORE_FILE} cannot be read`, cause);
  }
  const { format, encrypted, salt, keyCheck, createdAt } = file;
  if (typeof format === 'number' && format > TIERED_FORMAT) {
    throw unknownFormat(
      storage,
      `a newer version wrote it (its format is ${String(format)}, this one knows ${TIERED_FORMAT})`,
    );
  }
  if (format !== TIERED_FORMAT && format !== STORE_FORMAT && format !== 2 && format !== 1) {
    throw unknownFormat(storage, `its format is ${JSON.stringify(format)}, not ${STORE_FORMAT}`);
  }
  const isEncrypted = encrypted === true && isHex(keyCheck, KEY_CHECK_BYTES);
  const isPlain = encrypted === false && keyCheck === null;
  const isKnown =
    isHex(salt, SALT_BYTES) &&
    (isEncrypted || isPlain) &&
    typeof createdAt === 'string' &&
    hasStretchingOf(format, isEncrypted, file.keyStretching) &&
    (format < STORE_FORMAT || file.values === (isEncrypted ? 'sealed' : 'checked'));
  if (!isKnown) throw unknownFormat(storage, `${STORE_FILE} is damaged`);
  return {
    format,
    ...(format < STORE_FORMAT ? {} : { values: isEncrypted ? 'sealed' : 'checked' }),
    encrypted: isEncrypted,
    salt,
    keyCheck: isEncrypted ? keyCheck : null,
    keyStretching: isEncrypted ? (file.keyStretching ?? null) : null,
    createdAt,
  };
}

function hasStretchingOf(format: number, isEncrypted: boolean, stretching: unknown): boolean {
  if (!isEncrypted) return true;
  if (format === 1) return !isKeyStretching(stretching);
  return isKeyStretching(stretching) || (format > 2 && stretching === NOT_STRETCHED);
}

function isHex(value: unknown, bytes: number): value is string {
  return typeof value === 'string' && value.length === bytes * 2 && /^[0-9a-f]*$/.test(value);
}

function unknownFormat(storage: string, why: string, cause?: unknown): Problem {
  return new Problem('store_format_unknown', `the folder ${storage} cannot be opened: ${why}`, {
    hint: 'Start the version that wrote the folder, or restore store.json from a backup.',
    cause,
  });
}

/**
 * Writes the file as a whole or not at all, also when the power fails: it is written under another
 * name, synced and renamed, and the rename is synced.
 */
function writeStoreFile(storage: string, file: StoreFile): void {
  mkdirSync(storage, { recursive: true });
  const aside = join(storage, `${STORE_FILE}.new`);
  const handle = openSync(aside, 'w', 0o600);
  writeSync(handle, `${JSON.stringify(file, undefined, 2)}\n`);
  fsyncSync(handle);
  closeSync(handle);
  renameSync(aside, join(storage, STORE_FILE));
  syncFolder(storage);
}

/**
 * How a master key was stretched. It is stored unencrypted beside the salt, since opening the store
 * must do the same.
 */
export interface KeyStretching {
  readonly algorithm: 'argon2id';
  readonly memoryKib: number;
  readonly passes: number;
}

/**
 * The second recommended option of RFC 9106, section 4, in one lane: about 0.15 s and 64 MiB for
 * each guess.
 */
export const KEY_STRETCHING: KeyStretching = {
  algorithm: 'argon2id',
  memoryKib: 65_536,
  passes: 3,
};

/**
 * The most that a file may ask for. Otherwise somebody who can write the file could make a start
 * take an hour or all memory.
 */
export const STRETCHING_MEMORY_KIB_MAX = 1_048_576;
export const STRETCHING_PASSES_MAX = 16;

/** The library's enum does not exist at run time. */
const ARGON2ID = 2;
const STRETCHED_BYTES = 32;

/**
 * How many stretched keys are kept: a thread opens the same store several times, with the same
 * result.
 */
const KEPT_MAX = 4;
const kept = new Map<string, Uint8Array>();

/**
 * The secret from which keys are derived: the master key itself for stores of older versions, else
 * 32 bytes that take long to compute.
 */
export function stretchedKey(
  masterKey: string,
  salt: Uint8Array,
  stretching: KeyStretching | null,
): string | Uint8Array {
  if (stretching === null) return masterKey;
  const { memoryKib, passes } = stretching;
  const name = JSON.stringify([masterKey, Buffer.from(salt).toString('hex'), memoryKib, passes]);
  const known = kept.get(name);
  if (known !== undefined) return known;
  const stretched = hashRawSync(masterKey, {
    algorithm: ARGON2ID,
    memoryCost: memoryKib,
    timeCost: passes,
    parallelism: 1,
    outputLen: STRETCHED_BYTES,
    salt,
  });
  for (const oldest of kept.keys()) {
    if (kept.size < KEPT_MAX) break;
    kept.delete(oldest);
  }
  kept.set(name, stretched);
  return stretched;
}

export function isKeyStretching(value: unknown): value is KeyStretching {
  if (typeof value !== 'object' || value === null) return false;
  const { algorithm, memoryKib, passes } = value as Partial<Record<keyof KeyStretching, unknown>>;
  return (
    algorithm === 'argon2id' &&
    isCount(memoryKib, 8, STRETCHING_MEMORY_KIB_MAX) &&
    isCount(passes, 1, STRETCHING_PASSES_MAX)
  );
}

function isCount(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}
