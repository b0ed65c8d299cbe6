import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Problem } from '#base/problem.ts';
import {
  isKeyStretching,
  KEY_STRETCHING,
  type KeyStretching,
  stretchedKey,
} from '#store/master-key.ts';
import { backupCorrupt, unknownFormat } from './backup-problem.ts';
import type { BackupTarget } from './backup-target.ts';

/** The terms of a pool, in the clear. It is written before anything else, and never changes. */
interface PoolDescription {
  /** 2 where the master key is stretched. */
  readonly format: typeof POOL_FORMAT | typeof POOL_FORMAT_STRETCHED;
  readonly encryption: {
    /** 32 bytes, hexadecimal; so is the check, of 16. */
    readonly salt: string;
    readonly keyCheck: string;
    /** Null in pools that were begun before master keys were stretched. */
    readonly keyStretching: KeyStretching | null;
  } | null;
}

export const POOL_FORMAT = 1;
const POOL_FORMAT_STRETCHED = 2;
const POOL_FILE = 'pool.json';
const SALT_BYTES = 32;
const KEY_CHECK_BYTES = 16;
const SECRET_BYTES = 32;

/** The keys of all files are derived from it; undefined where nothing is encrypted. */
export type PoolSecret = Uint8Array | undefined;

/**
 * The secret of a pool that is there; undefined as a whole when there is none. Throws
 * `wrong_master_key`, `missing_master_key`, `backup_format_unknown` and `backup_corrupt`.
 */
export async function readPoolSecret(
  target: BackupTarget,
  masterKey: string | undefined,
): Promise<{ readonly secret: PoolSecret } | undefined> {
  const bytes = await target.read(POOL_FILE);
  if (bytes === undefined) return undefined;
  const { encryption } = parse(bytes, target.name);
  if (encryption === null) return { secret: undefined };
  if (masterKey === undefined) {
    throw new Problem('missing_master_key', `the backups in ${target.name} are encrypted`, {
      hint: 'Set MSK_GRAPH_MASTER_KEY to the key of the workspace that they were made of.',
    });
  }
  const salt = Buffer.from(encryption.salt, 'hex');
  const stretched = stretchedKey(masterKey, salt, encryption.keyStretching);
  const check = derive(stretched, salt, 'check', KEY_CHECK_BYTES);
  if (!timingSafeEqual(check, Buffer.from(encryption.keyCheck, 'hex'))) {
    throw new Problem(
      'wrong_master_key',
      `the master key does not open the backups in ${target.name}`,
      {
        hint: 'Set MSK_GRAPH_MASTER_KEY to the key of the workspace that they were made of.',
      },
    );
  }
  return { secret: derive(stretched, salt, 'secret', SECRET_BYTES) };
}

/**
 * The secret to write with; makes the pool where there is none. Throws `backup_target_mismatch` as
 * well.
 */
export async function openPoolSecret(
  target: BackupTarget,
  masterKey: string | undefined,
): Promise<PoolSecret> {
  const found = await readPoolSecret(target, masterKey);
  if (found === undefined) return await begin(target, masterKey);
  if (found.secret === undefined && masterKey !== undefined) {
    throw new Problem(
      'backup_target_mismatch',
      `the backups in ${target.name} are not encrypted, but the workspace is`,
    );
  }
  return found.secret;
}

/**
 * The name of a piece. When pieces are encrypted, the name tells nothing about the content. 64
 * hexadecimal digits.
 */
export function pieceName(secret: PoolSecret, digest: string): string {
  if (secret === undefined) return digest;
  return createHmac('sha256', secret).update(digest).digest('hex');
}

async function begin(target: BackupTarget, masterKey: string | undefined): Promise<PoolSecret> {
  const salt = randomBytes(SALT_BYTES);
  const stretched =
    masterKey === undefined ? undefined : stretchedKey(masterKey, salt, KEY_STRETCHING);
  const description: PoolDescription = {
    format: stretched === undefined ? POOL_FORMAT : POOL_FORMAT_STRETCHED,
    encryption:
      stretched === undefined
        ? null
        : {
            salt: salt.toString('hex'),
            keyCheck: derive(stretched, salt, 'check', KEY_CHECK_BYTES).toString('hex'),
            keyStretching: KEY_STRETCHING,
          },
  };
  await target.write(POOL_FILE, [Buffer.from(`${JSON.stringify(description, undefined, 2)}\n`)]);
  await target.sync();
  return stretched === undefined ? undefined : derive(stretched, salt, 'secret', SECRET_BYTES);
}

function parse(bytes: Uint8Array, name: string): PoolDescription {
  let value: Partial<PoolDescription>;
  try {
    value = Object(JSON.parse(Buffer.from(bytes).toString()));
  } catch (cause) {
    throw backupCorrupt(`${POOL_FILE} in ${name} is not JSON`, cause);
  }
  const { format, encryption } = value;
  if (format !== POOL_FORMAT && format !== POOL_FORMAT_STRETCHED) {
    throw unknownFormat(`${POOL_FILE} in ${name}`, format);
  }
  if (encryption === null) return { format, encryption };
  const keyStretching = isKeyStretching(encryption?.keyStretching)
    ? encryption.keyStretching
    : null;
  const isWhole =
    isHex(encryption?.salt, SALT_BYTES) &&
    isHex(encryption?.keyCheck, KEY_CHECK_BYTES) &&
    (keyStretching !== null) === (format === POOL_FORMAT_STRETCHED);
  if (encryption === undefined || !isWhole)
    throw backupCorrupt(`${POOL_FILE} in ${name} is damaged`);
  return { format, encryption: { ...encryption, keyStretching } };
}

function isHex(value: unknown, bytes: number): boolean {
  return typeof value === 'string' && value.length === bytes * 2 && /^[0-9a-f]*$/.test(value);
}

function derive(
  secret: string | Uint8Array,
  salt: Uint8Array,
  purpose: string,
  bytes: number,
): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, `trellis backup ${purpose}`, bytes));
}
