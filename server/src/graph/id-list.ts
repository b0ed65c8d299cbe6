/** V8 keeps an array of so few numbers in its heap, which costs a fraction of one outside. */
export const IDS_WITHIN_HEAP = 8;

/**
 * A growable list of dense ids that is used again and again. The steps of a query pass ids on in
 * it, and adjacency returns them in it.
 */
export class IdList {
  values: Float64Array;
  length = 0;

  constructor(capacity = 64) {
    this.values = new Float64Array(capacity);
  }

  static of(ids: readonly number[]): IdList {
    const list = new IdList(Math.max(ids.length, 1));
    list.values.set(ids);
    list.length = ids.length;
    return list;
  }

  push(id: number): void {
    if (this.length === this.values.length) {
      const grown = new Float64Array(this.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = id;
  }

  reverse(): void {
    for (let from = 0, to = this.length - 1; from < to; from++, to--) {
      const id = this.values[from]!;
      this.values[from] = this.values[to]!;
      this.values[to] = id;
    }
  }

  at(index: number): number {
    return this.values[index]!;
  }

  toArray(): number[] {
    const ids: number[] = [];
    for (let i = 0; i < this.length; i++) ids.push(this.values[i]!);
    return ids;
  }
}
