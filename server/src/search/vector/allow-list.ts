import { assert } from '#base/assert.ts';
import type { Shard } from './shard.ts';

/** The slots of one shard that an allow-list names, as of some count of slots. */
export interface AllowedSlots {
  /** Ascending; some may be deleted. */
  readonly slots: Int32Array;
  /** The scale of each slot, so that a scan need not fetch it from all over the shard. */
  readonly scales: Float32Array;
  /** One bit a slot. */
  readonly bits: Uint32Array;
  readonly count: number;
}

/**
 * The nodes that may be found. Keep it for searches of the same caller: the first search looks up
 * each node in each shard. Later searches add newer vectors.
 */
export class AllowList {
  readonly #nodes: Float64Array;
  readonly #byShard = new WeakMap<Shard, AllowedSlots>();

  /** Node ids, ascending, each once. They are not copied. */
  constructor(nodes: Float64Array) {
    for (let i = 1; i < nodes.length; i++) {
      assert(nodes[i]! > nodes[i - 1]!, 'the nodes of an allow-list ascend');
    }
    this.#nodes = nodes;
  }

  has(node: number): boolean {
    return this.#nodes[lowerBound(this.#nodes, node)] === node;
  }

  slotsIn(shard: Shard): AllowedSlots {
    const { count } = shard;
    let known = this.#byShard.get(shard);
    if (known?.count === count) return known;
    known = known === undefined ? this.#lookUp(shard, count) : this.#extend(known, shard, count);
    this.#byShard.set(shard, known);
    return known;
  }

  #lookUp(shard: Shard, count: number): AllowedSlots {
    if (this.#nodes.length > count) return this.#extend(NO_SLOTS, shard, count);
    const bits = new Uint32Array((count + 31) >>> 5);
    for (const node of this.#nodes) {
      for (let slot = shard.firstOf(node); slot >= 0; slot = shard.nextOf(slot)) {
        if (slot < count) bits[slot >>> 5]! |= 1 << (slot & 31);
      }
    }
    return allowedSlots(shard, slotsIn(bits), count);
  }

  #extend(known: AllowedSlots, shard: Shard, count: number): AllowedSlots {
    const added: number[] = [];
    for (let slot = known.count; slot < count; slot++) {
      if (this.has(shard.nodes[slot]!)) added.push(slot);
    }
    if (added.length === 0) return { ...known, count };
    const slots = new Int32Array(known.slots.length + added.length);
    slots.set(known.slots);
    slots.set(added, known.slots.length);
    return allowedSlots(shard, slots, count);
  }
}

const NO_SLOTS: AllowedSlots = {
  slots: new Int32Array(0),
  scales: new Float32Array(0),
  bits: new Uint32Array(0),
  count: 0,
};

/** The set bits, ascending. */
function slotsIn(bits: Uint32Array): Int32Array {
  const slots: number[] = [];
  for (let word = 0; word < bits.length; word++) {
    for (let left = bits[word]!; left !== 0; left &= left - 1) {
      slots.push(word * 32 + 31 - Math.clz32(left & -left));
    }
  }
  return Int32Array.from(slots);
}

/** Bits beyond the array are asked for too: they are undefined, which counts as 0. */
function allowedSlots({ scales }: Shard, slots: Int32Array, count: number): AllowedSlots {
  const bits = new Uint32Array((count + 31) >>> 5);
  for (const slot of slots) bits[slot >>> 5]! |= 1 << (slot & 31);
  return { slots, scales: Float32Array.from(slots, (slot) => scales[slot]!), bits, count };
}

/** The first index whose value is not below; the length when there is none. */
export function lowerBound(ascending: Float64Array | Int32Array, value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
