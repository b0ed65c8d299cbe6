import { assert } from '#base/assert.ts';
import type { HeldState, KeyValueReader, TurnHolder } from '#store/key-value.ts';
import { StateReader } from '../state-reader.ts';
import { MovingState } from './moving-state.ts';

/** Readers that wait to be used again; each may have an index of access, which takes memory. */
const SPARE_READERS_MAX = 4;

/**
 * Holds commits for those who read one of them over several turns of the event loop. Whoever holds
 * the same commit shares what is held. While nothing is written, the reader of the turn serves
 * them, which has the packed rows.
 */
export class Snapshots {
  readonly #turn: StateReader;
  readonly #holder: TurnHolder;
  /** The newest that is held. */
  #newest: Snapshot | undefined;
  readonly #spare: SlotReader[] = [];

  /** `holder` is the state under the reader. */
  constructor(turn: StateReader, holder: TurnHolder) {
    this.#turn = turn;
    this.#holder = holder;
  }

  /** The commit of this turn, until it is given back. */
  hold(): Snapshot {
    if (this.#newest?.sequence === this.#turn.sequence) return this.#newest.share();
    const snapshot = new Snapshot(this.#holder.holdTurn(), {
      turn: this.#turn,
      take: (sequence) => this.#takeSpare(sequence) ?? new SlotReader(),
      end: (ended, slot) => {
        if (this.#newest === ended) this.#newest = undefined;
        slot?.state.leave();
        if (slot !== undefined && this.#spare.length < SPARE_READERS_MAX) this.#spare.push(slot);
      },
    });
    this.#newest = snapshot;
    return snapshot;
  }

  /** One that has not stood at a newer commit: it and its index of access only go forward. */
  #takeSpare(sequence: number): SlotReader | undefined {
    const at = this.#spare.findLastIndex(({ state }) => state.sequence <= sequence);
    return at < 0 ? undefined : this.#spare.splice(at, 1)[0];
  }
}

/** A reader that stands at one commit after another, never at an older one. */
class SlotReader {
  readonly state = new MovingState();
  #reader: StateReader | undefined;

  at(held: HeldState): StateReader {
    this.state.move(held, held.sequence);
    this.#reader ??= new StateReader(this.state, this.state);
    this.#reader.refresh();
    return this.#reader;
  }
}

interface SnapshotParts {
  readonly turn: StateReader;
  readonly take: (sequence: number) => SlotReader;
  readonly end: (snapshot: Snapshot, slot: SlotReader | undefined) => void;
}

/** What a transaction reads. */
export interface ReadSnapshot {
  readonly state: KeyValueReader;
  /** The commit that it is, or is on top of. */
  readonly base: ReadSnapshot;
  /** Of that commit. */
  readonly sequence: number;
  /** For reads in this turn of the event loop. */
  readonly reader: StateReader;
  release(): void;
}

/** One commit that is held. */
export class Snapshot implements ReadSnapshot {
  readonly state: HeldState;
  readonly #parts: SnapshotParts;
  #holders = 1;
  #slot: SlotReader | undefined;
  #reader: StateReader | undefined;

  constructor(state: HeldState, parts: SnapshotParts) {
    this.state = state;
    this.#parts = parts;
  }

  get base(): this {
    return this;
  }

  get sequence(): number {
    return this.state.sequence;
  }

  /** For reads in this turn of the event loop. */
  get reader(): StateReader {
    assert(this.#holders > 0, 'a snapshot that is held');
    const { turn, take } = this.#parts;
    if (turn.sequence === this.sequence) return turn;
    if (this.#reader === undefined) {
      this.#slot = take(this.sequence);
      this.#reader = this.#slot.at(this.state);
    }
    return this.#reader;
  }

  share(): this {
    this.#holders++;
    return this;
  }

  /** Gives it back; nobody reads it any more when all who hold it have. */
  release(): void {
    if (--this.#holders > 0) return;
    this.state[Symbol.dispose]();
    this.#parts.end(this, this.#slot);
  }
}
