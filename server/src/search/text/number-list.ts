/** A growing list of unsigned 32-bit numbers. */
export class NumberList {
  length = 0;
  #numbers: Uint32Array;

  constructor(capacity = 256) {
    this.#numbers = new Uint32Array(capacity);
  }

  /** The numbers; valid until more are added. */
  get values(): Uint32Array {
    return this.#numbers.subarray(0, this.length);
  }

  push(value: number): void {
    if (this.length === this.#numbers.length) {
      const numbers = new Uint32Array(this.length * 2);
      numbers.set(this.#numbers);
      this.#numbers = numbers;
    }
    this.#numbers[this.length++] = value;
  }

  at(index: number): number {
    return this.#numbers[index]!;
  }
}
