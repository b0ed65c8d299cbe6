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
