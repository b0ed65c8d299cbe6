import { createHash } from 'node:crypto';
import { Problem } from '#base/problem.ts';
import { DATABASES } from './databases.ts';
import type { DatabaseNumber } from './databases.ts';

/**
 * The whole state at one sequence, as the names of its pieces. Two states are equal when their
 * manifests are equal. Every process makes the same manifest for the same commit boundary.
 */
export interface Manifest {
  readonly format: typeof MANIFEST_FORMAT;
  /** The epoch of the log that the state follows: 32 hexadecimal digits. */
  readonly epoch: string;
  readonly sequence: number;
  /** Sorted by number. A database that is not listed was not read; an empty one has no pieces. */
  readonly databases: readonly ManifestDatabase[];
  /** SHA-256 of the manifest's JSON text without this member, 64 hexadecimal digits. */
  readonly digest: string;
}

export interface ManifestDatabase {
  readonly number: DatabaseNumber;
  readonly pieces: readonly ManifestPiece[];
}

export interface ManifestPiece {
  /** SHA-256 of the piece's bytes, 64 hexadecimal digits. */
  readonly digest: string;
  readonly bytes: number;
  readonly entries: number;
  /** Hexadecimal. */
  readonly firstKey: string;
}

export const MANIFEST_FORMAT = 1;

/**
 * Adds the digest. The members are in the order of the interfaces, so that equal content has an
 * equal digest.
 */
export function sealManifest(
  epoch: string,
  sequence: number,
  databases: readonly ManifestDatabase[],
): Manifest {
  const content = { format: MANIFEST_FORMAT, epoch, sequence, databases } as const;
  return { ...content, digest: digestOf(content) };
}

/**
 * Whether two states of one history are equal at one sequence. A manifest of a version that did not
 * know a database does not list it; then the database must be empty in the other one.
 */
export function isSameState(one: Manifest, other: Manifest): boolean {
  return (
    one.epoch === other.epoch &&
    one.sequence === other.sequence &&
    DATABASES.every(({ number }) => piecesOf(one, number) === piecesOf(other, number))
  );
}

function piecesOf({ databases }: Manifest, number: DatabaseNumber): string {
  const pieces = databases.find((database) => database.number === number)?.pieces ?? [];
  return pieces.map(({ digest }) => digest).join();
}

export function encodeManifest(manifest: Manifest): Uint8Array {
  return Buffer.from(JSON.stringify(manifest));
}

/**
 * Reads a manifest. Throws the problem `snapshot_corrupt` when it is damaged or has a later format.
 */
export function parseManifest(bytes: Uint8Array): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString());
  } catch (cause) {
    throw snapshotCorrupt('the manifest is not JSON', cause);
  }
  if (!isManifest(value)) {
    throw snapshotCorrupt(`the manifest is not of format ${MANIFEST_FORMAT}`);
  }
  const manifest = sealManifest(value.epoch, value.sequence, value.databases.map(databaseOf));
  if (manifest.digest !== value.digest) throw snapshotCorrupt('the manifest has another digest');
  return manifest;
}

export function snapshotCorrupt(why: string, cause?: unknown): Problem {
  return new Problem('snapshot_corrupt', `the snapshot cannot be used: ${why}`, {
    hint: 'Take the snapshot again, or use another one; nothing of it was put in place.',
    cause,
  });
}

function digestOf(content: Omit<Manifest, 'digest'>): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

function databaseOf({ number, pieces }: ManifestDatabase): ManifestDatabase {
  return {
    number,
    pieces: pieces.map(({ digest, bytes, entries, firstKey }) => ({
      digest,
      bytes,
      entries,
      firstKey,
    })),
  };
}

function isManifest(value: unknown): value is Manifest {
  return (
    isObject(value) &&
    value['format'] === MANIFEST_FORMAT &&
    isHex(value['epoch'], 32) &&
    isCount(value['sequence']) &&
    isHex(value['digest'], 64) &&
    Array.isArray(value['databases']) &&
    value['databases'].every(isDatabase)
  );
}

function isDatabase(value: unknown): value is ManifestDatabase {
  return (
    isObject(value) &&
    DATABASES.some(({ number }) => number === value['number']) &&
    Array.isArray(value['pieces']) &&
    value['pieces'].every(isPiece)
  );
}

function isPiece(value: unknown): value is ManifestPiece {
  return (
    isObject(value) &&
    isHex(value['digest'], 64) &&
    isCount(value['bytes']) &&
    isCount(value['entries']) &&
    isHex(value['firstKey'])
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isHex(value: unknown, digits?: number): boolean {
  return (
    typeof value === 'string' &&
    /^(?:[0-9a-f]{2})*$/.test(value) &&
    (digits === undefined || value.length === digits)
  );
}
