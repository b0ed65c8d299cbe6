import { assert, must } from '#base/assert.ts';
import { VECTOR_HITS_MAX, VECTOR_LIST_SCAN_MAX } from '#base/search-limits.ts';
import { type AllowedSlots, lowerBound } from './allow-list.ts';
import { type Candidate, Candidates } from './best-heap.ts';
import { ExactScan } from './exact-scan.ts';
import { type AcceptsSlot, GraphSearch, type OpenShard } from './graph-search.ts';
import { BATCH_SLOTS_MAX, createScratch, openKernel, type Scratch } from './kernel.ts';
import { dequantize, FINE_STEPS, quantizeQuery, type VectorInput } from './quantize.ts';
import { Shard, shardLayout } from './shard.ts';
import type {
  StoredVector,
  VectorHit,
  VectorIndex,
  VectorIndexHandle,
  VectorSearchOptions,
} from './vector-index.ts';

/** How many of the most similar a graph search keeps (ef). */
const SEARCH_BREADTH = 64;
/** The breadth with an allow-list: its nodes may be in groups far from the query and each other. */
const ALLOWED_BREADTH = 256;
/** Candidates beyond those asked for, whose order is decided by the fine half of the vectors. */
const SPARE_CANDIDATES = 16;
/**
 * With this many refused nodes for each wanted one, a graph search is slower than a scan and may
 * miss some. A scan asks in order of similarity, so it asks about fewer nodes.
 */
const REFUSALS_PER_BREADTH = 4;

/**
 * Opens an index in its shared memory, in any thread. `listScanMax`: up to this many vectors of an
 * allow-list are compared one by one.
 */
export function openVectorIndex(
  handle: VectorIndexHandle,
  listScanMax = VECTOR_LIST_SCAN_MAX,
): VectorIndex {
  const { dimensions, capacity, kernel } = handle;
  const layout = shardLayout(dimensions, capacity);
  const scratch = createScratch(layout.stride);
  const shards = handle.shards.map((memory) => ({
    shard: new Shard(memory, layout),
    kernel: openKernel(memory, kernel, scratch, layout.stride),
  }));
  return new IndexReader(handle, { shards, scratch, listScanMax });
}

class IndexReader implements VectorIndex {
  readonly dimensions: number;
  readonly model: string;
  readonly #shards: readonly OpenShard[];
  readonly #scratch: Scratch;
  readonly #listScanMax: number;
  readonly #graph: GraphSearch;
  readonly #candidates = new Candidates();

  constructor(handle: VectorIndexHandle, { shards, scratch, listScanMax }: Opened) {
    this.dimensions = handle.dimensions;
    this.model = handle.model;
    this.#shards = shards;
    this.#scratch = scratch;
    this.#listScanMax = listScanMax;
    this.#graph = new GraphSearch(scratch);
  }

  search(query: VectorInput, options: VectorSearchOptions): VectorHit[] {
    const { count, similarityMin = -1 } = options;
    assert(count >= 1 && count <= VECTOR_HITS_MAX, `${count} hits are within the limit`);
    const queryScale = quantizeQuery(query, this.dimensions, this.#scratch.query);
    const candidates = this.#candidates;
    for (let width = 2 * count + SPARE_CANDIDATES; ; width *= 4) {
      candidates.clear(width);
      for (const [shardNumber, open] of this.#shards.entries()) {
        this.#searchShard({ open, shardNumber, queryScale, width }, options);
      }
      const hits = this.#bestOfNodes(this.#refine(candidates.list(), queryScale));
      // Many chunks of few nodes may fill the candidates; other nodes are then further down.
      if (hits.length >= count || !candidates.isFull || candidates.threshold < similarityMin) {
        return hits.filter((hit) => hit.similarity >= similarityMin).slice(0, count);
      }
    }
  }

  vectorsOf(node: number): StoredVector[] {
    const vectors = this.#shards.flatMap(({ shard }) =>
      shard.slotsOf(node).map((slot) => {
        const vector = dequantize(shard.vectorAt(slot), this.dimensions);
        return { chunk: shard.chunks[slot]!, vector };
      }),
    );
    return vectors.toSorted((a, b) => a.chunk - b.chunk);
  }

