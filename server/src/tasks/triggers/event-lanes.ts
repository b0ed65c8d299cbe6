import type { FoundEvent } from './trigger.ts';

/** An event that has not run to its end. */
export interface WaitingEvent extends FoundEvent {
  /** How often it was tried. */
  attempts: number;
}

/**
 * Events that wait, in the order in which they were committed: those of one node run one after the
 * other, those of several nodes side by side.
 */
export class EventLanes {
  /** In the order of the log. */
  readonly #waiting = new Set<WaitingEvent>();
  /** By the UID of the node: the first is under way, or waits to be tried again. */
  readonly #lanes = new Map<string, WaitingEvent[]>();
  readonly #ready: WaitingEvent[] = [];

  get size(): number {
    return this.#waiting.size;
  }

  /** The oldest; undefined when there is none. */
  get oldest(): WaitingEvent | undefined {
    return this.#waiting.values().next().value;
  }

  add(event: FoundEvent): void {
    const waiting = { ...event, attempts: 0 };
    this.#waiting.add(waiting);
    const lane = this.#lanes.get(event.uid);
    if (lane !== undefined) {
      lane.push(waiting);
      return;
    }
    this.#lanes.set(event.uid, [waiting]);
    this.#ready.push(waiting);
  }

  /** The next one that may run now; its node waits for it. */
  take(): WaitingEvent | undefined {
    return this.#ready.shift();
  }

  /** One that was taken may run again. */
  giveBack(event: WaitingEvent): void {
    this.#ready.push(event);
  }

  /** One that was taken has run to its end. */
  done(event: WaitingEvent): void {
    this.#waiting.delete(event);
    const lane = this.#lanes.get(event.uid) ?? [];
    lane.shift();
    const [next] = lane;
    if (next === undefined) this.#lanes.delete(event.uid);
    else this.#ready.push(next);
  }
}
