import { BestHeap } from './best-heap.ts';
import type { Kernel, Scratch } from './kernel.ts';
import { NEIGHBORS_LOWEST, type Shard } from './shard.ts';

/** A shard as one thread uses it. */
export interface OpenShard {
  readonly shard: Shard;
  readonly kernel: Kernel;
}

/** A slot and how similar it is to the query. */
export interface Place {
  readonly slot: number;
  readonly similarity: number;
}

export type AcceptsSlot = (slot: number) => boolean;

export interface LayerSearch {
  readonly from: readonly Place[];
  readonly level: number;
  /** How many of the most similar are kept during the search (ef). */
  readonly breadth: number;
  /** Refused slots are not found, but lead to their neighbors. */
  readonly accepts?: AcceptsSlot;
  /** Asked at each step. */
  readonly isHopeless?: () => boolean;
}

type Taking = Pick<LayerSearch, 'breadth' | 'accepts'>;

const EPOCH_MAX = 0xffff;
/** Slots of an allow-list to begin at, so many that each group has one; at most a batch. */
const ALLOWED_STARTS = 1_024;

/**
 * Searches an HNSW graph (Malkov and Yashunin, "Efficient and robust approximate nearest neighbor
 * search using hierarchical navigable small world graphs", 2018, algorithms 2 and 5). One for each
 * thread: it has what a search needs besides the graph. The query is in the scratch memory.
 */
export class GraphSearch {
  /** Result of the last search of a layer, least similar first; keys are negative similarities. */
  readonly found = new BestHeap();
  readonly #scratch: Scratch;
  readonly #frontier = new BestHeap();
  #visited = new Uint16Array(0);
  #epoch = 0;

  constructor(scratch: Scratch) {
    this.#scratch = scratch;
  }

  /**
   * Goes from the entry to ever closer neighbors, down to `level`, which it does not search. There
   * must be an entry.
   */
  descend(open: OpenShard, queryScale: number, level: number): Place {
    const { shard } = open;
    const { entry } = shard;
    let best = this.#placeOf(open, queryScale, entry);
    for (let at = shard.levels[entry]!; at > level; at--)
      best = this.#climb(open, queryScale, best, at);
    return best;
  }

  searchLayer(open: OpenShard, queryScale: number, search: LayerSearch): void {
    const { found } = this;
    const frontier = this.#frontier;
    const { level, breadth, isHopeless } = search;
    this.#begin(open, search.from, search.accepts);
    while (frontier.size > 0) {
      if (isHopeless?.() === true) return;
      if (found.size >= breadth && frontier.firstKey < -found.firstKey) break;
      const slot = frontier.firstValue;
      frontier.pop();
      const gathered = this.#gather(open.shard, slot, level);
      if (gathered > 0) this.#take(open, queryScale, gathered, search);
    }
  }

  /**
   * Searches the lowest layer among the slots of an allow-list. It begins at several of them. It
   * does not compare a neighbor that is not allowed, but visits its neighbors (Patel and others,
   * "ACORN", 2024, section 5), so it costs about as much as a search of all.
   */
  searchAllowed(open: OpenShard, queryScale: number, search: AllowedSearch): void {
    const { found } = this;
    const frontier = this.#frontier;
    const { breadth, isAllowed } = search;
    this.#begin(open, [], search.accepts);
    this.#take(open, queryScale, this.#gatherStarts(search.allowed), search);
    while (frontier.size > 0) {
      if (found.size >= breadth && frontier.firstKey < -found.firstKey) break;
      const slot = frontier.firstValue;
      frontier.pop();
      const gathered = this.#gatherAllowed(open.shard, slot, isAllowed);
      if (gathered > 0) this.#take(open, queryScale, gathered, search);
    }
  }

