/** Random numbers that a seed repeats: sfc32 (Chris Doty-Humphrey, PractRand). */
export class Random {
  readonly #state: Uint32Array;

  constructor(seed: number) {
    this.#state = Uint32Array.of(seed, Math.floor(seed / 2 ** 32), 0x9e3779b9, 1);
    for (let i = 0; i < 12; i++) this.#next();
  }

  /** 0 to less than 1. */
  share(): number {
    return this.#next() / 2 ** 32;
  }

  /** A whole number, both bounds included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.share() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.share() < probability;
  }

  /** Undefined of an empty list only. */
  pick<T>(list: readonly T[]): T | undefined {
    return list[this.between(0, list.length - 1)];
  }

  #next(): number {
    const s = this.#state;
    const sum = (s[0]! + s[1]! + s[3]!) >>> 0;
    s[3] = s[3]! + 1;
    s[0] = s[1]! ^ (s[1]! >>> 9);
    s[1] = s[2]! + (s[2]! << 3);
    s[2] = ((s[2]! << 21) | (s[2]! >>> 11)) + sum;
    return sum;
  }
}
