import { ENDPOINT_PROGRESS_EVERY_MS } from '#base/endpoint-limits.ts';

/**
 * How far a worker is, in memory that it shares with the main thread of its process: readable even
 * while the worker is in an endless loop. A worker that lies about it gains nothing but time until
 * its calls' deadlines. The counters go on below zero after 2^31: see `hasReached`.
 */
export class Progress {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(12)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
  }

  /** Rises whenever the worker's own code is at work. */
  get turns(): number {
    return Atomics.load(this.#cells, TURNS);
  }

  /** The number of the guest that may be running; 0 for none. */
  get guest(): number {
    return Atomics.load(this.#cells, GUEST);
  }

  /** How many frames the worker has taken in. */
  get frames(): number {
    return Atomics.load(this.#cells, FRAMES);
  }

  /** A frame was taken in. */
  receive(): void {
    Atomics.add(this.#cells, FRAMES, 1);
  }

  enter(guest: number): void {
    Atomics.store(this.#cells, GUEST, guest);
    this.turn();
  }

  turn(): void {
    Atomics.add(this.#cells, TURNS, 1);
  }

  leave(): void {
    this.enter(0);
  }
}

/** Whether a counter of 32 bits is at `number`, or has been, which is less than 2^31 away. */
export function hasReached(counter: number, number: number): boolean {
  return ((counter - number) | 0) >= 0;
}

const TURNS = 0;
const GUEST = 1;
const FRAMES = 2;

interface Said {
  at: number;
  /** What came since, the newest only. */
  newest: string | undefined;
}

/**
 * How far calls are leaves a worker ten times a second at most; what is newer takes the place of
 * what waits.
 */
export class ProgressThrottle {
  readonly #send: (call: number, payload: string) => void;
  readonly #said = new Map<number, Said>();
  #isTimed = false;

  constructor(send: (call: number, payload: string) => void) {
    this.#send = send;
  }

  take(call: number, payload: string): void {
    const now = performance.now();
    const said = this.#said.get(call);
    if (said === undefined || now - said.at >= ENDPOINT_PROGRESS_EVERY_MS) {
      this.#said.set(call, { at: now, newest: undefined });
      this.#send(call, payload);
    } else {
      said.newest = payload;
      if (this.#isTimed) return;
      this.#isTimed = true;
      setTimeout(() => this.#sendWaiting(), ENDPOINT_PROGRESS_EVERY_MS);
    }
  }

  /** Says the last of a call that is over. */
  end(call: number): void {
    const newest = this.#said.get(call)?.newest;
    this.#said.delete(call);
    if (newest !== undefined) this.#send(call, newest);
  }

  #sendWaiting(): void {
    this.#isTimed = false;
    const now = performance.now();
    for (const [call, said] of this.#said) {
      if (said.newest === undefined) continue;
      this.#send(call, said.newest);
      said.at = now;
      said.newest = undefined;
    }
  }
}
