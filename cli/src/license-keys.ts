import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pemLabel } from '@trellis/contract/license.ts';
import { CommandFailure } from './failure.ts';

/** The paths of a pair of keys. */
export interface KeyFiles {
  readonly publicKey: string;
  readonly privateKey: string;
}

/**
 * Makes a pair of Ed25519 keys in the folder, which is made when it is missing. Only the user can
 * read the private one.
 */
export function createKeyFiles(folder: string, options: { readonly replace: boolean }): KeyFiles {
  const files = { publicKey: join(folder, 'public.pem'), privateKey: join(folder, 'private.pem') };
  const existing = Object.values(files).filter((file) => existsSync(file));
  if (existing.length > 0 && !options.replace) {
    throw new CommandFailure(
      `${existing.join(' and ')} ${existing.length > 1 ? 'exist' : 'exists'}`,
      {
        hint: 'Name another folder, or replace the keys for good with --force.',
      },
    );
  }
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  mkdirSync(folder, { recursive: true });
  // A new file has its mode from the start, and is no link that leads elsewhere.
  for (const file of existing) rmSync(file);
  writeFileSync(files.privateKey, privateKey, { flag: 'wx', mode: 0o600 });
  writeFileSync(files.publicKey, publicKey, { flag: 'wx' });
  return files;
}

/** The Ed25519 key that signs licenses, from a PEM file. */
export function readPrivateKey(file: string): KeyObject {
  return readKey(file, { label: 'PRIVATE KEY', kind: 'private', open: createPrivateKey });
}

/** The Ed25519 key that verifies licenses, from a PEM file. */
export function readPublicKey(file: string): KeyObject {
  return readKey(file, { label: 'PUBLIC KEY', kind: 'public', open: createPublicKey });
}

/** The text of a file that holds a key or a license. */
export function readLicenseFile(file: string): string {
  if (file === '') throw new CommandFailure('the path of a file is empty');
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT') throw new CommandFailure(`there is no file ${file}`, { cause });
    if (code === 'EISDIR') throw new CommandFailure(`${file} is a folder`, { cause });
    throw cause;
  }
}

interface WantedKey {
  readonly label: string;
  readonly kind: 'private' | 'public';
  readonly open: (pem: string) => KeyObject;
}

function readKey(file: string, { label, kind, open }: WantedKey): KeyObject {
  const pem = readLicenseFile(file).trim();
  const wrong = (what: string, cause?: unknown): CommandFailure =>
    new CommandFailure(`${file} is ${what}, and must be an Ed25519 ${kind} key`, {
      hint: `Give the ${kind}.pem of "trellis license keygen".`,
      cause,
    });
  const found = pemLabel(pem);
  if (found !== label) throw wrong(found === undefined ? 'no PEM file' : `a ${found}`);
  let key: KeyObject;
  try {
    key = open(pem);
  } catch (cause) {
    throw wrong('damaged', cause);
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw wrong(`a key of the kind ${key.asymmetricKeyType}`);
  return key;
}
