import { assert } from '#base/assert.ts';
import { FOLLOWERS_MAX } from '#base/limits.ts';
import { APPLIED_SEQUENCE_BYTES, AppliedSequence } from './applied-sequence.ts';

/**
 * The one registry of the followers of the log, in memory that the threads of a process share. It
 * holds how far the state is, and a slot for each follower: the sequence that it has reached, and
 * the sequence after which it needs the log. Trimming reads only this registry.
 *
 *     bytes
 *        24  see `AppliedSequence`
 *   then for each slot
 *         8  kind, as its place in FOLLOWER_KINDS and one more; 0 while the slot is free
 *         8  sequence that it has reached
 *         8  sequence after which it needs the log; -1: it needs none; -2: none is kept for it
 *
 * Readers of the state have no slot. They read what is applied and do not need the log.
 */
export const FOLLOWER_KINDS = [
  'text index',
  'vector index',
  'backups',
  'triggers',
  'webhooks',
  'documents',
  'watches',
  'replica',
] as const;

export type FollowerKind = (typeof FOLLOWER_KINDS)[number];

/** A process has one follower of each of these kinds. Its slot is the kind's place in the list. */
export type SingleFollowerKind = Exclude<FollowerKind, 'replica'>;

const SINGLE_FOLLOWERS = FOLLOWER_KINDS.indexOf('replica');
const SLOT_WORDS = 3;
const FREE = 0n;
const NOTHING = -1n;
const DROPPED = -2n;

/**
 * The slot of one follower, which only that follower writes. There is one exception: a trim that
 * lacks room drops what the follower needs.
 */
export interface FollowerSlot extends Disposable {
  /** The follower has taken in everything up to the sequence. */
  reached(sequence: number): void;
  /**
   * The follower needs the log after the sequence; undefined when it needs none. A follower that
   * was dropped is not dropped any more.
   */
  needs(after: number | undefined): void;
  /**
   * True when the log is no longer kept for this follower, because there is no room. It stays true
   * until `needs` is called again.
   */
  readonly isDropped: boolean;
}

/** A follower that needs some of the log, as the trim sees it. */
export interface NeedingFollower {
  readonly kind: FollowerKind;
  readonly reached: number;
  readonly neededAfter: number;
  /** Stops keeping the log for it; the follower sees this in its slot. */
  drop(): void;
}

export class Followers {
  /** The shared memory, from which another thread makes the same registry. */
  readonly buffer: SharedArrayBuffer;
  readonly applied: AppliedSequence;
  readonly #words: BigInt64Array;

  constructor(buffer?: SharedArrayBuffer) {
    this.buffer = buffer ?? newBuffer();
    this.applied = new AppliedSequence(this.buffer);
    this.#words = new BigInt64Array(this.buffer, APPLIED_SEQUENCE_BYTES);
  }

  /**
   * A registry for a process that has not started its followers yet. The whole log is kept for
   * followers of these kinds until they say what they need.
   */
  static awaiting(kinds: readonly SingleFollowerKind[]): Followers {
    const followers = new Followers();
    for (const kind of kinds) followers.of(kind).needs(0);
    return followers;
  }

  /** The slot of a kind of which there is one follower. */
  of(kind: SingleFollowerKind): FollowerSlot {
    const place = FOLLOWER_KINDS.indexOf(kind);
    Atomics.store(this.#words, place * SLOT_WORDS, wordOf(kind));
    return new Slot(this.#words, place);
  }

  /** Takes a free slot for one more replica; disposing of the slot frees it. */
  claim(kind: 'replica'): FollowerSlot {
    for (let place = SINGLE_FOLLOWERS; place < FOLLOWERS_MAX; place++) {
      const at = place * SLOT_WORDS;
      if (Atomics.compareExchange(this.#words, at, FREE, wordOf(kind)) !== FREE) continue;
      return new Slot(this.#words, place);
    }
    assert(false, 'there are more followers than slots for them');
  }

  /** What the one follower of a kind has; undefined where this process has none of it. */
  reachedBy(kind: SingleFollowerKind): number | undefined {
    const at = FOLLOWER_KINDS.indexOf(kind) * SLOT_WORDS;
    if (Atomics.load(this.#words, at) === FREE) return undefined;
    return Number(Atomics.load(this.#words, at + 1));
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
        // If the follower has said something newer in the meantime, that holds.
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

  /** Frees all slots of a kind, after the thread of these followers has ended. */
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
