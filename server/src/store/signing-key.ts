import { hkdfSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '#base/problem.ts';
import { createFileDurably } from '#log/durable-file.ts';
import { readStoreKeys, type StoreKeys, type StoreKeysOptions } from './master-key.ts';
import { SALT_BYTES, sealPiece, TAG_BYTES, unsealPiece } from './piece-cipher.ts';

/**
 * A file in the storage folder with mode 0600. It holds the key that signs tokens when
 * `MSK_JWT_KEY` is not set, so that sessions survive a restart (open-shapes, section 1). With this
 * key anybody can sign in as any user, so in an encrypted store it is sealed with the keys of the
 * store.
 */
export const SIGNING_KEY_FILE = 'jwt.key';
/** The prefix of a sealed key, which follows in base64. A key that is not sealed has no ":". */
const SEALED = 'sealed:';
const KEY_BYTES = 48;

/**
 * The signing key of the store. Makes one when there is none. Seals a key that is not sealed yet in
 * an encrypted store.
 */
export async function keepSigningKey(options: StoreKeysOptions): Promise<string> {
  const text = await readText(options.storage);
  const keys = readStoreKeys(options);
  const key = text === undefined ? randomBytes(KEY_BYTES).toString('base64url') : open(text, keys);
  const isSealed = text?.startsWith(SEALED) === true;
  if (text === undefined || isSealed !== (keys.logKey !== undefined)) {
    await writeSigningKey(options.storage, keys, key);
  }
  return key;
}

/**
 * The signing key; undefined when there is none. Throws `storage_corrupt` when the keys of the
 * store do not open it.
 */
export async function readSigningKey(options: StoreKeysOptions): Promise<string | undefined> {
  const text = await readText(options.storage);
  return text === undefined ? undefined : open(text, readStoreKeys(options));
}

/** Writes the signing key in the form that a store with these keys uses. */
export async function writeSigningKey(
  folder: string,
  { logKey }: Pick<StoreKeys, 'logKey'>,
  key: string,
): Promise<void> {
  const text = logKey === undefined ? key : seal(key, logKey);
  await createFileDurably(folder, SIGNING_KEY_FILE, Buffer.from(`${text}\n`));
}

async function readText(storage: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(storage, SIGNING_KEY_FILE), 'utf8');
    return text.trim() === '' ? undefined : text.trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function seal(key: string, logKey: Uint8Array): string {
  const sealed = sealPiece(secretOf(logKey), SIGNING_KEY_FILE, [Buffer.from(key)]);
  return `${SEALED}${Buffer.concat(sealed).toString('base64')}`;
}

function open(text: string, { logKey }: Pick<StoreKeys, 'logKey'>): string {
  if (!text.startsWith(SEALED)) return text;
  const sealed = Buffer.from(text.slice(SEALED.length), 'base64');
  const bytes = sealed.subarray(SALT_BYTES, -TAG_BYTES);
  const parts = {
    salt: sealed.subarray(0, SALT_BYTES),
    bytes,
    tag: sealed.subarray(-TAG_BYTES),
  };
  try {
    if (logKey === undefined) throw new Error('the store is not encrypted');
    unsealPiece(secretOf(logKey), SIGNING_KEY_FILE, parts);
    return bytes.toString();
  } catch (cause) {
    throw new Problem('storage_corrupt', `${SIGNING_KEY_FILE} cannot be opened`, {
      cause,
      hint: `Put the file back from a copy, or remove it: then everybody has to sign in again, and API tokens are void.`,
    });
  }
}

function secretOf(logKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', logKey, '', 'trellis signing key', KEY_BYTES));
}
