import { REPLICA_VERIFY_HOLD_MS, REPLICA_VERIFY_READ_MS } from '#base/replication-limits.ts';
import { Problem } from '#base/problem.ts';
import type { Manifest, ManifestPiece } from '#store/manifest.ts';
import type { Comparison, Notice, StateDifference } from './message-shapes.ts';
import type { ReplicaStatus } from './replica-registry.ts';
import { must } from '#base/assert.ts';
import { DATABASES } from '#store/databases.ts';

export const VERIFY_NOTICE = 'VerifyReplica';

export interface VerifiedReplica {
  readonly replicaUID: string;
  readonly replicaName: string;
  /** `unknown` when it did not answer in time. */
  readonly state: 'equal' | 'different' | 'unknown';
  readonly differences: readonly StateDifference[];
}

export interface VerificationReport {
  readonly epoch: string;
  /** At which the states were compared. */
  readonly sequence: number;
  readonly isEqual: boolean;
  readonly replicas: readonly VerifiedReplica[];
}

/** The state of the primary at one commit, held for as long as it takes to read it. */
export interface HeldState extends Disposable {
  readonly sequence: number;
  readManifest(): Promise<Manifest>;
}

export interface VerificationParts {
  replicas(): readonly ReplicaStatus[];
  notify(notice: Notice): void;
  /** The newest commit of the primary, once it is at `sequence` or later. */
  hold(sequence: number): Promise<HeldState>;
  /** Resolves after the time. */
  pause(ms: number): Promise<void>;
}

interface Round {
  readonly id: number;
  /** By replica: where it stopped. */
  readonly held: Map<string, number>;
  readonly compared: Map<string, Comparison>;
  /** The sequence at which all replicas stop and compare. */
  readonly target: PromiseWithResolvers<number>;
  /** The manifest of the primary there. */
  readonly manifest: PromiseWithResolvers<Manifest>;
  readonly onProgress: (done: number) => void;
  readonly cancelling: AbortController;
  expected: number;
  changed: () => void;
}

/**
 * Told how many of the steps are done: all replicas have stopped, the primary is read, then one for
 * each replica.
 */
export type OnVerificationProgress = (done: number, total: number) => void;
const STEPS_OF_PRIMARY = 2;

/**
 * Compares the replicas with the primary at one sequence, while all go on serving: each replica
 * stops applying where it is, the primary, which is ahead of them, holds a commit, and each replica
 * goes on to exactly that one, compares its own state there with the primary's manifest, and
 * follows again.
 */
export class Verification {
  readonly #parts: VerificationParts;
  #round: Round | undefined;
  #rounds = 0;

  constructor(parts: VerificationParts) {
    this.#parts = parts;
  }

