import type { ReplicationEvent } from '../../server/src/replication/replica-registry.ts';
import type { ReplicationServer } from '../../server/src/replication/replication-server.ts';
import type { Scheduler } from '../scheduler.ts';
import { contentOf } from '../workspace-state.ts';
import type { StateVersion } from '../workspace-state.ts';
import type { CommitHistory } from './commit-history.ts';
import { RegistryChecker } from './registry-checker.ts';
import { ServingChecker } from './serving-checker.ts';

export interface Violation {
  readonly checker: 'serving' | 'registry' | 'acknowledged' | 'converged' | 'ended';
  readonly elapsedMs: number;
  readonly message: string;
}

/** What is looked at of a primary. */
interface SeenPrimary {
  readonly process: { readonly isAlive: boolean };
  readonly firstSequence: number;
  readonly server: ReplicationServer;
}

/** What is looked at of a replica. */
interface SeenReplica {
  readonly process: { readonly name: string };
  /** What its readers see now, and whether they have ever seen anything. */
  readonly served: StateVersion | undefined;
  readonly hasServed: boolean;
}

/** How often a primary is asked for its replicas. */
const LIST_INTERVAL_MS = 100;

/** Everything that must hold in a simulation; they look on and change nothing. */
export class Checkers {
  readonly violations: Violation[] = [];
  readonly #scheduler: Scheduler;
  readonly #history: CommitHistory;
  readonly #serving: ServingChecker;
  readonly #registry: RegistryChecker;
  #listedAt = 0;

  /** `isFollowing` tells whether a replica serves and can be heard. */
  constructor(
    scheduler: Scheduler,
    history: CommitHistory,
    isFollowing: (replicaUID: string) => boolean,
  ) {
    this.#scheduler = scheduler;
    this.#history = history;
    this.#serving = new ServingChecker(history, (message) => this.report('serving', message));
    const report = (message: string): void => this.report('registry', message);
    this.#registry = new RegistryChecker(scheduler, isFollowing, report);
  }

  report(checker: Violation['checker'], message: string): void {
    const { elapsedMs } = this.#scheduler;
    this.#scheduler.note(`VIOLATION ${checker}: ${message}`);
    this.violations.push({ checker, elapsedMs, message });
  }

  /** Between any two events: everything that can be seen is looked at. */
  look(primary: SeenPrimary | undefined, replicas: readonly SeenReplica[]): void {
    for (const { process, served } of replicas) {
      if (served !== undefined) this.#serving.read(process.name, served);
    }
    const now = this.#scheduler.now();
    if (primary?.process.isAlive !== true || now < this.#listedAt + LIST_INTERVAL_MS) return;
    this.#listedAt = now;
    this.#registry.read(primary.server);
  }

  onMessage(client: string, path: string): void {
    this.#registry.onHeard(client, path.endsWith('/Report'));
  }

  onRegistered(replicaUID: string, mayResume: boolean): void {
    this.#registry.onRegistered(replicaUID, mayResume);
  }

  onEvent(event: ReplicationEvent): void {
    this.#registry.onEvent(event);
  }

  onTrimmed({ firstSequence, server }: SeenPrimary): void {
    this.#registry.onTrimmed(firstSequence, server);
  }

  /**
   * What ended a replica that was not asked to end: before it serves any failure that the channel
   * knows, later only what it cannot go on from.
   */
  onReplicaEnded(
    { process, hasServed }: SeenReplica,
    error: unknown,
    isNetworkDamaging: boolean,
  ): void {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (ENDS_ANY.has(code) || (!hasServed && ENDS_JOINING.has(code))) return;
    // Whose proof was changed on its way cannot be told from one with another key.
    if (code === 'replication_not_authenticated' && isNetworkDamaging) return;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.report('ended', `${process.name}: ${text}`);
  }

  /** A replica says what it does: nothing is found damaged that was not. */
  onNote(name: string, text: string, isNetworkDamaging: boolean): void {
    if (isNetworkDamaging || !text.includes('corrupt')) return;
    this.report('ended', `${name} has received what nobody damaged: ${text}`);
  }

  onPrimaryFailed(name: string, error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.report('ended', `the primary ${name} does not start: ${text}`);
  }

  /** Checks the state of a primary that has just started, and the one at the end. */
  checkAcknowledged(state: StateVersion): void {
    const missing = this.#history.missingIn(state);
    if (missing === undefined) return;
    this.report(
      'acknowledged',
      `the commit that ends at sequence ${missing} was acknowledged and is gone`,
    );
  }

  /** Once nothing fails any more and nobody writes. */
  checkConverged(primary: StateVersion, replicas: readonly SeenReplica[]): void {
    for (const { process, served } of replicas) {
      if (served === undefined) {
        this.report('converged', `${process.name} serves nothing`);
      } else if (!isEqual(served, primary)) {
        const place = `sequence ${served.sequence} of ${served.epoch}`;
        const wanted = `sequence ${primary.sequence} of ${primary.epoch}`;
        this.report('converged', `${process.name} is at ${place}, the primary at ${wanted}`);
      }
    }
  }
}

export function isEqual(a: StateVersion, b: StateVersion): boolean {
  return a.epoch === b.epoch && a.sequence === b.sequence && contentOf(a) === contentOf(b);
}

const ENDS_ANY: ReadonlySet<string> = new Set([
  'replication_epoch_differs',
  'log_trimmed',
  'storage_full',
  'ENOSPC',
]);
const ENDS_JOINING: ReadonlySet<string> = new Set([
  'replication_unavailable',
  'replica_not_registered',
  'replication_corrupt',
  'snapshot_corrupt',
]);
