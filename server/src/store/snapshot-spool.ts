import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { releaseMemory } from '#base/release-memory.ts';
import { SNAPSHOT_ROOM_BYTES_MIN, SNAPSHOT_SPOOL_IDLE_MS } from '#base/replication-limits.ts';
import { type Manifest, snapshotCorrupt } from './manifest.ts';
import { SALT_BYTES, sealPiece, TAG_BYTES, unsealPiece } from './piece-cipher.ts';
import type { HoldingReader, SnapshotLease } from './snapshot-reader.ts';
import { takeSnapshot } from './snapshot.ts';
import { roomBytes, storageProblem } from './storage-problem.ts';

export interface SnapshotSpoolOptions {
  /** A folder for the pieces only; anything else in it is removed. */
  readonly folder: string;
  readonly reader: HoldingReader;
  readonly clock: Clock;
  /** Whether the store is encrypted; then no plain text may be written to the disk. */
  readonly isEncrypted: boolean;
}

/** What a lease may read. */
interface Held {
  readonly digests: ReadonlySet<string>;
  isGivenUp: boolean;
}

const SECRET_BYTES = 32;

/**
 * Snapshots in files, so that each reader can copy them at its own speed. The state is held only
 * while the files are written once, and only pieces that the snapshot before did not have are
 * written. Pieces of an encrypted store are encrypted with a secret that exists only in this
 * process, so nobody else can use them.
 *
 * The writer needs the volume more than replicas do. So no snapshot is made that would leave less
 * room than SNAPSHOT_ROOM_BYTES_MIN, and existing ones are given up when less than half of that is
 * left.
 */
export class SnapshotSpool implements AsyncDisposable {
  readonly #options: SnapshotSpoolOptions;
  readonly #pieces: PieceFolder;
  /** Digests of the pieces in the folder. */
  readonly #present = new Set<string>();
  readonly #held = new Set<Held>();
  #newest: ReadonlySet<string> = new Set();
  /** The time of the last use, in milliseconds since the Unix epoch. */
  #usedAt: number;
  #taking: Promise<Manifest> | undefined;
  /**
   * The end of the last queued work. Work runs one after the other, so nothing is removed while a
   * snapshot that needs it is made.
   */
  #lastTurn: Promise<unknown> = Promise.resolve();

  private constructor(options: SnapshotSpoolOptions, pieces: PieceFolder) {
    this.#options = options;
    this.#pieces = pieces;
    this.#usedAt = options.clock.now();
  }

  static async open(options: SnapshotSpoolOptions): Promise<SnapshotSpool> {
    const { folder, isEncrypted } = options;
    const secret = isEncrypted ? randomBytes(SECRET_BYTES) : undefined;
    const pieces = new PieceFolder({ folder, secret });
    // Removes what an earlier process left.
    await pieces.clear();
    return new SnapshotSpool(options, pieces);
  }

  /**
   * A snapshot of the newest commit. A call while one is being made gets that one. Throws
   * `storage_full` and `storage_failed`. Its `read` throws `storage_full` when the snapshot had to
   * be given up.
   */
  async openSnapshot(): Promise<SnapshotLease> {
    this.#taking ??= this.#inTurn(() => this.#take()).finally(() => (this.#taking = undefined));
    const manifest = await this.#taking;
    const held: Held = { digests: digestsOf(manifest), isGivenUp: false };
    this.#held.add(held);
    this.#usedAt = this.#options.clock.now();
    return {
      manifest,
      read: (digest) => this.#read(held, digest),
      [Symbol.dispose]: () => {
        this.#held.delete(held);
        this.#usedAt = this.#options.clock.now();
      },
    };
  }

