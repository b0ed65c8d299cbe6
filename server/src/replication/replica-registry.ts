import { REPLICA_DROP_MS, REPLICAS_MAX } from '#base/replication-limits.ts';
import type { Clock } from '#base/clock.ts';
import type { Followers, FollowerSlot } from '#log/followers.ts';
import { INITIAL_LAG, type LagReport, observeLag, readLag } from './lag.ts';
import { replicaName } from './replica-name.ts';

/** What a replica tells when it registers. */
export interface RegisteredReplica {
  readonly replicaUID: string;
  readonly publicUrl: string;
  readonly internalUrl: string;
  /**
   * The sequence up to which the replica has this primary's log from an earlier run, 0 when it has
   * nothing: the log is kept after it.
   */
  readonly appliedSequence: number;
}

export interface ReplicaStatus {
  readonly replicaUID: string;
  /** Friendly, and derived from `replicaUID`. */
  readonly replicaName: string;
  readonly publicUrl: string;
  readonly internalUrl: string;
  /** Undefined until it has opened the channel. */
  readonly version: string | undefined;
  /** Milliseconds since the Unix epoch, as are all times here. */
  readonly registeredAt: number;
  /** Undefined before the first report. */
  readonly reportedAt: number | undefined;
  /** The last one that it reported; before the first report what it registered with. */
  readonly appliedSequence: number;
  /** How many operations it was behind as of its last report, or else when it registered. */
  readonly lagVersions: number;
}

export interface RegistryOptions {
  readonly clock: Clock;
  readonly log: { readonly firstSequence: number; readonly lastSequence: number };
  /** Where each replica says what it needs of the log. */
  readonly followers: Pick<Followers, 'claim'>;
  readonly onDropped: (replica: ReplicaStatus, reason: DropReason) => void;
}

/**
 * Why a replica is known no longer: it said nothing for too long, or the log that it needs takes
 * too much room.
 */
export type DropReason = 'silent' | 'no room';

interface Entry {
  status: ReplicaStatus;
  /** The log is kept for this replica as it says there. */
  readonly position: FollowerSlot;
  lastSeenAt: number;
}

/**
 * The replicas that a primary knows, in memory: after a restart they register again. A replica is
 * dropped ten minutes after its last sign of life: a report, or before the first report its
 * registration and the copy that it is connected for (specification, section 3.1).
 */
export class ReplicaRegistry {
  readonly #options: RegistryOptions;
  readonly #entries = new Map<string, Entry>();
  #lag = INITIAL_LAG;

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** The same UID again replaces what it told before. */
  register(registration: RegisteredReplica): ReplicaStatus {
    const { clock, log } = this.#options;
    const { replicaUID, publicUrl, internalUrl, appliedSequence } = registration;
    this.#makeRoomFor(replicaUID);
    const now = clock.now();
    const status: ReplicaStatus = {
      replicaUID,
      replicaName: replicaName(replicaUID),
      publicUrl,
      internalUrl,
      version: undefined,
      registeredAt: now,
      reportedAt: undefined,
      appliedSequence,
      lagVersions: Math.max(0, log.lastSequence - appliedSequence),
    };
    // One that cannot resume starts from a snapshot that is yet to be taken.
    const canResume = appliedSequence >= log.firstSequence - 1;
    const position = this.#options.followers.claim('replica');
    position.reached(canResume ? appliedSequence : 0);
    position.needs(canResume ? Math.min(appliedSequence, log.lastSequence) : log.lastSequence);
    this.#entries.set(replicaUID, { status, position, lastSeenAt: now });
    return status;
  }

  find(replicaUID: string): ReplicaStatus | undefined {
    return this.#entries.get(replicaUID)?.status;
  }

