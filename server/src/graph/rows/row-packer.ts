import { readId } from '#store/bytes.ts';
import { DB } from '#store/databases.ts';
import type { LocalState, PutLocal, RowWatch } from '#store/local-state.ts';
import { addChangedIds, notedUpTo, rowChangesKey, visitRowChanges } from '#store/row-changes.ts';
import { encodeRowState, readRowState, ROW_STATE_KEY, type RowState } from '#store/row-state.ts';
import { isDamage, readUnlessDamaged } from '#store/value-seal.ts';
import { KeyEncoder, META } from '../keys.ts';
import { NodeRecord } from '../node-record.ts';
import { readCount } from '../writer-memory.ts';
import { BlockPacking } from './block-packing.ts';
import { BLOCK_IDS, blockOf, RowBlockWriter } from './row-block.ts';
import { CHUNK_IDS, chunkOf, ColumnChunk } from './row-columns.ts';
import { ROW_KIND, rowKey } from './row-keys.ts';

/**
 * The writer's thread packs no longer than the least of these at once. Where LMDB takes longer for
 * the transaction than the slice lasts, slices grow up to the most: after a load its list of free
 * pages is long, and costs each transaction the same.
 */
const SLICE_MS: SliceMs = { min: 4, max: 25 };
/** When more than this share of the rows has changed, all are packed anew. */
const CHANGED_SHARE_MAX = 0.25;
const CHANGED_IDS_MIN = 10_000;
/** A block of new ids that commits change begins anew so often before it is packed at once. */
const ATTEMPTS_MAX = 3;
/** No slice removes more notes than this. */
const REMOVED_NOTES_MAX = 1_000;

/**
 * Packs adjacency into `rows`, in the thread that writes: first the nodes that were not packed yet,
 * then those that have changed since. Each slice is one transaction between two commits, so it
 * packs what is newest, and no commit passes it by.
 */
export class RowPacker {
  readonly #local: LocalState;
  readonly #keys = new KeyEncoder();
  readonly #writer = new RowBlockWriter();
  readonly #record = new NodeRecord();
  readonly #pause: () => Promise<void>;
  #sliceMs: number;
  readonly #slices: SliceMs;
  /** A block that the last slice has not finished. */
  #begun: BegunBlock | undefined;
  /** The notes up to this sequence are removed. */
  #removedTo = 0;

  /** `pause` is awaited between slices. */
  constructor(
    local: LocalState,
    pause: () => Promise<void> = () => Promise.resolve(),
    slices = SLICE_MS,
  ) {
    this.#local = local;
    this.#pause = pause;
    this.#slices = slices;
    this.#sliceMs = slices.min;
  }