  /**
   * Removes pieces that nobody needs, and all when the writer needs the room. Call this regularly.
   */
  async sweep(): Promise<void> {
    const { clock, folder } = this.#options;
    if (this.#present.size === 0 || this.#taking !== undefined) return;
    if (roomBytes(folder) < SNAPSHOT_ROOM_BYTES_MIN / 2) {
      for (const held of this.#held) held.isGivenUp = true;
      this.#held.clear();
      this.#newest = new Set();
    }
    const isIdle = clock.now() - this.#usedAt >= SNAPSHOT_SPOOL_IDLE_MS;
    if (isIdle && this.#held.size === 0) this.#newest = new Set();
    await this.#inTurn(() => this.#removeUnneeded());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inTurn(() => this.#pieces.clear());
  }

  async #take(): Promise<Manifest> {
    await this.#pieces.make();
    try {
      const write = (digest: string, bytes: Uint8Array) => this.#write(digest, bytes);
      const manifest = await takeSnapshot(this.#options.reader, { write });
      this.#newest = digestsOf(manifest);
      return manifest;
    } catch (error) {
      this.#newest = new Set();
      throw error;
    } finally {
      await this.#removeUnneeded();
    }
  }

  async #write(digest: string, bytes: Uint8Array): Promise<void> {
    // The content is compared, since a piece that was damaged on the disk would make every copy
    // fail.
    if (this.#present.has(digest) && (await this.#pieces.has(digest, bytes))) return;
    const { folder } = this.#options;
    const room = roomBytes(folder) - bytes.length;
    if (room < SNAPSHOT_ROOM_BYTES_MIN) {
      throw new Problem(
        'storage_full',
        `a snapshot would leave ${room} bytes of room in ${folder}`,
        {
          hint: 'Free room on the volume of the storage folder of the primary.',
        },
      );
    }
    await this.#pieces.write(digest, [bytes]);
    this.#present.add(digest);
  }

  async #read({ digests, isGivenUp }: Held, digest: string): Promise<Uint8Array> {
    if (isGivenUp) {
      throw new Problem('storage_full', 'the snapshot was given up for lack of room', {
        hint: 'Free room on the volume of the storage folder of the primary.',
      });
    }
    if (!digests.has(digest)) {
      throw new Problem('piece_not_found', `the snapshot has no piece ${digest}`);
    }
    return await this.#pieces.read(digest);
  }

  async #removeUnneeded(): Promise<void> {
    const needed = [this.#newest, ...[...this.#held].map(({ digests }) => digests)];
    for (const digest of this.#present) {
      if (needed.some((digests) => digests.has(digest))) continue;
      this.#present.delete(digest);
      await this.#pieces.remove(digest);
    }
    if (this.#present.size === 0) await this.#pieces.clear();
  }

  /** Runs after all work that was queued before, whether that succeeded or not. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(run, run);
    this.#lastTurn = turn;
    return turn;
  }
}

function digestsOf({ databases }: Manifest): ReadonlySet<string> {
  return new Set(databases.flatMap(({ pieces }) => pieces.map(({ digest }) => digest)));
}

const UNFINISHED = '.new';
const FILE_MODE = 0o600;

interface PieceFolderOptions {
  readonly folder: string;
  /** The keys of the files are derived from it. Undefined: the pieces are stored unencrypted. */
  readonly secret: string | Uint8Array | undefined;
}

/**
 * Pieces of snapshots in files that are named by their digests. A file is whole or does not exist.
 * Files are encrypted as in `piece-cipher.ts`. Nothing is synced: a piece that is lost in a power
 * failure is made or copied again.
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
   * Makes the folder, and removes unfinished files. Returns the size of each existing piece in
   * bytes, by digest.
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

  /** Writes a piece, whose bytes are given in parts. Throws `storage_full` and `storage_failed`. */
  async write(digest: string, parts: readonly Uint8Array[]): Promise<void> {
    const path = join(this.path, digest);
    const contents = this.#secret === undefined ? parts : sealPiece(this.#secret, digest, parts);
    const size = contents.reduce((sum, { length }) => sum + length, 0);
    try {
      {
        await using file = await open(path + UNFINISHED, 'w', FILE_MODE);
        const { bytesWritten } = await file.writev(contents);
        // The system reports a lack of room only at the next write.
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
   * Reads a piece. Only the encryption verifies it, not the digest; throws `snapshot_corrupt` when
   * decryption fails. The bytes belong to the caller.
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

  /** Whether the piece exists and has these bytes. */
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
