import { assert } from '#base/assert.ts';
import type { GraphSearch, OpenShard, Place } from './graph-search.ts';
import { allocateShared, openKernel, type Scratch, type WasmModule } from './kernel.ts';
import { type QuantizedVector, queryOfStored, writeSketch } from './quantize.ts';
import {
  COUNT,
  DELETED,
  ENTRY,
  LEVEL_MAX,
  LINKED,
  NEIGHBORS,
  NEIGHBORS_LOWEST,
  Shard,
  type ShardLayout,
  UPPER_USED,
} from './shard.ts';

/** Candidates among which a new vector chooses its neighbors (efConstruction). */
const INSERT_BREADTH = 128;

/**
 * Links vectors into the graph of a shard (Malkov and Yashunin, algorithms 1, 3 and 4), in the
 * writing thread. List numbers are stored with Atomics: who reads one also reads the vector and the
 * lists of that slot.
 */
class GraphInsert {
  readonly #open: OpenShard;
  readonly #search: GraphSearch;
  readonly #scratch: Scratch;
  readonly #random: () => number;

  constructor(open: OpenShard, search: GraphSearch, scratch: Scratch, random: () => number) {
    this.#open = open;
    this.#search = search;
    this.#scratch = scratch;
    this.#random = random;
  }

  /** Links the next unlinked slot; false if there is none. */
  linkNext(): boolean {
    const { shard } = this.#open;
    const slot = shard.linked;
    if (slot >= shard.count) return false;
    if (!shard.isDeleted(slot)) this.#link(slot);
    Atomics.store(shard.header, LINKED, slot + 1);
    return true;
  }

  #link(slot: number): void {
    const { shard } = this.#open;
    const level = this.#drawLevel(slot);
    const { entry } = shard;
    if (entry < 0) {
      Atomics.store(shard.header, ENTRY, slot + 1);
      return;
    }
    const queryScale = queryOfStored(shard.vectorAt(slot), this.#scratch.query);
    const top = shard.levels[entry]!;
    let from: readonly Place[] = [this.#search.descend(this.#open, queryScale, level)];
    for (let at = Math.min(level, top); at >= 0; at--) {
      const search = { from, level: at, breadth: INSERT_BREADTH };
      this.#search.searchLayer(this.#open, queryScale, search);
      const candidates = this.#takeFound();
      const chosen = this.#choose(candidates);
      this.#writeList(slot, at, chosen);
      for (const neighbor of chosen)
        this.#addNeighbor(neighbor.slot, at, { slot, similarity: neighbor.similarity });
      from = candidates.slice(0, 1);
    }
    if (level > top) Atomics.store(shard.header, ENTRY, slot + 1);
  }

  /** Draws a level, geometrically distributed, and reserves its lists. */
  #drawLevel(slot: number): number {
    const { shard } = this.#open;
    const { header, layout } = shard;
    const used = Atomics.load(header, UPPER_USED);
    const drawn = Math.floor(-Math.log(1 - this.#random()) / Math.log(NEIGHBORS));
    const level = Math.min(drawn, LEVEL_MAX, layout.upperLists - used);
    if (level > 0) {
      shard.upperStarts[slot] = used;
      Atomics.store(header, UPPER_USED, used + level);
    }
    Atomics.store(shard.levels, slot, level);
    return level;
  }

  /** Most similar first. */
  #takeFound(): Place[] {
    const { found } = this.#search;
    const places: Place[] = [];
    while (found.size > 0) {
      places.push({ slot: found.firstValue, similarity: -found.firstKey });
      found.pop();
    }
    return places.toReversed();
  }

  /**
   * Up to M candidates, most similar first, without those more similar to a chosen one than to the
   * new vector: neighbors then lie in all directions, which keeps groups connected.
   */
  #choose(candidates: readonly Place[]): Place[] {
    const chosen: Place[] = [];
    const left: Place[] = [];
    for (const candidate of candidates) {
      if (chosen.length === NEIGHBORS) break;
      if (this.#isDiverse(candidate, chosen)) chosen.push(candidate);
      else left.push(candidate);
    }
    for (let i = 0; chosen.length < NEIGHBORS && i < left.length; i++) chosen.push(left[i]!);
    return chosen;
  }

  #isDiverse(candidate: Place, chosen: readonly Place[]): boolean {
    for (let i = 0; i < chosen.length; i++) {
      if (this.#similarity(candidate.slot, chosen[i]!.slot) > candidate.similarity) return false;
    }
    return true;
  }

  #addNeighbor(owner: number, level: number, added: Place): void {
    const { shard } = this.#open;
    const list = shard.listAt(owner, level);
    const length = shard.ints[list]!;
    const lengthMax = level === 0 ? NEIGHBORS_LOWEST : NEIGHBORS;
    if (length < lengthMax) {
      Atomics.store(shard.ints, list + 1 + length, added.slot);
      Atomics.store(shard.ints, list, length + 1);
      return;
    }
    const places = [added];
    for (let i = 1; i <= length; i++) {
      const slot = shard.ints[list + i]!;
      places.push({ slot, similarity: this.#similarity(owner, slot) });
    }
    const { slot: dropped } = this.#mostRedundant(places);
    for (let i = 1; i <= length; i++) {
      if (shard.ints[list + i] === dropped) Atomics.store(shard.ints, list + i, added.slot);
    }
  }

  /**
   * The least similar of those more similar to a better one than to the owner, else the least
   * similar.
   */
  #mostRedundant(places: Place[]): Place {
    places.sort((a, b) => b.similarity - a.similarity);
    for (let i = places.length - 1; i > 0; i--) {
      const place = places[i]!;
      for (let better = 0; better < i; better++) {
        if (this.#similarity(place.slot, places[better]!.slot) > place.similarity) return place;
      }
    }
    return places.at(-1)!;
  }

  #writeList(owner: number, level: number, places: readonly Place[]): void {
    const { shard } = this.#open;
    const list = shard.listAt(owner, level);
    for (let i = 0; i < places.length; i++)
      Atomics.store(shard.ints, list + 1 + i, places[i]!.slot);
    Atomics.store(shard.ints, list, places.length);
  }

  #similarity(first: number, second: number): number {
    const { shard, kernel } = this.#open;
    const dot = kernel.pairDot(shard.coarseAt(first), shard.coarseAt(second));
    return dot * shard.scales[first]! * shard.scales[second]!;
  }
}

