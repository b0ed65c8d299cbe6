/**
 * Behind it workers wait, loaded, until there is a state that they may open: so that they can load while it is being opened.
 * In memory that they share, as a thread that waits for it needs no listener that the code of a guest could reach.
 */
export class StateGate {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(4)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
  }

  get isOpen(): boolean {
    return Atomics.load(this.#cells, 0) === OPEN;
  }

  open(): void {
    Atomics.store(this.#cells, 0, OPEN);
    Atomics.notify(this.#cells, 0);
  }

  /** Blocks the thread until the gate is open. */
  pass(): void {
    Atomics.wait(this.#cells, 0, CLOSED);
  }
}

const CLOSED = 0;
const OPEN = 1;
