/**
 * The best so many documents seen: by value, the highest first, and by node where values are equal. A heap, worst on
 * top.
 */
export class TopHits {
  /** A document with less has no place among the best. */
  threshold: number;
  readonly #capacity: number;
  readonly #values: number[] = [];
  readonly #nodes: number[] = [];
  readonly #parts: number[] = [];
  readonly #documents: number[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.threshold = capacity === 0 ? Infinity : -Infinity;
  }

  offer(value: number, node: number, part: number, document: number): void {
    if (this.#values.length < this.#capacity) {
      this.#rise(this.#values.length, value, node, part, document);
      if (this.#values.length === this.#capacity) this.threshold = this.#values[0]!;
      return;
    }
    const worst = this.threshold;
    if (value < worst || (value === worst && node > this.#nodes[0]!)) return;
    if (this.#capacity === 0) return;
    this.#sink(value, node, part, document);
    this.threshold = this.#values[0]!;
  }

  /** The best one first. */
  ranked(): { value: number; node: number; part: number; document: number }[] {
    return this.#values
      .map((value, index) => ({
        value,
        node: this.#nodes[index]!,
        part: this.#parts[index]!,
        document: this.#documents[index]!,
      }))
      .toSorted((a, b) => b.value - a.value || a.node - b.node);
  }

  #isWorse(value: number, node: number, than: number): boolean {
    const other = this.#values[than]!;
    return value < other || (value === other && node > this.#nodes[than]!);
  }

  #rise(from: number, value: number, node: number, part: number, document: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!this.#isWorse(value, node, parent)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, value, node, part, document);
  }

  #sink(value: number, node: number, part: number, document: number): void {
    const size = this.#values.length;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= size) break;
      if (
        child + 1 < size &&
        this.#isWorse(this.#values[child + 1]!, this.#nodes[child + 1]!, child)
      ) {
        child++;
      }
      if (this.#isWorse(value, node, child)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, value, node, part, document);
  }

  #move(from: number, to: number): void {
    this.#put(
      to,
      this.#values[from]!,
      this.#nodes[from]!,
      this.#parts[from]!,
      this.#documents[from]!,
    );
  }

  #put(at: number, value: number, node: number, part: number, document: number): void {
    this.#values[at] = value;
    this.#nodes[at] = node;
    this.#parts[at] = part;
    this.#documents[at] = document;
  }
}
