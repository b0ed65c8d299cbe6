const CLOSED = 0;
const OPEN = 1;
/** Whether it is open, and the length of the key. */
const CELLS = 2;
const KEY_BYTES_MAX = 1_024;

/**
 * Behind it a worker waits, loaded, until there is a state that it may open: so that it can load
 * while it is being opened. In memory that two threads share, as a thread that waits for it needs
 * no listener that the code of a guest could reach. What an encrypted state is read with is handed
 * over there, and taken out.
 */
export class StateGate {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #key: Uint8Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(CELLS * 4 + KEY_BYTES_MAX)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer, 0, CELLS);
    this.#key = new Uint8Array(buffer, CELLS * 4);
  }

  get isOpen(): boolean {
    return Atomics.load(this.#cells, 0) === OPEN;
  }

  open(key?: string): void {
    const bytes = new TextEncoder().encode(key);
    if (bytes.length > KEY_BYTES_MAX) throw new RangeError('the key of a state is shorter');
    this.#key.set(bytes);
    Atomics.store(this.#cells, 1, key === undefined ? -1 : bytes.length);
    Atomics.store(this.#cells, 0, OPEN);
    Atomics.notify(this.#cells, 0);
  }

  /** Blocks the thread until the gate is open. Gives the key to the first who asks. */
  pass(): string | undefined {
    Atomics.wait(this.#cells, 0, CLOSED);
    const length = Atomics.exchange(this.#cells, 1, -1);
    if (length < 0) return undefined;
    const key = new TextDecoder().decode(this.#key.slice(0, length));
    this.#key.fill(0);
    return key;
  }
}
