import {
  WRITE_LINE_ALONE_MAX,
  WRITE_LINE_ALONE_MS,
  WRITE_LINE_CALLS_MAX,
  WRITE_TURN_AWAITED_MAX_MS,
} from '#base/transaction-limits.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { ReadKeys } from '#graph/transactions/read-set.ts';
import { WriteLine } from './write-line.ts';

interface WaitingCall {
  /** Called when its turn has come, which it may have with others. */
  readonly resolve: (line: WriteLine | undefined) => void;
  readonly mayShare: boolean;
}

interface Place {
  /** A call, or a line of calls. */
  holder: object;
  /** Ends the turn of the holder; there as long as others wait for it. */
  timer: NodeJS.Timeout | undefined;
  /** In the order in which they came. */
  readonly waiting: Map<object, WaitingCall>;
}

/**
 * Lets calls that are in each other's way write one after the other. A call whose transaction was
 * refused because others have changed a place in the graph gets a turn there: from then until it is
 * over, nobody else who has read the place commits. So each call that waited gets its writes done,
 * however many there are; without turns all would begin again with each commit, and most would run
 * out of attempts. Where two have a turn at different places that both have read, the one that was
 * there first goes on: otherwise each would make way for the other.
 *
 * A turn ends when others have waited for it for a while: the next one gets it. So a migration of
 * an hour, or a call that waits, does not keep short calls until their time is over. The one that
 * has lost its turn makes way for nobody when it ends: if each made way for the next one, calls
 * that take longer than a turn would never commit.
 *
 * Those that wait get a turn together where they may: see `WriteLine`.
 */
export class WriteTurns {
  /** By the name that `RecentWrites` gives it. */
  readonly #places = new Map<string, Place>();
  readonly #placeOf = new Map<object, string>();
  /** Calls that have lost their turn since they have begun. */
  readonly #overdue = new WeakSet<object>();
  readonly #awaitedMsMax: number;
  readonly #commitLine: CommitPort['commitLine'];
  /** Versions of endpoints that are kept out of lines: until when. */
  readonly #alone = new Map<string, number>();
  #lines = 0;

  /** Without `commitLine` each call has a turn of its own. */
  constructor(awaitedMsMax = WRITE_TURN_AWAITED_MAX_MS, commitLine?: CommitPort['commitLine']) {
    this.#awaitedMsMax = awaitedMsMax;
    this.#commitLine = commitLine;
  }

  /** Keeps calls of a version of an endpoint out of lines for a while. */
  keepAlone(version: string): void {
    if (this.#alone.size >= WRITE_LINE_ALONE_MAX) this.#alone.clear();
    this.#alone.set(version, performance.now() + WRITE_LINE_ALONE_MS);
  }

  isAlone(version: string): boolean {
    return performance.now() < (this.#alone.get(version) ?? 0);
  }

  /**
   * The place among these reads where the turn is another's, which that one has had before this
   * call had its own; undefined when there is none.
   */
  takenPlace(reads: ReadKeys, call: object): string | undefined {
    if (this.#places.size === 0 || this.#overdue.has(call)) return undefined;
    const points = new Set(reads.points);
    // In the order in which they were taken.
    for (const [name, { holder }] of this.#places) {
      if (holder === call) return undefined;
      if (points.has(name) || isInRange(reads, name)) return name;
    }
    return undefined;
  }

  /**
   * Resolves when it is the turn of the call, which gives back the one that it had; with the line
   * that it is in when it shares its turn.
   */
  enter(place: string, call: object, mayShare = false): Promise<WriteLine | undefined> {
    this.#overdue.delete(call);
    if (this.#placeOf.get(call) === place && this.#places.get(place)?.holder === call) {
      return Promise.resolve(undefined);
    }
    this.leave(call);
    this.#placeOf.set(call, place);
    const known = this.#places.get(place);
    if (known === undefined) {
      this.#places.set(place, { holder: call, waiting: new Map(), timer: undefined });
      return Promise.resolve(undefined);
    }
    return new Promise((resolve) => {
      known.waiting.set(call, { resolve, mayShare });
      this.#limit(known);
    });
  }

  /** The call is over, or waits no more. */
  leave(call: object): void {
    const name = this.#placeOf.get(call);
    if (name === undefined) return;
    this.#placeOf.delete(call);
    const place = this.#places.get(name);
    if (place === undefined) return;
    if (place.holder !== call) {
      place.waiting.delete(call);
      if (place.waiting.size === 0) this.#unlimit(place);
      return;
    }
    this.#unlimit(place);
    const [next] = place.waiting;
    if (next === undefined) {
      this.#places.delete(name);
      return;
    }
    const line = this.#lineOf(name, place);
    const [one, { resolve }] = next;
    place.holder = line ?? one;
    if (line === undefined) place.waiting.delete(one);
    if (place.waiting.size > 0) this.#limit(place);
    if (line === undefined) resolve(undefined);
  }

  /** Lets those in who may have the next turn together; undefined when it is of one alone. */
  #lineOf(name: string, { waiting }: Place): WriteLine | undefined {
    const [first] = waiting.values();
    if (this.#commitLine === undefined || first?.mayShare !== true) return undefined;
    const sharing = [...waiting].filter(([, { mayShare }]) => mayShare);
    if (sharing.length === 1) return undefined;
    const members = sharing.slice(0, WRITE_LINE_CALLS_MAX);
    const line = new WriteLine({
      place: name,
      number: ++this.#lines,
      calls: members.map(([call]) => call),
      commitLine: this.#commitLine,
      onOver: (over) => this.leave(over),
    });
    this.#placeOf.set(line, name);
    for (const [call, { resolve }] of members) {
      waiting.delete(call);
      this.#placeOf.delete(call);
      resolve(line);
    }
    return line;
  }

  /** Ends the turn of the holder in a while, as others wait for it. */
  #limit(place: Place): void {
    place.timer ??= setTimeout(() => {
      this.#overdue.add(place.holder);
      this.leave(place.holder);
    }, this.#awaitedMsMax).unref();
  }

  #unlimit(place: Place): void {
    clearTimeout(place.timer);
    place.timer = undefined;
  }
}

/** Whether a place is a key in one of the ranges. */
function isInRange({ ranges }: ReadKeys, place: string): boolean {
  const key = place.slice(1);
  return ranges.some(([letter, start, end]) => letter === place[0] && start <= key && key < end);
}