  /** Whether a call of `pack` would find something to do. */
  get isBehind(): boolean {
    const state = readRowState(this.#local.reader);
    return this.#local.notedIds > 0 || (state?.packedIds ?? 0) < this.#packableIds();
  }

  /** Packs all that there is to pack now. Rejects with `storage_full` or `storage_failed`. */
  async pack(signal?: AbortSignal): Promise<void> {
    this.#begun = undefined;
    try {
      await this.#pack(signal);
    } catch (error) {
      if (!(error instanceof DamagedRows)) throw error;
      await this.#begin();
    }
  }

  async #pack(signal: AbortSignal | undefined): Promise<void> {
    const { reader } = this.#local;
    if (this.#packableIds() === 0) return;
    const changed = this.#changedIds();
    const state = readRowState(reader);
    if (state === undefined || changed === undefined || isMuch(changed.length, state.packedIds)) {
      await this.#begin();
    } else if (changed.length > 0) {
      await this.#packAgain(changed, signal);
    }
    await this.#removeNotes(signal);
    while (!isAborted(signal)) {
      await this.#pause();
      if ((readRowState(reader)?.packedIds ?? Infinity) >= this.#packableIds()) return;
      await this.#writeSlice((put) => this.#packNext(put));
    }
  }

  async #writeSlice(pack: (put: PutLocal) => void): Promise<void> {
    let packedAt = 0;
    await this.#local.write((put) => {
      pack(put);
      packedAt = performance.now();
    });
    const writtenMs = performance.now() - packedAt;
    const { min, max } = this.#slices;
    this.#sliceMs = Math.min(Math.max(writtenMs, min), max);
  }

  /** Only whole blocks are packed: one that is kept in memory never gets more rows. */
  #packableIds(): number {
    const nextId = readCount(this.#local.reader.get(DB.meta, META.nextId));
    return Math.floor(nextId / BLOCK_IDS) * BLOCK_IDS;
  }

  /** Ascending, each once. Undefined where a note is damaged. */
  #changedIds(): number[] | undefined {
    const { reader, sequence } = this.#local;
    const state = readRowState(reader);
    if (state === undefined) return [];
    const ids = new Set<number>();
    if (!addChangedIds(reader, { after: state.packedTo, upTo: sequence }, ids)) return undefined;
    return [...ids].toSorted((a, b) => a - b);
  }

  /** From now on changes are noted, and nothing is packed. */
  #begin(): Promise<void> {
    return this.#local.write((put) => {
      const { sequence } = this.#local;
      put(DB.rowChanges, ...notedUpTo(sequence));
      putState(put, { packedTo: sequence, changesFrom: sequence, packedIds: 0 });
    });
  }

  /** Removes, slice by slice, the notes that no reader asks for any more. */
  async #removeNotes(signal: AbortSignal | undefined): Promise<void> {
    const upTo = readRowState(this.#local.reader)?.changesFrom ?? 0;
    while (this.#removedTo < upTo && !isAborted(signal)) {
      let removedTo = 0;
      await this.#local.write((put) => (removedTo = this.#removeSomeNotes(put, upTo)));
      this.#removedTo = removedTo;
      await this.#pause();
    }
  }

  /** Returns up to where notes are removed then. */
  #removeSomeNotes(put: PutLocal, upTo: number): number {
    const sequences: number[] = [];
    try {
      visitRowChanges(this.#local.reader, this.#removedTo, upTo, (_, sequence) => {
        sequences.push(sequence);
        return sequences.length < REMOVED_NOTES_MAX;
      });
    } catch (error) {
      // A damaged one stays, with those after it.
      if (!isDamage(error)) throw error;
    }
    for (const sequence of sequences) put(DB.rowChanges, rowChangesKey(sequence), undefined);
    return sequences.length < REMOVED_NOTES_MAX ? upTo : sequences.at(-1)!;
  }

  /** Packs blocks that have not been packed, for as long as a slice lasts. */
  #packNext(put: PutLocal): void {
    const { reader } = this.#local;
    const state = readRowState(reader);
    if (state === undefined) return;
    const until = performance.now() + this.#sliceMs;
    const end = this.#packableIds();
    let { packedIds } = state;
    let from = -1;
    while (packedIds < end && packedIds !== from) {
      from = packedIds;
      packedIds = this.#packInChunk(put, from, end, until);
      if (performance.now() >= until) break;
    }
    if (packedIds !== state.packedIds) putState(put, { ...state, packedIds });
  }

  /** Packs blocks of one chunk of columns. Returns the first id that is not packed. */
  #packInChunk(put: PutLocal, from: number, end: number, until: number): number {
    const chunk = chunkOf(from);
    const at = from % CHUNK_IDS;
    const last = Math.min((chunk + 1) * CHUNK_IDS, end);
    const begun = at === 0 ? undefined : this.#readColumns(chunk, at);
    const columns = ColumnChunk.grown(begun, last % CHUNK_IDS || CHUNK_IDS);
    columns.types.fill(0, at);
    let next = from;
    do {
      const packed = this.#packNewBlock(next, until);
      if (packed === undefined) break;
      this.#readTypes(next, columns);
      columns.degrees.set(packed.degrees, next % CHUNK_IDS);
      putBlock(put, packed);
      next += BLOCK_IDS;
    } while (next < last && performance.now() < until);
    if (next === from) return from;
    // No more entries than are packed: a chunk that is kept in memory is read again for those.
    const grown = ColumnChunk.grown(columns, ((next - 1) % CHUNK_IDS) + 1);
    put(DB.rows, rowKey(ROW_KIND.columns, chunk), grown.value);
    return next;
  }

  /**
   * Packs a block whose ids are not packed, so that nothing notes their changes: when a commit
   * comes between two slices and changes one, the block begins anew. Undefined when it goes on in
   * the next slice.
   */
  #packNewBlock(first: number, until: number): BlockPacking | undefined {
    const number = blockOf(first);
    const known = this.#begun?.packing.number === number ? this.#begun : undefined;
    const attempts = known === undefined ? 0 : known.attempts + (known.watch.isTouched ? 1 : 0);
    const begun =
      known !== undefined && !known.watch.isTouched
        ? known
        : { packing: this.#newPacking(number), watch: this.#local.watch(first + BLOCK_IDS) };
    // Were it changed all the time, it would never be done.
    const isDone = begun.packing.proceed(attempts < ATTEMPTS_MAX ? until : Infinity);
    this.#begun = isDone ? undefined : { ...begun, attempts };
    return isDone ? begun.packing : undefined;
  }

  #newPacking(number: number): BlockPacking {
    return new BlockPacking(this.#local.reader, number, this.#writer);
  }

  /** Packs changed rows, block by block. When all are done, the rows show the present sequence. */
  async #packAgain(changed: readonly number[], signal: AbortSignal | undefined): Promise<void> {
    const { sequence } = this.#local;
    let next = 0;
    // What changes between two slices is noted, so a block may go on whatever comes between.
    let begun: BlockPacking | undefined;
    while (next < changed.length) {
      if (isAborted(signal)) return;
      await this.#writeSlice((put) => {
        const until = performance.now() + this.#sliceMs;
        const chunks = new Map<number, ColumnChunk>();
        do {
          begun ??= this.#newPacking(blockOf(changed[next]!));
          if (!begun.proceed(until)) break;
          putBlock(put, begun);
          next = this.#changeColumns(changed, next, begun, chunks);
          begun = undefined;
        } while (next < changed.length && performance.now() < until);
        for (const [number, { value }] of chunks)
          put(DB.rows, rowKey(ROW_KIND.columns, number), value);
      });
      await this.#pause();
    }
    await this.#local.write((put) => {
      const { reader } = this.#local;
      const state = readRowState(reader);
      // With too many changes the rows were dropped meanwhile.
      if (state === undefined) return;
      putState(put, { ...state, packedTo: sequence, changesFrom: state.packedTo });
    });
  }

  /** The columns of the changed ids of a block, which is packed. Returns the place after these. */
  #changeColumns(
    changed: readonly number[],
    from: number,
    { number, degrees }: BlockPacking,
    chunks: Map<number, ColumnChunk>,
  ): number {
    let to = from;
    while (to < changed.length && blockOf(changed[to]!) === number) to++;
    const chunk = chunkOf(changed[from]!);
    const columns =
      chunks.get(chunk) ?? this.#readColumns(chunk, (changed[to - 1]! % CHUNK_IDS) + 1);
    chunks.set(chunk, columns);
    for (const id of changed.slice(from, to)) {
      columns.types[id % CHUNK_IDS] = this.#typeOf(id);
      columns.degrees[id % CHUNK_IDS] = degrees[id % BLOCK_IDS]!;
    }
    return to;
  }

  /** The types of the nodes of one block. */
  #readTypes(first: number, columns: ColumnChunk): void {
    const start = this.#keys.node(first).slice();
    const end = this.#keys.node(first + BLOCK_IDS).slice();
    this.#local.reader.scan(DB.nodes, { start, end }, (key, value) => {
      this.#record.open(value);
      columns.types[readId(key, 0) % CHUNK_IDS] = this.#record.typeId;
    });
  }

  #typeOf(id: number): number {
    const bytes = this.#local.reader.get(DB.nodes, this.#keys.node(id));
    if (bytes === undefined) return 0;
    this.#record.open(bytes);
    return this.#record.typeId;
  }

  /** A chunk that has entries up to this place. Throws `DamagedRows`. */
  #readColumns(chunk: number, end: number): ColumnChunk {
    const value = readUnlessDamaged(this.#local.reader, DB.rows, rowKey(ROW_KIND.columns, chunk));
    const columns = value === undefined ? undefined : new ColumnChunk(Uint8Array.from(value));
    if (columns === undefined || columns.count < end) throw new DamagedRows();
    return columns;
  }
}

/** Of each transaction. */
interface SliceMs {
  readonly min: number;
  readonly max: number;
}

/** Rows that are to be gone on with are not there. */
class DamagedRows extends Error {}

interface BegunBlock {
  readonly packing: BlockPacking;
  /** Of the ids that are not packed, up to the last one of the block. */
  readonly watch: RowWatch;
  /** How often it began anew. */
  readonly attempts: number;
}

function putBlock(put: PutLocal, { number, values }: BlockPacking): void {
  put(DB.rows, rowKey(ROW_KIND.out, number), values.out);
  put(DB.rows, rowKey(ROW_KIND.in, number), values.in);
}

function putState(put: PutLocal, state: RowState): void {
  put(DB.rows, ROW_STATE_KEY, encodeRowState(state));
}

function isMuch(changed: number, packedIds: number): boolean {
  return changed > CHANGED_IDS_MIN && changed > packedIds * CHANGED_SHARE_MAX;
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
