const NONE = -1n;

/** A whole number, or none, that one thread sets and others read. */
export class SharedNumber {
  readonly buffer: SharedArrayBuffer;
  readonly #value: BigInt64Array;

  constructor(buffer?: SharedArrayBuffer) {
    this.buffer = buffer ?? new SharedArrayBuffer(8);
    this.#value = new BigInt64Array(this.buffer);
    if (buffer === undefined) this.set(undefined);
  }

  get(): number | undefined {
    const value = Atomics.load(this.#value, 0);
    return value === NONE ? undefined : Number(value);
  }

  set(value: number | undefined): void {
    Atomics.store(this.#value, 0, value === undefined ? NONE : BigInt(value));
  }
}
