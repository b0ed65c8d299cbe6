import { createHash } from 'node:crypto';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { sealManifest } from '#store/manifest.ts';
import type { Manifest } from '#store/manifest.ts';
import { pieceDigest } from '#store/piece.ts';
import type { SnapshotLease } from '#store/snapshot-reader.ts';

/** Pieces in memory, and how many leases of them are held. */
export class MemorySnapshot {
  readonly manifest: Manifest;
  readonly pieces: ReadonlyMap<string, Uint8Array>;
  leases = 0;
  /** Digests in the order in which they were read. */
  readonly read: string[] = [];

  constructor(epoch: string, sequence: number, pieces: readonly Uint8Array[]) {
    this.pieces = new Map(pieces.map((bytes) => [pieceDigest(bytes), bytes]));
    const list = [...this.pieces].map(([digest, { length: bytes }]) => {
      return { digest, bytes, entries: 1, firstKey: digest };
    });
    this.manifest = sealManifest(epoch, sequence, [{ number: 1, pieces: list }]);
  }

  get digests(): string[] {
    return [...this.pieces.keys()];
  }

  readonly open = async (): Promise<SnapshotLease> => {
    this.leases++;
    let isHeld = true;
    return {
      manifest: this.manifest,
      read: async (digest) => {
        if (!isHeld) throw new Problem('piece_not_found', 'read after the lease was given back');
        this.read.push(digest);
        // Whoever reads a piece may release its memory.
        return Uint8Array.from(must(this.pieces.get(digest), digest));
      },
      [Symbol.dispose]: () => {
        isHeld = false;
        this.leases--;
      },
    };
  };
}

/** Bytes that tell their seed and their place (modulo a prime), the same every time. */
export function patternBytes(seed: string, length: number): Buffer {
  return Buffer.alloc(length, createHash('shake256', { outputLength: 509 }).update(seed).digest());
}
