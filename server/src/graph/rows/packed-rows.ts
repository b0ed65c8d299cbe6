import { must } from '#base/assert.ts';
import { DB } from '#store/databases.ts';
import type { KeyValueReader } from '#store/key-value.ts';
import { addChangedIds } from '#store/row-changes.ts';
import { readRowState, type RowState } from '#store/row-state.ts';
import { isDamage } from '#store/value-seal.ts';
import type { Direction, NeighborList } from '../adjacency.ts';
import { blockOf, RowBlock } from './row-block.ts';
import { CHUNK_IDS, chunkOf, type ColumnChunk } from './row-columns.ts';
import { type BlockKind, RowCache } from './row-cache.ts';
import { ROW_KIND, rowKey } from './row-keys.ts';

/** With more nodes changed since they were packed, the rows are left alone until the next time. */
const CHANGED_IDS_MAX = 100_000;
/** The memory of the rows that one reader keeps, unless it is told otherwise. */
export const ROW_MEMORY_DEFAULT_BYTES = 64 * 1024 * 1024;

/**
 * Adjacency from the packed rows of the state: neighbours, node types and numbers of edges, without
 * a look at the keys. Blocks that were read are kept, as typed arrays, up to a limit.
 *
 * Call `revalidate` once in each turn of the event loop before anything else. What a node's commits
 * after the packing have changed is answered with "not here"; then the keys tell.
 */
export class PackedRows {
  readonly #reader: KeyValueReader;
  readonly #cache: RowCache;
  #state: RowState | undefined;
  /** The commit that the cache and `#changed` show. */
  #sequence = -1;
  readonly #changed = new Set<number>();
  /** The `packedTo` of rows of which too much has changed. */
  #leftAlone = -1;

  constructor(reader: KeyValueReader, memoryBytes = ROW_MEMORY_DEFAULT_BYTES) {
    this.#reader = reader;
    this.#cache = new RowCache(memoryBytes);
  }

  /** Ids from here on have no packed rows. */
  get packedIds(): number {
    return this.#state?.packedIds ?? 0;
  }

  /** The nodes below `packedIds` whose packed rows are out of date. */
  get changedIds(): ReadonlySet<number> {
    return this.#changed;
  }

  /**
   * Moves to the commit that the reader shows, which is at `sequence`. Returns false when there are
   * no rows to be used.
   */
  revalidate(sequence: number): boolean {
    const state = readRowState(this.#reader);
    if (state === undefined || state.packedIds === 0 || state.packedTo === this.#leftAlone) {
      this.#state = undefined;
      return false;
    }
    const known = this.#state;
    if (known?.packedTo !== state.packedTo || sequence !== this.#sequence) {
      // Should reading fail, the next call begins anew.
      this.#state = undefined;
      const isUsable =
        known === undefined || this.#sequence < state.changesFrom
          ? this.#begin(state, sequence)
          : this.#goOn(known, state, sequence);
      if (!isUsable) {
        this.#leftAlone = state.packedTo;
        this.#changed.clear();
        return false;
      }
      this.#sequence = sequence;
    }
    this.#state = state;
    return true;
  }

  /** As `Adjacency.collect`; false when the keys have to be asked. */
  collect(id: number, direction: Direction, edge: number, into: NeighborList): boolean {
    if (!this.#isPacked(id)) return false;
    const kind = ROW_KIND[direction];
    const number = blockOf(id);
    const block = this.#cache.block(kind, number) ?? this.#readBlock(kind, number);
    return block.collect(id, edge, into);
  }

  /** The number of a node's type, 0 where there is no node; undefined when it is not here. */
  typeOf(id: number): number | undefined {
    return this.#isPacked(id) ? this.#chunkWith(id)?.types[id % CHUNK_IDS] : undefined;
  }

  /** How many edges a node has, in both directions; undefined when it is not here. */
  degreeOf(id: number): number | undefined {
    return this.#isPacked(id) ? this.#chunkWith(id)?.degrees[id % CHUNK_IDS] : undefined;
  }

  /** Reads the types and the numbers of edges of all packed nodes; false where one is damaged. */
  loadColumns(): boolean {
    for (let first = 0; first < this.packedIds; first += CHUNK_IDS) {
      if (this.#lastChunkFrom(first) === undefined) return false;
    }
    return true;
  }

  /**
   * Visits the packed nodes of a type in the order of their ids, without those in `changedIds`.
   * Needs what `loadColumns` reads.
   */
  visitType(type: number, visit: (id: number, degree: number) => void): void {
    const changed = this.#changed;
    for (let first = 0; first < this.packedIds; first += CHUNK_IDS) {
      const { types, degrees } = must(this.#lastChunkFrom(first), 'the columns of the rows');
      const count = Math.min(CHUNK_IDS, this.packedIds - first);
      for (let i = 0; i < count; i++) {
        if (types[i] !== type) continue;
        if (changed.size === 0 || !changed.has(first + i)) visit(first + i, degrees[i]!);
      }
    }
  }

  #lastChunkFrom(first: number): ColumnChunk | undefined {
    return this.#chunkWith(Math.min(first + CHUNK_IDS, this.packedIds) - 1);
  }

  #isPacked(id: number): boolean {
    return id < this.packedIds && (this.#changed.size === 0 || !this.#changed.has(id));
  }

  #readBlock(kind: BlockKind, number: number): RowBlock {
    const value = this.#read(rowKey(kind, number));
    return value === DAMAGED ? RowBlock.absent : this.#cache.keepBlock(kind, number, value);
  }

  /** The chunk that has an id. One that was read before has fewer, when more were packed since. */
  #chunkWith(id: number): ColumnChunk | undefined {
    const number = chunkOf(id);
    const kept = this.#cache.chunk(number);
    if (kept !== undefined && id % CHUNK_IDS < kept.count) return kept;
    const value = this.#read(rowKey(ROW_KIND.columns, number));
    if (value === undefined || value === DAMAGED) return undefined;
    const chunk = this.#cache.keepChunk(number, value);
    return id % CHUNK_IDS < chunk.count ? chunk : undefined;
  }

  /** Rows are made from the keys, so a damaged one is left to those. */
  #read(key: Uint8Array): Uint8Array | typeof DAMAGED | undefined {
    try {
      return this.#reader.get(DB.rows, key);
    } catch (error) {
      if (isDamage(error)) return DAMAGED;
      throw error;
    }
  }

  #begin({ packedTo }: RowState, sequence: number): boolean {
    this.#cache.clear();
    this.#changed.clear();
    return this.#addChanges(packedTo, sequence);
  }

  #goOn(known: RowState, state: RowState, sequence: number): boolean {
    const { packedTo } = state;
    const areAllKnown = this.#addChanges(this.#sequence, sequence);
    if (packedTo === known.packedTo) return areAllKnown;
    if (!areAllKnown) return this.#begin(state, sequence);
    // These were packed again. What is kept of their blocks is from before.
    for (const id of this.#changed) {
      this.#cache.forget(ROW_KIND.out, blockOf(id));
      this.#cache.forget(ROW_KIND.in, blockOf(id));
      this.#cache.forget(ROW_KIND.columns, chunkOf(id));
    }
    this.#changed.clear();
    return this.#addChanges(packedTo, sequence);
  }

  /** Returns false where too many have changed, or not all can be known. */
  #addChanges(after: number, upTo: number): boolean {
    return addChangedIds(this.#reader, { after, upTo }, this.#changed, CHANGED_IDS_MAX);
  }
}

const DAMAGED = 'damaged';
