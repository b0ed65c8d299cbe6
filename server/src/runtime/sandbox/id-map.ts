const NONE = -1;
const CAPACITY_MIN = 64;

/**
 * A map from whole numbers that count up, for entries that pass through all the time. A `Map` keeps
 * such entries alive: it copies its table again and again, each old table points to the next one,
 * and one that survived until it is old keeps all later ones, with what was in them at the time,
 * until the next full garbage collection.
 *
 * Open addressing, linear probing, and deletion by moving back what stands behind (Knuth, The Art
 * of Computer Programming, volume 3, algorithm 6.4 R).
 */
export class IdMap<V> {
  #ids: number[] = [];
  #values: (V | undefined)[] = [];
  #size = 0;

  constructor() {
    this.#allocate(CAPACITY_MIN);
  }

  get size(): number {
    return this.#size;
  }

  get(id: number): V | undefined {
    return this.#values[this.#slotOf(id)];
  }

  has(id: number): boolean {
    return this.#ids[this.#slotOf(id)] === id;
  }

  set(id: number, value: V): void {
    let slot = this.#slotOf(id);
    if (this.#ids[slot] === NONE) {
      if (this.#size * 2 >= this.#ids.length) {
        this.#grow();
        slot = this.#slotOf(id);
      }
      this.#size++;
      this.#ids[slot] = id;
    }
    this.#values[slot] = value;
  }

  delete(id: number): void {
    let hole = this.#slotOf(id);
    if (this.#ids[hole] === NONE) return;
    this.#size--;
    const capacity = this.#ids.length;
    for (let slot = (hole + 1) % capacity; ; slot = (slot + 1) % capacity) {
      const moved = this.#ids[slot] ?? NONE;
      if (moved === NONE) break;
      // What has its home behind the hole stays where it is.
      const fromHome = (slot - (moved % capacity) + capacity) % capacity;
      const fromHole = (slot - hole + capacity) % capacity;
      if (fromHome < fromHole) continue;
      this.#ids[hole] = moved;
      this.#values[hole] = this.#values[slot];
      hole = slot;
    }
    this.#ids[hole] = NONE;
    this.#values[hole] = undefined;
  }

  clear(): void {
    this.#allocate(CAPACITY_MIN);
  }

  /** As they are now, in no order. */
  keys(): number[] {
    return this.#ids.filter((id) => id !== NONE);
  }

  /** As they are now, in no order. */
  values(): V[] {
    return this.keys().map((id) => this.get(id) as V);
  }

  /** Where the number stands, or would stand. */
  #slotOf(id: number): number {
    const capacity = this.#ids.length;
    let slot = id % capacity;
    for (;;) {
      const here = this.#ids[slot];
      if (here === id || here === NONE) return slot;
      slot = (slot + 1) % capacity;
    }
  }

  #grow(): void {
    const ids = this.#ids;
    const values = this.#values;
    this.#allocate(ids.length * 2);
    for (let slot = 0; slot < ids.length; slot++) {
      const id = ids[slot] ?? NONE;
      if (id !== NONE) this.set(id, values[slot] as V);
    }
  }

  #allocate(capacity: number): void {
    this.#ids = Array.from({ length: capacity }, () => NONE);
    this.#values = Array.from({ length: capacity }, () => undefined);
    this.#size = 0;
  }
}
