import {
  REPLICATION_PIECES_PER_CALL_MAX,
  REPLICATION_SNAPSHOT_IDLE_MS,
} from '#base/replication-limits.ts';
import { releaseMemory } from '#base/release-memory.ts';
import { untilAborted } from '#base/unless-aborted.ts';
import type { Clock } from '#base/clock.ts';
import { encodeManifest } from '#store/manifest.ts';
import type { SnapshotLease } from '#store/snapshot-reader.ts';
import { corrupt, unavailable } from './channel-problem.ts';
import type { AnsweredCall } from './served-calls.ts';
import type { OnReplicationEvent, ReplicaRegistry } from './replica-registry.ts';

export const DIGEST_BYTES = 32;

export interface PrimaryCopyOptions {
  readonly openSnapshot: () => Promise<SnapshotLease>;
  readonly registry: ReplicaRegistry;
  readonly clock: Clock;
  readonly onEvent: OnReplicationEvent;
}

/**
 * The snapshots that replicas copy, one each. It is held from the answer to GetManifest until that
 * call ends, because the replica has all it needs or because the connection is cut; or until
 * nothing of it was taken for REPLICATION_SNAPSHOT_IDLE_MS. While the call is open the replica
 * counts as alive: loading what it has copied may take longer than a replica may be silent.
 */
export class PrimaryCopy {
  readonly #options: PrimaryCopyOptions;
  /** By ReplicaUID. */
  readonly #held = new Map<string, HeldSnapshot>();

  constructor(options: PrimaryCopyOptions) {
    this.#options = options;
  }

  async sendManifest({ replica, sender, signal }: AnsweredCall): Promise<void> {
    const { openSnapshot, clock, registry } = this.#options;
    const { replicaUID } = replica;
    const held = new HeldSnapshot(await openSnapshot(), clock.now());
    this.#held.set(replicaUID, held);
    try {
      const { manifest } = held.lease;
      registry.needsAfter(replicaUID, manifest.sequence);
      await sender.send([encodeManifest(manifest)]);
      await untilAborted(signal);
      throw signal.reason;
    } finally {
      if (this.#held.get(replicaUID) === held) this.#held.delete(replicaUID);
      held.release();
    }
  }

  async sendPieces({ replica, request, sender }: AnsweredCall): Promise<void> {
    const { clock, onEvent } = this.#options;
    const digests = readDigests(request);
    const held = this.#held.get(replica.replicaUID);
    if (held === undefined) throw unavailable('no snapshot is held for the replica any more');
    const { sequence } = held.lease.manifest;
    const pieces = digests.length;
    onEvent({ kind: 'copy_started', replica, sequence, pieces });
    let bytesDone = 0;
    for (const [index, digest] of digests.entries()) {
      const piece = await held.read(digest);
      const { length: bytes } = piece;
      await sender.send([piece]);
      releaseMemory(piece);
      held.usedAt = clock.now();
      bytesDone += bytes;
      onEvent({ kind: 'copy_progress', replica, piecesDone: index + 1, pieces, bytesDone });
    }
  }

  /** Gives back the snapshots that nobody takes anything of; to be called every so often. */
  sweep(): void {
    const { clock, registry } = this.#options;
    const deadline = clock.now() - REPLICATION_SNAPSHOT_IDLE_MS;
    for (const [replicaUID, held] of this.#held) {
      registry.isCopying(replicaUID);
      if (held.usedAt <= deadline) held.release();
    }
  }
}

class HeldSnapshot {
  readonly lease: SnapshotLease;
  /** Milliseconds since the Unix epoch. */
  usedAt: number;
  #reads = 0;
  #isReleased = false;
  #isDisposed = false;

  constructor(lease: SnapshotLease, usedAt: number) {
    this.lease = lease;
    this.usedAt = usedAt;
  }

  async read(digest: string): Promise<Uint8Array> {
    if (this.#isReleased) throw unavailable('the snapshot is not held any more');
    this.#reads++;
    try {
      return await this.lease.read(digest);
    } finally {
      this.#reads--;
      this.#disposeUnread();
    }
  }

  /** Gives the lease back, after the reads that may be under way. */
  release(): void {
    this.#isReleased = true;
    this.#disposeUnread();
  }

  #disposeUnread(): void {
    if (!this.#isReleased || this.#reads > 0 || this.#isDisposed) return;
    this.#isDisposed = true;
    this.lease[Symbol.dispose]();
  }
}

/** 32 bytes each; throws `replication_corrupt`. */
export function readDigests(request: Buffer): string[] {
  if (request.length > REPLICATION_PIECES_PER_CALL_MAX * DIGEST_BYTES) {
    throw corrupt('more pieces are asked for than one call may');
  }
  if (request.length % DIGEST_BYTES !== 0) throw corrupt('a digest is cut short');
  const digests: string[] = [];
  for (let at = 0; at < request.length; at += DIGEST_BYTES) {
    digests.push(request.toString('hex', at, at + DIGEST_BYTES));
  }
  return digests;
}
