import { Problem } from '#base/problem.ts';
import type { Notice } from '#replication/message-shapes.ts';
import type { ReplicaChannel } from '#replication/replica-channel.ts';
import { REPLICA_VERIFY_HOLD_MS } from '#base/replication-limits.ts';
import { VERIFY_NOTICE } from '#replication/verification.ts';
import type { Manifest } from '#store/manifest.ts';
import { digestHeld } from '#store/snapshot.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import type { PausableState } from './pausable-state.ts';

export interface StateInspectionParts {
  readonly storage: string;
  readonly masterKey: string | undefined;
  readonly state: PausableState;
  readonly note: (text: string, level: 'info' | 'warn') => void;
}

/**
 * Compares the state of a replica with that of the primary when the primary asks for it: see
 * `Verification`.
 */
export class StateInspection {
  readonly #parts: StateInspectionParts;
  #isRunning = false;

  constructor(parts: StateInspectionParts) {
    this.#parts = parts;
  }

  static isAskedFor({ kind }: Notice): boolean {
    return kind === VERIFY_NOTICE;
  }

  /** One at a time; whatever goes wrong, the state goes on following. */
  async answer(channel: ReplicaChannel, { payload }: Notice): Promise<void> {
    const id = idOf(payload);
    if (this.#isRunning || id === undefined) return;
    this.#isRunning = true;
    const { state, note } = this.#parts;
    // A primary that says nothing must not keep the replica from following.
    const timer = setTimeout(() => state.resume(), REPLICA_VERIFY_HOLD_MS);
    try {
      const sequence = await state.pause();
      await channel.verify({ id, sequence }, (target) => this.#manifestAt(target));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      note(`the comparison with the primary ended: ${error.message}`, 'warn');
    } finally {
      clearTimeout(timer);
      state.resume();
      this.#isRunning = false;
    }
  }

  async #manifestAt(sequence: number): Promise<Manifest> {
    const { storage, masterKey, state } = this.#parts;
    await state.advanceTo(sequence);
    using reader = openSnapshotReader({ storage, masterKey, environments: ['graph', 'vault'] });
    using held = reader.hold();
    state.resume();
    if (held.sequence !== sequence) {
      const where = `the replica is at ${held.sequence}, and was to look at ${sequence}`;
      throw new Problem('replication_unavailable', where);
    }
    return await digestHeld(held);
  }
}

function idOf(payload: unknown): number | undefined {
  if (typeof payload !== 'object' || payload === null || !('id' in payload)) return undefined;
  return typeof payload.id === 'number' ? payload.id : undefined;
}