  /** Throws `verification_running`, `job_cancelled`. */
  async run(onProgress: OnVerificationProgress = () => {}): Promise<VerificationReport> {
    if (this.#round !== undefined) {
      throw new Problem('verification_running', 'the replicas are being compared already');
    }
    const asked = withoutFormerLives(this.#parts.replicas());
    const round: Round = {
      id: ++this.#rounds,
      held: new Map(),
      compared: new Map(),
      target: Promise.withResolvers<number>(),
      manifest: Promise.withResolvers<Manifest>(),
      onProgress: (done) => onProgress(done, STEPS_OF_PRIMARY + asked.length),
      cancelling: new AbortController(),
      expected: asked.length,
      changed: () => {},
    };
    this.#round = round;
    try {
      return await this.#runRound(round, asked);
    } finally {
      // Replicas that come too late learn that nobody waits for them.
      for (const { promise, reject } of [round.target, round.manifest]) {
        reject(over());
        promise.catch(() => undefined);
      }
      this.#round = undefined;
    }
  }

  /** Ends a comparison that is under way, if there is one; its replicas follow again. */
  cancel(): void {
    this.#round?.cancelling.abort(new Problem('job_cancelled', 'the comparison was cancelled'));
  }

  /** A replica has stopped at `sequence`; resolves with where it should look. */
  async held(replicaUID: string, id: number, sequence: number): Promise<number> {
    const round = this.#roundOf(id);
    round.held.set(replicaUID, sequence);
    round.changed();
    return await round.target.promise;
  }

  /** The state of the primary there. */
  async manifest(id: number): Promise<Manifest> {
    return await this.#roundOf(id).manifest.promise;
  }

  compared(replicaUID: string, id: number, comparison: Comparison): void {
    const round = this.#roundOf(id);
    round.compared.set(replicaUID, comparison);
    round.onProgress(STEPS_OF_PRIMARY + round.compared.size);
    round.changed();
  }

  #roundOf(id: number): Round {
    if (this.#round?.id !== id) throw over();
    return this.#round;
  }

  async #runRound(round: Round, asked: readonly ReplicaStatus[]): Promise<VerificationReport> {
    const { held, compared, target, manifest } = round;
    this.#parts.notify({ kind: VERIFY_NOTICE, payload: { id: round.id } });
    await this.#until(round, () => held.size >= round.expected, REPLICA_VERIFY_HOLD_MS / 2);
    using state = await this.#parts.hold(Math.max(0, ...held.values()));
    target.resolve(state.sequence);
    round.expected = held.size;
    round.onProgress(1);
    const primary = await state.readManifest();
    round.cancelling.signal.throwIfAborted();
    manifest.resolve(primary);
    round.onProgress(STEPS_OF_PRIMARY);
    await this.#until(round, () => compared.size >= round.expected, REPLICA_VERIFY_READ_MS);
    const replicas = asked.map((replica) => verified(replica, compared.get(replica.replicaUID)));
    const { epoch, sequence } = primary;
    const isEqual = replicas.every((replica) => replica.state === 'equal');
    return { epoch, sequence, isEqual, replicas };
  }

  /** Resolves when it is done, or when the time has passed; rejects when it is cancelled. */
  async #until(round: Round, isDone: () => boolean, timeoutMs: number): Promise<void> {
    if (isDone()) return;
    const { signal } = round.cancelling;
    const done = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      round.changed = () => {
        if (isDone()) resolve();
      };
    });
    await Promise.race([done, this.#parts.pause(timeoutMs)]);
    signal.throwIfAborted();
  }
}

/** A replica that was restarted is registered twice until its earlier registration is dropped. */
function withoutFormerLives(replicas: readonly ReplicaStatus[]): ReplicaStatus[] {
  const newest = new Map(replicas.map((replica) => [replica.internalUrl, replica]));
  return [...newest.values()];
}

function over(): Problem {
  return new Problem('replication_unavailable', 'the comparison of replicas is over');
}

function verified(
  { replicaUID, replicaName }: ReplicaStatus,
  comparison: Comparison | undefined,
): VerifiedReplica {
  if (comparison === undefined) {
    return { replicaUID, replicaName, state: 'unknown', differences: [] };
  }
  const { isEqual, differences } = comparison;
  return { replicaUID, replicaName, state: isEqual ? 'equal' : 'different', differences };
}

/** Compares two manifests of the same sequence; answers with nothing when the states are equal. */
export function differencesBetween(primary: Manifest, replica: Manifest): StateDifference[] {
  const differences: StateDifference[] = [];
  for (const { number, name } of DATABASES) {
    const ours = piecesOf(primary, number);
    const theirs = piecesOf(replica, number);
    const onPrimary = without(ours, theirs);
    const onReplica = without(theirs, ours);
    if (onPrimary.length + onReplica.length === 0) continue;
    const keys = [...onPrimary, ...onReplica].map(({ firstKey }) => firstKey).toSorted();
    differences.push({
      database: name,
      piecesOnPrimary: onPrimary.length,
      piecesOnReplica: onReplica.length,
      firstKey: must(keys[0], 'a piece that differs'),
    });
  }
  return differences;
}

function piecesOf({ databases }: Manifest, number: number): readonly ManifestPiece[] {
  return databases.find((database) => database.number === number)?.pieces ?? [];
}

function without(
  pieces: readonly ManifestPiece[],
  others: readonly ManifestPiece[],
): ManifestPiece[] {
  const digests = new Set(others.map(({ digest }) => digest));
  return pieces.filter(({ digest }) => !digests.has(digest));
}