  connected(replicaUID: string, version: string): void {
    this.#update(replicaUID, (entry) => {
      entry.status = { ...entry.status, version };
    });
  }

  /**
   * The replica gets everything up to `sequence` by a snapshot, or has it already, so it needs the
   * log after it.
   */
  needsAfter(replicaUID: string, sequence: number): void {
    this.#update(replicaUID, ({ position }) => {
      position.needs(Math.min(sequence, this.#options.log.lastSequence));
    });
  }

  /** It is connected and copies or loads a snapshot, before it can report anything. */
  isCopying(replicaUID: string): void {
    this.#update(replicaUID, () => {});
  }

  reported(replicaUID: string, appliedSequence: number): void {
    const { clock, log } = this.#options;
    const now = clock.now();
    this.#update(replicaUID, (entry) => {
      const lagVersions = Math.max(0, log.lastSequence - appliedSequence);
      entry.status = { ...entry.status, reportedAt: now, appliedSequence, lagVersions };
      entry.position.reached(appliedSequence);
      // A replica that was told that the log is not kept for it registers again.
      if (!entry.position.isDropped) {
        entry.position.needs(Math.min(appliedSequence, log.lastSequence));
      }
    });
    this.#observe();
  }

  /** By the time of registration, the oldest first. */
  list(): readonly ReplicaStatus[] {
    return [...this.#entries.values()].map(({ status }) => status);
  }

  lag(): LagReport {
    return readLag(this.#lag, this.#options.clock.now());
  }

  /**
   * Drops the replicas that have been silent for too long, and those that the log is not kept for;
   * to be called every so often.
   */
  dropLate(): void {
    const deadline = this.#options.clock.now() - REPLICA_DROP_MS;
    for (const { status, position, lastSeenAt } of this.#entries.values()) {
      if (position.isDropped) this.#drop(status, 'no room');
      else if (lastSeenAt <= deadline) this.#drop(status, 'silent');
    }
  }

  #makeRoomFor(replicaUID: string): void {
    this.#forget(replicaUID);
    if (this.#entries.size < REPLICAS_MAX) return;
    const [longestSilent] = [...this.#entries.values()].toSorted(
      (a, b) => a.lastSeenAt - b.lastSeenAt,
    );
    if (longestSilent !== undefined) this.#drop(longestSilent.status, 'silent');
  }

  #drop(status: ReplicaStatus, reason: DropReason): void {
    this.#forget(status.replicaUID);
    if (status.reportedAt !== undefined) this.#observe();
    this.#options.onDropped(status, reason);
  }

  #forget(replicaUID: string): void {
    this.#entries.get(replicaUID)?.position[Symbol.dispose]();
    this.#entries.delete(replicaUID);
  }

  #update(replicaUID: string, change: (entry: Entry) => void): void {
    const entry = this.#entries.get(replicaUID);
    if (entry === undefined) return;
    entry.lastSeenAt = this.#options.clock.now();
    change(entry);
  }

  #observe(): void {
    const reported = this.list().filter(({ reportedAt }) => reportedAt !== undefined);
    const largest = Math.max(0, ...reported.map(({ lagVersions }) => lagVersions));
    this.#lag = observeLag(this.#lag, largest, this.#options.clock.now());
  }
}

/** What a primary's log says of its replicas. Nothing in it is secret. */
export type ReplicationEvent =
  | { readonly kind: 'registered'; readonly replica: ReplicaStatus }
  | { readonly kind: 'dropped'; readonly replica: ReplicaStatus; readonly reason: DropReason }
  /** Shook hands; `replica.version` may differ from the primary's, which is only told. */
  | { readonly kind: 'connected'; readonly replica: ReplicaStatus; readonly peer: string }
  | { readonly kind: 'rejected'; readonly reason: RejectionReason; readonly peer: string }
  | {
      readonly kind: 'copy_started';
      readonly replica: ReplicaStatus;
      /** The commit of the snapshot. */
      readonly sequence: number;
      /** What the replica lacks. */
      readonly pieces: number;
    }
  | {
      readonly kind: 'copy_progress';
      readonly replica: ReplicaStatus;
      readonly piecesDone: number;
      readonly pieces: number;
      readonly bytesDone: number;
    }
  | { readonly kind: 'following'; readonly replica: ReplicaStatus; readonly from: number }
  /** How far it is. */
  | { readonly kind: 'reported'; readonly replica: ReplicaStatus }
  /** A call ended by a fault: of the network, or of the primary. */
  | {
      readonly kind: 'failed';
      readonly replica: ReplicaStatus;
      readonly method: string;
      readonly error: unknown;
    };

type RejectionReason = 'invalid secret' | 'not registered';

export type OnReplicationEvent = (event: ReplicationEvent) => void;
