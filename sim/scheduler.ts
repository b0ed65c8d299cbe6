import { createHash } from 'node:crypto';
import type { Clock, Timers } from '../server/src/base/clock.ts';
import type { Random } from './random.ts';

interface Event {
  readonly time: number;
  /** Decides between events of the same millisecond. */
  readonly tie: number;
  readonly label: string;
  readonly run: () => void;
  isCancelled: boolean;
}

const BEGINNING = 1_700_000_000_000;

/**
 * The only clock and the only cause of anything in a simulation. It takes the next event, moves the
 * time there, runs it, and waits until every promise that it settled has had its consequences: Node
 * empties its queues of ticks and microtasks before it runs what `setImmediate` was given, so one
 * turn of the event loop is enough, and no real time and no input or output can come between.
 * Events of the same millisecond run in an order that the seed decides.
 */
export class Scheduler implements Clock, Timers {
  readonly #random: Random;
  readonly #onTrace: ((line: string) => void) | undefined;
  readonly #hash = createHash('sha256');
  /** A heap: no event comes before its parent, which is at half its position. */
  readonly #heap: Event[] = [];
  #time = BEGINNING;
  events = 0;

  constructor(random: Random, onTrace?: (line: string) => void) {
    this.#random = random;
    this.#onTrace = onTrace;
  }

  now(): number {
    return this.#time;
  }

  /** Milliseconds since the simulation began. */
  get elapsedMs(): number {
    return this.#time - BEGINNING;
  }

  /** Runs once after `delayMs`, a whole number, unless disposed before. */
  after(delayMs: number, label: string, run: () => void): Disposable {
    const event: Event = {
      time: this.#time + delayMs,
      tie: this.#random.share(),
      label,
      run,
      isCancelled: false,
    };
    this.#insert(event);
    return {
      [Symbol.dispose]: () => {
        event.isCancelled = true;
      },
    };
  }

  every(intervalMs: number, run: () => void): Disposable {
    let next: Disposable;
    const again = (): void => {
      next = this.after(intervalMs, 'timer', () => {
        again();
        run();
      });
    };
    again();
    return { [Symbol.dispose]: () => next[Symbol.dispose]() };
  }

  /**
   * What happened, for those who read the trace; the hash of a run is made of it and of the events.
   */
  note(text: string): void {
    const line = `${String(this.elapsedMs).padStart(8)} ${text}`;
    this.#hash.update(line);
    this.#onTrace?.(line);
  }

  /**
   * Runs events until `isOver`, asked after each, or until none is left before `deadlineMs` from
   * now.
   */
  async run(deadlineMs: number, isOver: () => boolean): Promise<void> {
    const deadline = this.#time + deadlineMs;
    await turn();
    while (!isOver()) {
      const event = this.#take();
      if (event === undefined || event.time > deadline) {
        if (event !== undefined) this.#insert(event);
        this.#time = deadline;
        return;
      }
      if (event.isCancelled) continue;
      this.#time = event.time;
      this.events++;
      this.#hash.update(`${event.time} ${event.label}\n`);
      event.run();
      await turn();
    }
  }

  /** 16 hexadecimal digits: equal when the same happened in the same order. */
  traceHash(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }

  #insert(event: Event): void {
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent]!, event)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  #take(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (isBefore(last, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.time < b.time || (a.time === b.time && a.tie < b.tie);
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