  /** Compares the gathered slots. Promising ones go to the frontier; accepted ones are found. */
  #take(open: OpenShard, queryScale: number, gathered: number, { breadth, accepts }: Taking): void {
    const { shard } = open;
    const { found } = this;
    const { slots, dots } = this.#scratch;
    open.kernel.queryDots(shard.layout.coarseAt, gathered);
    for (let i = 0; i < gathered; i++) {
      const slot = slots[i]!;
      const similarity = dots[i]! * shard.scales[slot]! * queryScale;
      const isFull = found.size >= breadth;
      if (isFull && similarity <= -found.firstKey) continue;
      this.#frontier.push(similarity, slot);
      if (accepts !== undefined && !accepts(slot)) continue;
      if (isFull) found.replaceFirst(-similarity, slot);
      else found.push(-similarity, slot);
    }
  }

  #begin({ shard }: OpenShard, from: readonly Place[], accepts: AcceptsSlot | undefined): void {
    this.#frontier.clear();
    this.found.clear();
    if (this.#visited.length < shard.layout.capacity) {
      this.#visited = new Uint16Array(shard.layout.capacity);
      this.#epoch = 0;
    }
    if (this.#epoch === EPOCH_MAX) {
      this.#visited.fill(0);
      this.#epoch = 0;
    }
    this.#epoch++;
    for (const { slot, similarity } of from) {
      if (this.#visited[slot] === this.#epoch) continue;
      this.#visited[slot] = this.#epoch;
      this.#frontier.push(similarity, slot);
      if (accepts === undefined || accepts(slot)) this.found.push(-similarity, slot);
    }
  }

  /** Puts unvisited neighbors into the scratch memory. */
  #gather(shard: Shard, slot: number, level: number): number {
    const { ints } = shard;
    const { slots } = this.#scratch;
    const visited = this.#visited;
    const epoch = this.#epoch;
    const list = shard.listAt(slot, level);
    const end = list + ints[list]!;
    let gathered = 0;
    for (let i = list + 1; i <= end; i++) {
      const neighbor = ints[i]!;
      if (visited[neighbor] === epoch) continue;
      visited[neighbor] = epoch;
      slots[gathered++] = neighbor;
    }
    return gathered;
  }

  #gatherAllowed(shard: Shard, slot: number, isAllowed: AcceptsSlot): number {
    const { ints } = shard;
    const { slots } = this.#scratch;
    const visited = this.#visited;
    const epoch = this.#epoch;
    const list = shard.listAt(slot, 0);
    const end = list + ints[list]!;
    let gathered = 0;
    for (let i = list + 1; i <= end; i++) {
      const neighbor = ints[i]!;
      if (visited[neighbor] === epoch) continue;
      visited[neighbor] = epoch;
      if (isAllowed(neighbor)) {
        slots[gathered++] = neighbor;
        continue;
      }
      const farList = shard.listAt(neighbor, 0);
      const farEnd = farList + ints[farList]!;
      for (let j = farList + 1; j <= farEnd && gathered < NEIGHBORS_LOWEST; j++) {
        const far = ints[j]!;
        if (visited[far] === epoch || !isAllowed(far)) continue;
        visited[far] = epoch;
        slots[gathered++] = far;
      }
    }
    return gathered;
  }

  /** Puts slots all over the list into the scratch memory. */
  #gatherStarts(allowed: Int32Array): number {
    const { slots } = this.#scratch;
    const count = Math.min(ALLOWED_STARTS, allowed.length);
    for (let i = 0; i < count; i++) {
      const slot = allowed[Math.floor((i * allowed.length) / count)]!;
      this.#visited[slot] = this.#epoch;
      slots[i] = slot;
    }
    return count;
  }

  #placeOf({ shard, kernel }: OpenShard, queryScale: number, slot: number): Place {
    const { slots, dots } = this.#scratch;
    slots[0] = slot;
    kernel.queryDots(shard.layout.coarseAt, 1);
    return { slot, similarity: dots[0]! * shard.scales[slot]! * queryScale };
  }

  /** Moves to the most similar neighbor on a level, until none is more similar. */
  #climb({ shard, kernel }: OpenShard, queryScale: number, from: Place, level: number): Place {
    const { slots, dots } = this.#scratch;
    let { slot, similarity } = from;
    for (;;) {
      const list = shard.listAt(slot, level);
      const length = shard.ints[list]!;
      if (length === 0) break;
      for (let i = 0; i < length; i++) slots[i] = shard.ints[list + 1 + i]!;
      kernel.queryDots(shard.layout.coarseAt, length);
      let better = -1;
      for (let i = 0; i < length; i++) {
        const other = dots[i]! * shard.scales[slots[i]!]! * queryScale;
        if (other > similarity) {
          similarity = other;
          better = slots[i]!;
        }
      }
      if (better < 0) break;
      slot = better;
    }
    return { slot, similarity };
  }
}

export interface AllowedSearch {
  /** Slots that are allowed; there is at least one. */
  readonly allowed: Int32Array;
  readonly isAllowed: AcceptsSlot;
  readonly breadth: number;
  /** Whether an allowed slot may be found. */
  readonly accepts: AcceptsSlot;
}