/** What the shards of one writer share. */
export interface WriterTools {
  readonly layout: ShardLayout;
  readonly module: WasmModule | null;
  readonly scratch: Scratch;
  readonly search: GraphSearch;
  readonly random: () => number;
}

/** Writes one shard; see `Shard` for what readers see meanwhile. */
export class ShardWriter {
  readonly shard: Shard;
  readonly #insert: GraphInsert;

  constructor({ layout, module, scratch, search, random }: WriterTools) {
    const memory = allocateShared(layout.bytes);
    this.shard = new Shard(memory, layout);
    const kernel = openKernel(memory, module, scratch, layout.stride);
    this.#insert = new GraphInsert({ shard: this.shard, kernel }, search, scratch, random);
  }

  get isFull(): boolean {
    return this.shard.count === this.shard.layout.capacity;
  }

  append(node: number, chunk: number, vector: QuantizedVector): void {
    const { shard } = this;
    const slot = shard.count;
    assert(slot < shard.layout.capacity, 'the shard has room');
    shard.bytes.set(vector.coarse, shard.coarseAt(slot));
    shard.bytes.set(vector.fine, shard.fineAt(slot));
    shard.scales[slot] = vector.scale;
    shard.nodes[slot] = node;
    shard.chunks[slot] = chunk;
    this.derive(slot);
    Atomics.store(shard.header, COUNT, slot + 1);
  }

  /** Makes the sketch of a slot, and the slot the first of its node unless it is deleted. */
  derive(slot: number): void {
    const { shard } = this;
    writeSketch(shard.vectorAt(slot).coarse, shard.sketchAt(slot));
    if (shard.isDeleted(slot)) return;
    const position = shard.tablePosition(shard.nodes[slot]!);
    Atomics.store(shard.next, slot, Atomics.load(shard.table, position));
    Atomics.store(shard.table, position, slot + 1);
  }

  /**
   * Deletes slots of one node. They stay in the graph as paths to others until the shard is copied.
   */
  delete(node: number, slots: readonly number[]): void {
    const { shard } = this;
    if (slots.length === 0) return;
    for (const slot of slots) Atomics.store(shard.deleted, slot, 1);
    Atomics.store(shard.header, DELETED, shard.deletedCount + slots.length);
    this.#shortenChain(node);
  }

  linkNext(): boolean {
    return this.#insert.linkNext();
  }

  /** Removes deleted slots from a node's chain, which frequent writes would make long. */
  #shortenChain(node: number): void {
    const { shard } = this;
    const position = shard.tablePosition(node);
    const left = shard.slotsOf(node);
    for (const [i, slot] of left.entries())
      Atomics.store(shard.next, slot, (left[i + 1] ?? -1) + 1);
    const head = left[0] ?? Atomics.load(shard.table, position) - 1;
    if (left.length === 0) Atomics.store(shard.next, head, 0);
    Atomics.store(shard.table, position, head + 1);
  }
}
