import { REPLICATION_PIECES_PER_CALL_MAX } from '#base/limits.ts';
import { must } from '#base/assert.ts';
import type { Manifest } from '#store/manifest.ts';
import { pieceDigest } from '#store/piece.ts';
import { corrupt } from './channel-problem.ts';
import type { ReplicaCalls } from './replica-calls.ts';

export interface CopyProgress {
  readonly bytesDone: number;
  /** Of the pieces that were asked for. */
  readonly bytesTotal: number;
}

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
   * Fetches pieces of the manifest in the order given, each once. `onPiece` is given each after its digest was verified; the
   * next one comes when it is done, while those behind it are on their way. What it throws ends the fetching.
   */
  async fetchPieces(
    digests: readonly string[],
    onPiece: (digest: string, bytes: Uint8Array) => Promise<void>,
    onProgress: (progress: CopyProgress) => void = () => {},
  ): Promise<void> {
    const wanted = [...new Set(digests)];
    const bytesTotal = wanted.reduce((sum, digest) => sum + this.#sizeOf(digest), 0);
    let bytesDone = 0;
    for (let at = 0; at < wanted.length; at += REPLICATION_PIECES_PER_CALL_MAX) {
      const batch = wanted.slice(at, at + REPLICATION_PIECES_PER_CALL_MAX);
      await this.#fetchBatch(batch, async (digest, bytes) => {
        await onPiece(digest, bytes);
        bytesDone += bytes.length;
        onProgress({ bytesDone, bytesTotal });
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#release();
  }

  async #fetchBatch(
    digests: readonly string[],
    onPiece: (digest: string, bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    const request = Buffer.from(digests.join(''), 'hex');
    const missing = digests.values();
    for await (const bytes of this.#calls.messages('GetPieces', request)) {
      const { value: digest } = missing.next();
      if (digest === undefined) throw corrupt('more pieces came than were asked for');
      if (pieceDigest(bytes) !== digest) throw corrupt(`piece ${digest} has another content`);
      await onPiece(digest, bytes);
    }
    if (missing.next().done !== true) throw corrupt('the copy ended before its last piece');
  }

  #sizeOf(digest: string): number {
    return must(this.#sizes.get(digest), `piece ${digest} in the manifest`);
  }
}
