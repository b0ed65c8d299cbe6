import { BACKUP_TRANSFERS_MAX } from '#base/backup-limits.ts';
import { releaseMemory } from '#base/release-memory.ts';
import { SALT_BYTES, sealPiece, TAG_BYTES, unsealPiece } from '#store/piece-cipher.ts';
import { pieceDigestAside } from '#store/piece.ts';
import { backupCorrupt } from './backup-problem.ts';
import type { BackupTarget } from './backup-target.ts';
import { pieceName, type PoolSecret } from './pool-description.ts';

export const PIECES_FOLDER = 'pieces';
const OVERHEAD_BYTES = SALT_BYTES + TAG_BYTES;

/**
 * The large content of backups, each once by the digest of its bytes: pieces of snapshots, files,
 * the contents of backups.
 */
export class BackupPool {
  readonly #target: BackupTarget;
  readonly #secret: PoolSecret;

  constructor(target: BackupTarget, secret: PoolSecret) {
    this.#target = target;
    this.#secret = secret;
  }

  get isEncrypted(): boolean {
    return this.#secret !== undefined;
  }

  pathOf(digest: string): string {
    const name = pieceName(this.#secret, digest);
    return `${PIECES_FOLDER}/${name.slice(0, 2)}/${name}`;
  }

  /** Bytes of the file of so many bytes of content. */
  storedBytes(bytes: number): number {
    return this.isEncrypted ? bytes + OVERHEAD_BYTES : bytes;
  }

  /** The content, verified. Throws `backup_corrupt`, also when it is missing. */
  async read(digest: string): Promise<Uint8Array<ArrayBuffer>> {
    const path = this.pathOf(digest);
    const bytes = await this.readSealed(path, digest);
    if ((await pieceDigestAside(bytes)) !== digest)
      throw backupCorrupt(`${path} has other content`);
    return bytes;
  }

  /** Reads a file that is sealed as pieces are, with a text that was sealed into it. */
  async readSealed(path: string, label: string): Promise<Uint8Array<ArrayBuffer>> {
    const stored = await this.#target.read(path);
    if (stored === undefined) throw backupCorrupt(`${path} is missing`);
    if (this.#secret === undefined) return stored;
    const end = stored.length - TAG_BYTES;
    if (end < SALT_BYTES) throw backupCorrupt(`${path} is cut short`);
    const salt = stored.slice(0, SALT_BYTES);
    const tag = stored.slice(end);
    const bytes = Buffer.from(stored.buffer, stored.byteOffset + SALT_BYTES, end - SALT_BYTES);
    try {
      unsealPiece(this.#secret, label, { salt, bytes, tag });
    } catch (cause) {
      throw backupCorrupt(`${path} was changed`, cause);
    }
    return bytes;
  }

  async writeSealed(path: string, label: string, content: Uint8Array): Promise<void> {
    if (this.#secret === undefined) return await this.#target.write(path, [content]);
    const sealed = sealPiece(this.#secret, label, [content]);
    await this.#target.write(path, sealed);
    for (const part of sealed) releaseMemory(part);
  }

  async write(digest: string, content: Uint8Array): Promise<void> {
    await this.writeSealed(this.pathOf(digest), digest, content);
  }

  async remove(digest: string): Promise<void> {
    await this.#target.remove(this.pathOf(digest));
  }
}

/** Adds to a pool what it lacks, several pieces at a time. */
export class PoolWriter {
  readonly #pool: BackupPool;
  /** Bytes of the files that are there, by path. */
  readonly #present: Map<string, number>;
  /** By digest. */
  readonly #writing = new Map<string, Promise<void>>();
  #failure: { readonly error: unknown } | undefined;
  #writtenBytes = 0;

  private constructor(pool: BackupPool, present: Map<string, number>) {
    this.#pool = pool;
    this.#present = present;
  }

  static async open(pool: BackupPool, target: BackupTarget): Promise<PoolWriter> {
    const files = await target.list(PIECES_FOLDER);
    return new PoolWriter(pool, new Map(files.map(({ path, bytes }) => [path, bytes])));
  }

  /** Bytes written that were not there before. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  has(digest: string, bytes: number): boolean {
    return this.#present.get(this.#pool.pathOf(digest)) === this.#pool.storedBytes(bytes);
  }

  /**
   * The bytes are the writer's own from now on, until it hands them to `release`. Resolves when
   * there is room for another.
   */
  async write(
    digest: string,
    bytes: Uint8Array,
    release: () => void = () => releaseMemory(bytes),
  ): Promise<void> {
    if (this.#writing.has(digest) || this.has(digest, bytes.length)) return release();
    while (this.#writing.size >= BACKUP_TRANSFERS_MAX) await Promise.race(this.#writing.values());
    this.#throwFailure();
    const { length } = bytes;
    const writing: Promise<void> = this.#pool
      .write(digest, bytes)
      .then(() => {
        this.#present.set(this.#pool.pathOf(digest), this.#pool.storedBytes(length));
        this.#writtenBytes += length;
        release();
      })
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => void this.#writing.delete(digest));
    this.#writing.set(digest, writing);
  }

  /** Everything is written when this resolves. */
  async drain(): Promise<void> {
    while (this.#writing.size > 0) await Promise.race(this.#writing.values());
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