  #searchShard(one: ShardSearch, options: VectorSearchOptions): void {
    const { shard } = one.open;
    const filter = new SlotFilter(shard, options.accepts);
    const scan = new ExactScan({
      ...one,
      scratch: this.#scratch,
      accepts: filter.accepts,
      isSelective: () => filter.refusals > REFUSALS_PER_BREADTH * one.width,
      candidates: this.#candidates,
    });
    // Read in this order: a slot is counted before it is linked.
    const { linked } = shard;
    if (options.allow === undefined) {
      const isFound = this.#searchGraph(one, linked, filter);
      scan.range(isFound ? linked : 0, shard.count);
    } else {
      const allowed = options.allow.slotsIn(shard);
      const isFound = this.#searchAllowed(one, linked, allowed, filter);
      scan.allowed(allowed, isFound ? lowerBound(allowed.slots, linked) : 0);
    }
  }

  /** Searches the linked slots; false if a scan is needed. */
  #searchGraph(one: ShardSearch, linked: number, filter: SlotFilter): boolean {
    const { open, queryScale, width } = one;
    if (linked <= width || open.shard.entry < 0) return false;
    const breadth = Math.max(SEARCH_BREADTH, width);
    const isHopeless = (): boolean => filter.refusals > REFUSALS_PER_BREADTH * breadth;
    const from = [this.#graph.descend(open, queryScale, 0)];
    const search = { from, level: 0, breadth, accepts: filter.accepts, isHopeless };
    this.#graph.searchLayer(open, queryScale, search);
    return !isHopeless() && this.#offerFound(one);
  }

  #searchAllowed(
    one: ShardSearch,
    linked: number,
    allowed: AllowedSlots,
    filter: SlotFilter,
  ): boolean {
    const { slots, bits } = allowed;
    if (linked === 0 || slots.length <= this.#listScanMax) return false;
    const isAllowed = (slot: number): boolean => (bits[slot >>> 5]! & (1 << (slot & 31))) !== 0;
    const breadth = Math.max(ALLOWED_BREADTH, one.width);
    const search = { allowed: slots, isAllowed, breadth, accepts: filter.accepts };
    this.#graph.searchAllowed(one.open, one.queryScale, search);
    return this.#offerFound(one);
  }

  /** False if there are fewer than wanted. */
  #offerFound({ shardNumber, width }: ShardSearch): boolean {
    const { found } = this.#graph;
    if (found.size < width) return false;
    found.forEach((key, slot) => this.#candidates.offer(shardNumber, slot, -key));
    return true;
  }

  /** Refines similarities by the fine half of the vectors. */
  #refine(candidates: readonly Candidate[], queryScale: number): Candidate[] {
    const refined: Candidate[] = [];
    const { slots, dots } = this.#scratch;
    for (const [number, { shard, kernel }] of this.#shards.entries()) {
      const own = candidates.filter((candidate) => candidate.shard === number);
      for (let from = 0; from < own.length; from += BATCH_SLOTS_MAX) {
        const batch = own.slice(from, from + BATCH_SLOTS_MAX);
        for (const [i, { slot }] of batch.entries()) slots[i] = slot;
        kernel.queryDots(shard.layout.fineAt, batch.length);
        for (const [i, { slot, similarity }] of batch.entries()) {
          const fine = (dots[i]! / FINE_STEPS) * shard.scales[slot]! * queryScale;
          const sum = Math.max(-1, Math.min(1, similarity + fine));
          refined.push({ shard: number, slot, similarity: sum });
        }
      }
    }
    return refined;
  }

  #bestOfNodes(candidates: readonly Candidate[]): VectorHit[] {
    const best = new Map<number, VectorHit>();
    for (const { shard: number, slot, similarity } of candidates) {
      const { shard } = must(this.#shards[number], 'the shard of a candidate');
      const node = shard.nodes[slot]!;
      if (similarity > (best.get(node)?.similarity ?? -Infinity)) {
        best.set(node, { node, chunk: shard.chunks[slot]!, similarity });
      }
    }
    return [...best.values()].toSorted((a, b) => b.similarity - a.similarity || a.node - b.node);
  }
}

interface Opened {
  readonly shards: readonly OpenShard[];
  readonly scratch: Scratch;
  readonly listScanMax: number;
}

interface ShardSearch {
  readonly open: OpenShard;
  readonly shardNumber: number;
  readonly queryScale: number;
  /** Candidates wanted. */
  readonly width: number;
}

/** Which slots of a shard one search may find. */
class SlotFilter {
  /** Nodes that the caller did not accept, so far. */
  refusals = 0;
  readonly accepts: AcceptsSlot;

  constructor({ deleted, nodes }: Shard, accepts: ((node: number) => boolean) | undefined) {
    const isThere = (slot: number): boolean => Atomics.load(deleted, slot) === 0;
    this.accepts =
      accepts === undefined
        ? isThere
        : (slot) => {
            if (!isThere(slot)) return false;
            const isAccepted = accepts(nodes[slot]!);
            if (!isAccepted) this.refusals++;
            return isAccepted;
          };
  }
}
