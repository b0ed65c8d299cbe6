import { REPLICATION_PIECES_PER_CALL_MAX } from '#base/replication-limits.ts';
import { must } from '#base/assert.ts';
import { releaseMemory } from '#base/release-memory.ts';
import type { Manifest } from '#store/manifest.ts';
import { corrupt } from './channel-problem.ts';
import type { ReplicaCalls } from './replica-calls.ts';

export interface CopyProgress {
  readonly bytesDone: number;
  /** The size of the pieces that were asked for. */
  readonly bytesTotal: number;
}

/** Takes a piece, in parts that are good until it is done. */
export type OnPiece = (digest: string, parts: readonly Uint8Array[]) => Promise<void>;

/** A snapshot that the primary holds for this replica, until it is disposed of. */
export class SnapshotCopy implements AsyncDisposable {
  readonly manifest: Manifest;
  readonly #calls: ReplicaCalls;
  readonly #release: () => Promise<void>;
  /** Bytes by digest. */
  readonly #sizes: ReadonlyMap<string, number>;

  constructor(manifest: Manifest, calls: ReplicaCalls, release: () => Promise<void>) {
    this.manifest = manifest;
    this.#calls = calls;
    this.#release = release;
    const pieces = manifest.databases.flatMap((database) => database.pieces);
    this.#sizes = new Map(pieces.map(({ digest, bytes }) => [digest, bytes]));
  }

  /**
   * Fetches pieces of the manifest in the order given, each once. `onPiece` is given each in parts,
   * which are released when it is done; the next one is given then, and those after it are on
   * their way meanwhile. What it throws ends the fetching.
   *
   * The bytes are those that the primary has sent. That they are the piece is for the restoring to
   * verify: it reads them from a disk, and so has to do it anyway.
   */
  async fetchPieces(
    digests: readonly string[],
    onPiece: OnPiece,
    onProgress: (progress: CopyProgress) => void = () => {},
  ): Promise<void> {
    const wanted = [...new Set(digests)];
    const bytesTotal = wanted.reduce((sum, digest) => sum + this.#sizeOf(digest), 0);
    let bytesDone = 0;
    for (let at = 0; at < wanted.length; at += REPLICATION_PIECES_PER_CALL_MAX) {
      const batch = wanted.slice(at, at + REPLICATION_PIECES_PER_CALL_MAX);
      await this.#fetchBatch(batch, async (digest, parts) => {
        await onPiece(digest, parts);
        bytesDone += this.#sizeOf(digest);
        onProgress({ bytesDone, bytesTotal });
        for (const part of parts) releaseMemory(part);
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#release();
  }

  async #fetchBatch(digests: readonly string[], onPiece: OnPiece): Promise<void> {
    const request = Buffer.from(digests.join(''), 'hex');
    const missing = digests.values();
    for await (const parts of this.#calls.messageParts('GetPieces', request)) {
      const { value: digest } = missing.next();
      if (digest === undefined) throw corrupt('more pieces came than were asked for');
      const bytes = parts.reduce((sum, { length }) => sum + length, 0);
      if (bytes !== this.#sizeOf(digest)) throw corrupt(`piece ${digest} has another size`);
      await onPiece(digest, parts);
    }
    if (missing.next().done !== true) throw corrupt('the copy ended before its last piece');
  }

  #sizeOf(digest: string): number {
    return must(this.#sizes.get(digest), `piece ${digest} in the manifest`);
  }
}
