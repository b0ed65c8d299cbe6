import { queryOfStored } from './quantize.ts';
import type { GraphSearch, OpenShard, Place } from './graph-search.ts';
import type { Scratch } from './kernel.ts';
import {
  ENTRY,
  LEVEL_MAX,
  LINKED,
  NEIGHBOURS,
  NEIGHBOURS_LOWEST,
  UPPER_USED,
} from './shard-layout.ts';

/** How many candidates a new vector chooses its neighbours from (efConstruction). */
const INSERT_BREADTH = 128;

/**
 * Links vectors into the graph of a shard (Malkov and Yashunin, algorithms 1, 3 and 4); only the thread that writes
 * has one. A number in a list is stored with Atomics, so who reads it reads what was written before, too: the vector
 * and the lists of that slot.
 */
export class GraphInsert {
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

  /** Links the next slot that is not, if there is one. */
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
      for (const neighbour of chosen)
        this.#addNeighbour(neighbour.slot, at, { slot, similarity: neighbour.similarity });
      from = candidates.slice(0, 1);
    }
    if (level > top) Atomics.store(shard.header, ENTRY, slot + 1);
  }

  /** Geometrically distributed, and room for its lists. */
  #drawLevel(slot: number): number {
    const { shard } = this.#open;
    const { header, layout } = shard;
    const used = Atomics.load(header, UPPER_USED);
    const drawn = Math.floor(-Math.log(1 - this.#random()) / Math.log(NEIGHBOURS));
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
   * Up to M of the candidates, most similar first, leaving out who is more similar to one already chosen than to the
   * one that chooses: neighbours then lie in all directions, which keeps groups connected.
   */
  #choose(candidates: readonly Place[]): Place[] {
    const chosen: Place[] = [];
    const left: Place[] = [];
    for (const candidate of candidates) {
      if (chosen.length === NEIGHBOURS) break;
      if (this.#isDiverse(candidate, chosen)) chosen.push(candidate);
      else left.push(candidate);
    }
    for (let i = 0; chosen.length < NEIGHBOURS && i < left.length; i++) chosen.push(left[i]!);
    return chosen;
  }

  #isDiverse(candidate: Place, chosen: readonly Place[]): boolean {
    for (let i = 0; i < chosen.length; i++) {
      if (this.#similarity(candidate.slot, chosen[i]!.slot) > candidate.similarity) return false;
    }
    return true;
  }

  #addNeighbour(owner: number, level: number, added: Place): void {
    const { shard } = this.#open;
    const list = shard.listAt(owner, level);
    const length = shard.ints[list]!;
    const lengthMax = level === 0 ? NEIGHBOURS_LOWEST : NEIGHBOURS;
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
   * The least similar of those that are more similar to a better one than to the owner; without any, the least
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
