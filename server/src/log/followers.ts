import { assert } from '#base/assert.ts';
import { FOLLOWERS_MAX } from '#base/limits.ts';
import { APPLIED_SEQUENCE_BYTES, AppliedSequence } from './applied-sequence.ts';

/**
 * The one registry of who follows the log, in memory that the threads of a process share: how far
 * the state is, and a slot for each follower, with the position that it has reached and the one
 * after which it needs the log kept. Trimming looks here and nowhere else.
 *
 *     bytes
 *        24  see `AppliedSequence`
 *   then for each slot
 *         8  kind, as its place in FOLLOWER_KINDS and one more; 0 while the slot is free
 *         8  sequence that it has reached
 *         8  sequence after which it needs the log; -1: it needs none; -2: none is kept for it
 *
 * Readers of the state have no slot. They read what is applied and need no log.
 */
export const FOLLOWER_KINDS = ['text index', 'vector index', 'backups', 'replica'] as const;

export type FollowerKind = (typeof FOLLOWER_KINDS)[number];

/** A process has one follower of each of these kinds. Its slot is the kind's place in the list. */
export type SingleFollowerKind = Exclude<FollowerKind, 'replica'>;

const SINGLE_FOLLOWERS = FOLLOWER_KINDS.indexOf('replica');
const SLOT_WORDS = 3;
const FREE = 0n;
const NOTHING = -1n;
const DROPPED = -2n;

/**
 * The place of a follower, which that follower alone writes; only a trim that lacks room takes back
 * what it needs.
 */
export interface FollowerSlot extends Disposable {
  /** Everything up to the sequence is taken in. */
  reached(sequence: number): void;
  /**
   * The log after the sequence is needed; undefined when none of it is. Whoever was dropped is not
   * dropped any more.
   */
  needs(after: number | undefined): void;
  /**
   * Whether the log is not kept for it any more, as there is no room; until it needs something
   * again.
   */
  readonly isDropped: boolean;
}

/** A follower that needs something, as whoever trims sees it. */
export interface NeedingFollower {
  readonly kind: FollowerKind;
  readonly reached: number;
  readonly neededAfter: number;
  /** The log is not kept for it any more, and it finds that in its slot. */
  drop(): void;
}

export class Followers {
  /** To make the same registry of in another thread. */
  readonly buffer: SharedArrayBuffer;
  readonly applied: AppliedSequence;
  readonly #words: BigInt64Array;

  constructor(buffer?: SharedArrayBuffer) {
    this.buffer = buffer ?? newBuffer();
    this.applied = new AppliedSequence(this.buffer);
    this.#words = new BigInt64Array(this.buffer, APPLIED_SEQUENCE_BYTES);
  }

  /**
   * A registry of a process that is yet to start its followers: all of the log is needed for these
   * until they have said what they need.
   */
  static awaiting(kinds: readonly SingleFollowerKind[]): Followers {
    const followers = new Followers();
    for (const kind of kinds) followers.of(kind).needs(0);
    return followers;
  }

  /** The slot of a kind that has one follower. */
  of(kind: SingleFollowerKind): FollowerSlot {
    const place = FOLLOWER_KINDS.indexOf(kind);
    Atomics.store(this.#words, place * SLOT_WORDS, wordOf(kind));
    return new Slot(this.#words, place);
  }

  /** A slot of its own for one more replica, until it is disposed. */
  claim(kind: 'replica'): FollowerSlot {
    for (let place = SINGLE_FOLLOWERS; place < FOLLOWERS_MAX; place++) {
      const at = place * SLOT_WORDS;
      if (Atomics.compareExchange(this.#words, at, FREE, wordOf(kind)) !== FREE) continue;
      return new Slot(this.#words, place);
    }
    assert(false, 'there are more followers than slots for them');
  }

  /** The followers that need some of the log. */
  needing(): readonly NeedingFollower[] {
    const words = this.#words;
    const found: NeedingFollower[] = [];
    for (let at = 0; at < words.length; at += SLOT_WORDS) {
      const kind = FOLLOWER_KINDS[Number(Atomics.load(words, at)) - 1];
      const needed = Atomics.load(words, at + 2);
      if (kind === undefined || needed < 0n) continue;
      found.push({
        kind,
        reached: Number(Atomics.load(words, at + 1)),
        neededAfter: Number(needed),
        // What it has said meanwhile holds.
        drop: () => void Atomics.compareExchange(words, at + 2, needed, DROPPED),
      });
    }
    return found;
  }

  /** The sequence after which the log must be kept; undefined when nobody needs any of it. */
  lowestNeeded(): number | undefined {
    const needed = this.needing().map(({ neededAfter }) => neededAfter);
    return needed.length === 0 ? undefined : Math.min(...needed);
  }

  /** Frees the slots of all of a kind: of a thread that has ended. */
  release(kind: FollowerKind): void {
    for (let place = 0; place < FOLLOWERS_MAX; place++) {
      if (Atomics.load(this.#words, place * SLOT_WORDS) !== wordOf(kind)) continue;
      new Slot(this.#words, place)[Symbol.dispose]();
    }
  }
}

class Slot implements FollowerSlot {
  readonly #words: BigInt64Array;
  readonly #at: number;

  constructor(words: BigInt64Array, place: number) {
    this.#words = words;
    this.#at = place * SLOT_WORDS;
  }

  reached(sequence: number): void {
    Atomics.store(this.#words, this.#at + 1, BigInt(sequence));
  }

  needs(after: number | undefined): void {
    Atomics.store(this.#words, this.#at + 2, after === undefined ? NOTHING : BigInt(after));
  }

  get isDropped(): boolean {
    return Atomics.load(this.#words, this.#at + 2) === DROPPED;
  }

  [Symbol.dispose](): void {
    this.needs(undefined);
    this.reached(0);
    Atomics.store(this.#words, this.#at, FREE);
  }
}

function wordOf(kind: FollowerKind): bigint {
  return BigInt(FOLLOWER_KINDS.indexOf(kind) + 1);
}

function newBuffer(): SharedArrayBuffer {
  const slotBytes = SLOT_WORDS * BigInt64Array.BYTES_PER_ELEMENT;
  return new SharedArrayBuffer(APPLIED_SEQUENCE_BYTES + FOLLOWERS_MAX * slotBytes);
}
