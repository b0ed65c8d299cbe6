import { randomBytes } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import { SNAPSHOT_ROOM_BYTES_MIN, SNAPSHOT_SPOOL_IDLE_MS } from '#base/replication-limits.ts';
import { Problem } from '#base/problem.ts';
import type { Manifest } from './manifest.ts';
import { PieceFolder } from './piece-folder.ts';
import { takeSnapshot } from './snapshot.ts';
import type { SnapshotLease, HoldingReader } from './snapshot-reader.ts';
import { roomBytes } from './storage-problem.ts';

export interface SnapshotSpoolOptions {
  /** For the pieces alone: what else is in it goes away. */
  readonly folder: string;
  readonly reader: HoldingReader;
  readonly clock: Clock;
  /** Whether the store is, of which no plain text may get on the disk then. */
  readonly isEncrypted: boolean;
}

/** What a lease may read. */
interface Held {
  readonly digests: ReadonlySet<string>;
  isGivenUp: boolean;
}

const SECRET_BYTES = 32;

/**
 * Snapshots in files, for whoever copies them at its own speed: the state is held no longer than it
 * takes to write them once, and of a snapshot only the pieces that the one before did not have are
 * written. Those of an encrypted store are encrypted with a secret that ends with the process: they
 * are of no use to anybody else.
 *
 * The writer needs the volume more than replicas do: no snapshot is made that leaves less room than
 * SNAPSHOT_ROOM_BYTES_MIN, and with less than half of that those that are there are given up.
 */
export class SnapshotSpool implements AsyncDisposable {
  readonly #options: SnapshotSpoolOptions;
  readonly #pieces: PieceFolder;
  /** Digests of the pieces in the folder. */
  readonly #present = new Set<string>();
  readonly #held = new Set<Held>();
  #newest: ReadonlySet<string> = new Set();
  /** Milliseconds since the Unix epoch. */
  #usedAt: number;
  #taking: Promise<Manifest> | undefined;
  /** Nothing is removed while a snapshot is made that counts on it. */
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
    // What an earlier process has left there.
    await pieces.clear();
    return new SnapshotSpool(options, pieces);
  }

  /**
   * A snapshot of the newest commit; who asks while one is made is given that one. Throws
   * `storage_full` and `storage_failed`. Its `read` throws `storage_full` when it had to be given
   * up.
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

  /** Removes what nobody needs, or the writer needs more; to be called every so often. */
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
    // One that was damaged on the disk would make every copy fail.
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

  /** Runs after what was to be run before, whether that succeeded or not. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(run, run);
    this.#lastTurn = turn;
    return turn;
  }
}

function digestsOf({ databases }: Manifest): ReadonlySet<string> {
  return new Set(databases.flatMap(({ pieces }) => pieces.map(({ digest }) => digest)));
}
