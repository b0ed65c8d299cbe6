import { contentOf } from '../workspace-state.ts';
import type { StateVersion } from '../workspace-state.ts';

interface Epoch {
  /** The state at the end of each commit, by its sequence. */
  readonly states: Map<number, string>;
  /** The epoch whose beginning it shares, up to a sequence. */
  readonly parent?: { readonly epoch: string; readonly sequence: number };
}

/**
 * What really happened: the state at the end of each commit, by epoch, and which commits were
 * acknowledged.
 */
export class CommitHistory {
  readonly #epochs = new Map<string, Epoch>();
  /** Sequences of acknowledged commits that must still be there, with the state at each. */
  readonly #acknowledged = new Map<number, string>();

  /** An epoch goes on from a state of another one. */
  branch(epoch: string, { epoch: parent, sequence }: StateVersion): void {
    this.#epochs.set(epoch, { states: new Map(), parent: { epoch: parent, sequence } });
  }

  /** The state after a commit that is durable on the primary. */
  record(version: StateVersion): void {
    const { epoch, sequence } = version;
    const known = this.#epochs.get(epoch) ?? { states: new Map() };
    this.#epochs.set(epoch, known);
    known.states.set(sequence, contentOf(version));
  }

  acknowledge(version: StateVersion): void {
    this.#acknowledged.set(version.sequence, contentOf(version));
  }

  /** A replica is a primary now: what it never had is gone, as it must be. */
  promoted({ epoch, sequence }: StateVersion): void {
    for (const [acknowledged, content] of this.#acknowledged) {
      const isKept = acknowledged <= sequence && this.contentAt(epoch, acknowledged) === content;
      if (!isKept) this.#acknowledged.delete(acknowledged);
    }
  }

  /** Undefined where no commit of the epoch ends. */
  contentAt(epoch: string, sequence: number): string | undefined {
    const known = this.#epochs.get(epoch);
    const content = known?.states.get(sequence);
    const parent = known?.parent;
    if (content !== undefined || parent === undefined || sequence > parent.sequence) return content;
    return this.contentAt(parent.epoch, sequence);
  }

  /** The sequence of an acknowledged commit that a state does not have. */
  missingIn({ epoch, sequence }: StateVersion): number | undefined {
    for (const [acknowledged, content] of this.#acknowledged) {
      if (acknowledged > sequence) return acknowledged;
      if (this.contentAt(epoch, acknowledged) !== content) return acknowledged;
    }
    return undefined;
  }
}
