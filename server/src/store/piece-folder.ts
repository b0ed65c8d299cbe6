import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseMemory } from '#base/release-memory.ts';
import { snapshotCorrupt } from './manifest.ts';
import { SALT_BYTES, sealPiece, TAG_BYTES, unsealPiece } from './piece-cipher.ts';
import { storageProblem } from './storage-problem.ts';

const UNFINISHED = '.new';
const FILE_MODE = 0o600;

export interface PieceFolderOptions {
  readonly folder: string;
  /** The keys of the files are derived from it; without it the pieces lie there as they are. */
  readonly secret: string | Uint8Array | undefined;
}

/**
 * Pieces of snapshots in files that are named by their digests, whole or not there at all;
 * encrypted as in `piece-cipher.ts`. Nothing is synced: a piece that the power took is made or
 * copied again.
 */
export class PieceFolder {
  readonly path: string;
  readonly #secret: string | Uint8Array | undefined;

  constructor({ folder, secret }: PieceFolderOptions) {
    this.path = folder;
    this.#secret = secret;
  }

  async make(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
  }

  /**
   * Makes the folder, and clears away what is unfinished. Answers how many bytes each piece has
   * that is there, by digest.
   */
  async list(): Promise<Map<string, number>> {
    await this.make();
    const pieces = new Map<string, number>();
    for (const name of await readdir(this.path)) {
      const path = join(this.path, name);
      if (/^[0-9a-f]{64}$/.test(name)) {
        const { size } = await stat(path);
        pieces.set(name, this.#secret === undefined ? size : size - SALT_BYTES - TAG_BYTES);
      } else await rm(path, { recursive: true });
    }
    return pieces;
  }

  /** The bytes in parts. Throws `storage_full` and `storage_failed`. */
  async write(digest: string, parts: readonly Uint8Array[]): Promise<void> {
    const path = join(this.path, digest);
    const contents = this.#secret === undefined ? parts : sealPiece(this.#secret, digest, parts);
    const size = contents.reduce((sum, { length }) => sum + length, 0);
    try {
      {
        await using file = await open(path + UNFINISHED, 'w', FILE_MODE);
        const { bytesWritten } = await file.writev(contents);
        // The system tells of a lack of room with the next write only.
        if (bytesWritten < size) throw new Error('no space left for the whole of a piece');
      }
      await rename(path + UNFINISHED, path);
      if (contents !== parts) for (const part of contents) releaseMemory(part);
    } catch (error) {
      await rm(path + UNFINISHED, { force: true });
      throw storageProblem('writing a piece to', this.path, error);
    }
  }

  /**
   * Not verified but by the encryption. Throws `snapshot_corrupt` when that fails. The bytes are
   * the caller's own.
   */
  async read(digest: string): Promise<Uint8Array> {
    await using file = await open(join(this.path, digest));
    const { size } = await file.stat();
    const isSealed = this.#secret !== undefined;
    const salt = Buffer.allocUnsafe(isSealed ? SALT_BYTES : 0);
    const tag = Buffer.allocUnsafe(isSealed ? TAG_BYTES : 0);
    const bytes = Buffer.allocUnsafeSlow(Math.max(0, size - salt.length - tag.length));
    const { bytesRead } = await file.readv([salt, bytes, tag]);
    if (bytesRead < salt.length + bytes.length + tag.length) {
      throw snapshotCorrupt(`piece ${digest} is cut short`);
    }
    if (this.#secret !== undefined) unsealPiece(this.#secret, digest, { salt, bytes, tag });
    return bytes;
  }

  /** Whether the piece is there, and these are its bytes. */
  async has(digest: string, bytes: Uint8Array): Promise<boolean> {
    let there: Uint8Array;
    try {
      there = await this.read(digest);
    } catch {
      return false;
    }
    const isSame = Buffer.compare(there, bytes) === 0;
    releaseMemory(there);
    return isSame;
  }

  async remove(digest: string): Promise<void> {
    await rm(join(this.path, digest), { force: true });
  }

  /** Removes the folder. */
  async clear(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
