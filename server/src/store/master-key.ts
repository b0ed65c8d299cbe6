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
import {
  isKeyStretching,
  KEY_STRETCHING,
  stretchedKey,
  type KeyStretching,
} from './stretched-key.ts';
import { syncFolder } from './sync-folder.ts';

/**
 * The file `<storage>/store.json`: what the folder is, and how its keys follow from the master key (MSK_GRAPH_MASTER_KEY).
 * It holds no secret: a random salt, and a value derived like the keys by which a wrong master key is told at once.
 */
export interface StoreFile {
  /** 2 where the master key is stretched. */
  readonly format: typeof STORE_FORMAT_PLAIN | typeof STORE_FORMAT;
  readonly encrypted: boolean;
  /** 32 hexadecimal digits. */
  readonly salt: string;
  /** 32 hexadecimal digits; null when not encrypted. */
  readonly keyCheck: string | null;
  /** Null when not encrypted, and in what was written before master keys were stretched. */
  readonly keyStretching: KeyStretching | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** Derived from the master key; both undefined when the store is not encrypted. */
export interface StoreKeys {
  /** For LMDB: 192 bits in 32 characters of a 64-letter alphabet. */
  readonly environmentKey: string | undefined;
  /** For the log: 32 bytes. */
  readonly logKey: Uint8Array | undefined;
}

/** The newest format. A store that is not encrypted says the one before, which older versions open as well. */
const STORE_FORMAT = 2;
const STORE_FORMAT_PLAIN = 1;
export const STORE_FILE = 'store.json';
const SALT_BYTES = 16;
const KEY_CHECK_BYTES = 16;
const ENVIRONMENT_KEY_BYTES = 24;
const LOG_KEY_BYTES = 32;
export const MASTER_KEY_CHARACTERS_MIN = 16;

export interface StoreKeysOptions {
  readonly storage: string;
  readonly masterKey?: string | undefined;
}

/** Reads the keys of a store; makes a new store in a folder that has none. Throws before anything is touched. */
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
    format: isEncrypted ? STORE_FORMAT : STORE_FORMAT_PLAIN,
    encrypted: isEncrypted,
    salt: salt.toString('hex'),
    keyCheck: secret === undefined ? null : keyCheckOf(secret, salt).toString('hex'),
    keyStretching: isEncrypted ? KEY_STRETCHING : null,
    createdAt: new Date(clock.now()).toISOString(),
  });
  return deriveKeys(secret, salt);
}

/**
 * Reads the keys of a store that exists. Throws the problems `wrong_master_key`, `missing_master_key`, `store_not_encrypted`
 * and `store_format_unknown`.
 */
export function readStoreKeys({ storage, masterKey }: StoreKeysOptions): StoreKeys {
  checkLength(masterKey);
  const file = readStoreFile(storage);
  const salt = Buffer.from(file.salt, 'hex');
  if (file.keyCheck === null) {
    if (masterKey === undefined) return deriveKeys(undefined, salt);
    throw new Problem('store_not_encrypted', `the store in ${storage} is not encrypted`, {
      hint: 'Start without MSK_GRAPH_MASTER_KEY, or restore a backup into an empty folder with it.',
    });
  }
  if (masterKey === undefined) {
    throw new Problem('missing_master_key', `the store in ${storage} is encrypted`, {
      hint: 'Set MSK_GRAPH_MASTER_KEY to the key with which the store was first started.',
    });
  }
  const secret = stretchedKey(masterKey, salt, file.keyStretching);
  if (!timingSafeEqual(keyCheckOf(secret, salt), Buffer.from(file.keyCheck, 'hex'))) {
    throw new Problem('wrong_master_key', `the master key does not open the store in ${storage}`, {
      hint: 'Set MSK_GRAPH_MASTER_KEY to the key with which the store was first started.',
    });
  }
  return deriveKeys(secret, salt);
}

/** What was stretched, and the master key itself of older stores. */
type Secret = string | Uint8Array;

/** Whether there is a store, encrypted with a master key that was not stretched. Throws nothing: opening it tells more. */
export function isOfOlderKey(storage: string): boolean {
  try {
    const { encrypted, keyStretching } = readStoreFile(storage);
    return encrypted && keyStretching === null;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

function deriveKeys(secret: Secret | undefined, salt: Uint8Array): StoreKeys {
  if (secret === undefined) return { environmentKey: undefined, logKey: undefined };
  return {
    environmentKey: derive(secret, salt, 'environment', ENVIRONMENT_KEY_BYTES).toString(
      'base64url',
    ),
    logKey: derive(secret, salt, 'log', LOG_KEY_BYTES),
  };
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
    hint: `MSK_GRAPH_MASTER_KEY has at least ${MASTER_KEY_CHARACTERS_MIN} characters.`,
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
  if (typeof format === 'number' && format > STORE_FORMAT) {
    throw unknownFormat(
      storage,
      `a newer version wrote it (its format is ${String(format)}, this one knows ${STORE_FORMAT})`,
    );
  }
  if (format !== STORE_FORMAT && format !== STORE_FORMAT_PLAIN) {
    throw unknownFormat(storage, `its format is ${JSON.stringify(format)}, not ${STORE_FORMAT}`);
  }
  const keyStretching = isKeyStretching(file.keyStretching) ? file.keyStretching : null;
  const isEncrypted =
    encrypted === true &&
    isHex(keyCheck, KEY_CHECK_BYTES) &&
    (keyStretching !== null) === (format === STORE_FORMAT);
  const isPlain = encrypted === false && keyCheck === null;
  if (!isHex(salt, SALT_BYTES) || !(isEncrypted || isPlain) || typeof createdAt !== 'string') {
    throw unknownFormat(storage, `${STORE_FILE} is damaged`);
  }
  return {
    format,
    encrypted: isEncrypted,
    salt,
    keyCheck: isEncrypted ? keyCheck : null,
    keyStretching: isEncrypted ? keyStretching : null,
    createdAt,
  };
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

/** Whole or not at all, also when the power fails: written aside, synced, renamed, and the rename synced. */
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
