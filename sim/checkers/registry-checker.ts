import { REPLICA_DROP_MS, REPLICAS_MAX } from '../../server/src/base/replication-limits.ts';
import type { Clock } from '../../server/src/base/clock.ts';
import type { ReplicationServer } from '../../server/src/replication/replication-server.ts';
import type { ReplicationEvent } from '../../server/src/replication/replica-registry.ts';

type Report = (message: string) => void;

/** A primary looks for silent replicas every so often, and reports take their time. */
const DROP_SLACK_MS = 6_000;

/**
 * What a primary says of its replicas and keeps for them (specification, sections 2.7, 3.1 and 8).
 */
export class RegistryChecker {
  readonly #clock: Clock;
  readonly #isFollowing: (replicaUID: string) => boolean;
  readonly #report: Report;
  /** When a replica was last heard of, by its UID: its registration or any message of its own. */
  readonly #heardAt = new Map<string, number>();
  readonly #mayResume = new Set<string>();
  readonly #reportedAt = new Map<string, number>();

  constructor(clock: Clock, isFollowing: (replicaUID: string) => boolean, report: Report) {
    this.#clock = clock;
    this.#isFollowing = isFollowing;
    this.#report = report;
  }

  /** `mayResume`: the log has everything after what the replica has, and so must keep it. */
  onRegistered(replicaUID: string, mayResume: boolean): void {
    this.onHeard(replicaUID, true);
    if (mayResume) this.#mayResume.add(replicaUID);
    else this.#mayResume.delete(replicaUID);
  }

  onHeard(replicaUID: string, isReport: boolean): void {
    this.#heardAt.set(replicaUID, this.#clock.now());
    if (isReport) this.#reportedAt.set(replicaUID, this.#clock.now());
  }

  onEvent(event: ReplicationEvent): void {
    if (event.kind === 'dropped') this.#onDropped(event.replica.replicaUID);
    if (event.kind === 'copy_started') this.#mayResume.add(event.replica.replicaUID);
    if (event.kind === 'failed' && codeOf(event.error) === 'log_trimmed') {
      const { replicaUID } = event.replica;
      if (!this.#mayResume.has(replicaUID)) return;
      this.#report(`what ${replicaUID} needs of the log is gone: ${String(event.error)}`);
    }
  }

  #onDropped(replicaUID: string): void {
    // One that makes room for another need not be silent.
    if (this.#mayResume.size >= REPLICAS_MAX) return;
    const silentMs = this.#clock.now() - (this.#reportedAt.get(replicaUID) ?? 0);
    if (silentMs < REPLICA_DROP_MS) {
      this.#report(`${replicaUID} is dropped ${silentMs} ms after its last report`);
    }
    if (this.#isFollowing(replicaUID)) this.#report(`${replicaUID} is dropped while it follows`);
  }

  read(server: ReplicationServer): void {
    const { currentLag, averageLag, emaLag, recommendedDelayMs } = server.lag();
    const lags = { currentLag, averageLag, emaLag, recommendedDelayMs };
    for (const [name, lag] of Object.entries(lags)) {
      if (!(lag >= 0)) this.#report(`${name} is ${lag}`);
    }
    for (const { replicaUID, lagVersions } of server.replicas()) {
      if (!(lagVersions >= 0)) this.#report(`the lag of ${replicaUID} is ${lagVersions}`);
      const silentMs = this.#clock.now() - (this.#heardAt.get(replicaUID) ?? 0);
      if (silentMs > REPLICA_DROP_MS + DROP_SLACK_MS) {
        this.#report(`${replicaUID} is still listed after a silence of ${silentMs} ms`);
      }
    }
  }

  /**
   * Checks after a trim that the log still has everything after the last report of each listed
   * replica.
   */
  onTrimmed(firstSequence: number, server: ReplicationServer): void {
    for (const { replicaUID, reportedAt, appliedSequence } of server.replicas()) {
      if (!this.#mayResume.has(replicaUID) || reportedAt === undefined) continue;
      if (appliedSequence >= firstSequence - 1) continue;
      this.#report(
        `the log begins at ${firstSequence}, and ${replicaUID} has reported ${appliedSequence}`,
      );
    }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
