import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '#base/problem.ts';
import { createFileDurably, unlessMissing } from './durable-file.ts';
import { logCorrupt } from './log-problem.ts';
import { RecordCipher, SALT_BYTES, keyCheck } from './record-cipher.ts';
import type { RandomBytes } from './record-cipher.ts';

/**
 * The only file that holds the epoch and how the log is encrypted. It is written last when a log is
 * made: without it there is no log.
 */
export const MANIFEST_FILE = 'log.json';
const FORMAT_VERSION = 1;
const EPOCH_BYTES = 16;

export interface LogManifest {
  readonly format: typeof FORMAT_VERSION;
  /** 32 hexadecimal digits. */
  readonly epoch: string;
  readonly encryption: Encryption | null;
}

interface Encryption {
  /** 32 hexadecimal digits; see `record-cipher.ts`. */
  readonly salt: string;
  readonly keyCheck: string;
}

/** `epoch` is the epoch of the log that this one continues; without it the log gets a new one. */
export function newLogManifest(
  masterKey: Uint8Array | undefined,
  random: RandomBytes,
  epoch = hex(random(EPOCH_BYTES)),
): LogManifest {
  if (masterKey === undefined) return { format: FORMAT_VERSION, epoch, encryption: null };
  const salt = random(SALT_BYTES);
  const encryption = { salt: hex(salt), keyCheck: keyCheck(masterKey, salt) };
  return { format: FORMAT_VERSION, epoch, encryption };
}

export async function writeLogManifest(folder: string, manifest: LogManifest): Promise<void> {
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  await createFileDurably(folder, MANIFEST_FILE, Buffer.from(text));
}

/** The manifest, or undefined when there is none. */
export async function readLogManifest(folder: string): Promise<LogManifest | undefined> {
  const path = join(folder, MANIFEST_FILE);
  const text = await unlessMissing(readFile(path, 'utf8'));
  if (text === undefined) return undefined;
  const manifest = parseLogManifest(text);
  if (typeof manifest === 'string') throw logCorrupt({ file: path, offset: 0, reason: manifest });
  return manifest;
}

/**
 * The cipher of the log's records; undefined for a log that is not encrypted. Throws when the key
 * is not that of the log. Messages call the log's folder or database `place`.
 */
export function openCipher(
  place: string,
  manifest: LogManifest,
  masterKey: Uint8Array | undefined,
  random: RandomBytes,
): RecordCipher | undefined {
  const { encryption } = manifest;
  if (encryption === null) {
    if (masterKey === undefined) return undefined;
    throw wrongMasterKey(
      place,
      'a master key is set, but the log is not encrypted',
      'Unset MSK_GRAPH_MASTER_KEY, or begin an encrypted workspace elsewhere.',
    );
  }
  if (masterKey === undefined) {
    throw wrongMasterKey(
      place,
      'the log is encrypted, but no master key is set',
      'Set MSK_GRAPH_MASTER_KEY to the key that the workspace was begun with.',
    );
  }
  const salt = Buffer.from(encryption.salt, 'hex');
  if (keyCheck(masterKey, salt) !== encryption.keyCheck) {
    throw wrongMasterKey(
      place,
      'the log is encrypted with another master key',
      'Set MSK_GRAPH_MASTER_KEY to the key that the workspace was begun with.',
    );
  }
  return new RecordCipher(masterKey, salt, random);
}

function wrongMasterKey(place: string, what: string, hint: string): Problem {
  return new Problem('wrong_master_key', `cannot open the commit log in ${place}: ${what}`, {
    hint,
    details: { place },
  });
}

/** The manifest, or a sentence that says why the text is not one. */
export function parseLogManifest(text: string): LogManifest | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  if (!isRecord(value)) return 'it is not a JSON object';
  const { format, epoch, encryption } = value;
  if (format !== FORMAT_VERSION) return `its format is ${String(format)}, not ${FORMAT_VERSION}`;
  if (!isHex(epoch)) return 'its "epoch" is not 32 hexadecimal digits';
  if (encryption === null) return { format, epoch, encryption };
  if (!isRecord(encryption) || !isHex(encryption.salt) || !isHex(encryption.keyCheck)) {
    return 'its "encryption" is neither null nor a salt and a key check';
  }
  const { salt, keyCheck: check } = encryption;
  return { format, epoch, encryption: { salt, keyCheck: check } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{32}$/.test(value);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
