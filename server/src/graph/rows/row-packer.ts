import { readId } from '#store/bytes.ts';
import { DB } from '#store/databases.ts';
import type { LocalState, PutLocal } from '#store/local-state.ts';
import { addChangedIds, notedUpTo, rowChangesKey, visitRowChanges } from '#store/row-changes.ts';
import { encodeRowState, readRowState, ROW_STATE_KEY, type RowState } from '#store/row-state.ts';
import { isDamage } from '#store/value-seal.ts';
import { ANY_EDGE } from '../adjacency.ts';
import { edgeOfKey, KeyEncoder, META, neighborOfKey } from '../keys.ts';
import { NodeRecord } from '../node-record.ts';
import { readCount } from '../writer-memory.ts';
import { BLOCK_IDS, blockOf, RowBlockWriter } from './row-block.ts';
import { CHUNK_IDS, chunkOf, ColumnChunk } from './row-columns.ts';
import { ROW_KIND, rowKey } from './row-keys.ts';

/** The writer's thread packs no longer than this at once, or one block, which is more work. */
const SLICE_MS = 4;
/**
 * Where LMDB takes longer for the transaction than the slice lasts, slices grow up to this: after a
 * load its list of free pages is long, and costs each transaction the same.
 */
const SLICE_MS_MAX = 25;
/** When more than this share of the rows has changed, all are packed anew. */
const CHANGED_SHARE_MAX = 0.25;
const CHANGED_IDS_MIN = 10_000;
/** Of rows with so many neighbours, the keys are counted before more are read. */
const LONG_ROW = 512;
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
  readonly #block = new RowBlockWriter();
  readonly #record = new NodeRecord();
  readonly #pause: () => Promise<void>;
  #sliceMs = SLICE_MS;
  /** The notes up to this sequence are removed. */
  #removedTo = 0;

  /** `pause` is awaited between slices. */
  constructor(local: LocalState, pause: () => Promise<void> = () => Promise.resolve()) {
    this.#local = local;
    this.#pause = pause;
  }

  /** Whether a call of `pack` would find something to do. */
  get isBehind(): boolean {
    const state = readRowState(this.#local.reader);
    return this.#local.notedIds > 0 || (state?.packedIds ?? 0) < this.#packableIds();
  }

  /** Packs all that there is to pack now. Rejects with `storage_full` or `storage_failed`. */
  async pack(signal?: AbortSignal): Promise<void> {
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
    this.#sliceMs = Math.min(Math.max(writtenMs, SLICE_MS), SLICE_MS_MAX);
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
    while (packedIds < end && (packedIds === state.packedIds || performance.now() < until)) {
      packedIds = this.#packInChunk(put, packedIds, end, until);
    }
    putState(put, { ...state, packedIds });
  }

  /** Packs blocks of one chunk of columns. Returns the first id that is not packed. */
  #packInChunk(put: PutLocal, from: number, end: number, until: number): number {
    const chunk = chunkOf(from);
    const last = Math.min((chunk + 1) * CHUNK_IDS, end);
    const columns = ColumnChunk.grown(this.#readColumns(chunk), last % CHUNK_IDS || CHUNK_IDS);
    columns.types.fill(0, from % CHUNK_IDS);
    columns.degrees.fill(0, from % CHUNK_IDS);
    const addDegree = (id: number, count: number): void => {
      columns.degrees[id % CHUNK_IDS]! += count;
    };
    let next = from;
    do {
      this.#readTypes(next, columns);
      this.#packBlock(put, 'out', blockOf(next), addDegree);
      this.#packBlock(put, 'in', blockOf(next), addDegree);
      next += BLOCK_IDS;
    } while (next < last && performance.now() < until);
    // No more entries than are packed: a chunk that is kept in memory is read again for those.
    const packed = ColumnChunk.grown(columns, ((next - 1) % CHUNK_IDS) + 1);
    put(DB.rows, rowKey(ROW_KIND.columns, chunk), packed.value);
    return next;
  }

  /** Packs changed rows, block by block. When all are done, the rows show the present sequence. */
  async #packAgain(changed: readonly number[], signal: AbortSignal | undefined): Promise<void> {
    const { sequence } = this.#local;
    let next = 0;
    while (next < changed.length) {
      if (isAborted(signal)) return;
      await this.#writeSlice((put) => {
        const until = performance.now() + this.#sliceMs;
        const chunks = new Map<number, ColumnChunk>();
        do next = this.#packBlockAgain(put, changed, next, chunks);
        while (next < changed.length && performance.now() < until);
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

  /** The block of one changed id, and of those after it in the same block. Returns the next. */
  #packBlockAgain(
    put: PutLocal,
    changed: readonly number[],
    from: number,
    chunks: Map<number, ColumnChunk>,
  ): number {
    const number = blockOf(changed[from]!);
    let to = from;
    while (to < changed.length && blockOf(changed[to]!) === number) to++;
    const degrees = new Map<number, number>();
    const addDegree = (id: number, count: number): void =>
      void degrees.set(id, (degrees.get(id) ?? 0) + count);
    this.#packBlock(put, 'out', number, addDegree);
    this.#packBlock(put, 'in', number, addDegree);
    const chunk = chunkOf(changed[from]!);
    const columns = chunks.get(chunk) ?? this.#readColumns(chunk);
    if (columns === undefined) return to;
    chunks.set(chunk, columns);
    for (const id of changed.slice(from, to)) {
      columns.types[id % CHUNK_IDS] = this.#typeOf(id);
      columns.degrees[id % CHUNK_IDS] = degrees.get(id) ?? 0;
    }
    return to;
  }

  #packBlock(
    put: PutLocal,
    direction: 'out' | 'in',
    number: number,
    addDegree: (id: number, count: number) => void,
  ): void {
    const { reader } = this.#local;
    const db = DB[direction];
    const block = this.#block;
    const first = number * BLOCK_IDS;
    const end = this.#keys.node(first + BLOCK_IDS).slice();
    const row = { id: -1, count: 0 };
    const endRow = (): void => {
      if (row.count > 0) addDegree(row.id, row.count);
      row.count = 0;
    };
    block.clear();
    let start = this.#keys.node(first).slice();
    for (;;) {
      let last = NO_KEY;
      reader.scan(db, { start, end, keysOnly: true }, (key) => {
        const id = readId(key, 0);
        if (id !== row.id) endRow();
        row.id = id;
        row.count++;
        block.add(id - first, neighborOfKey(key), edgeOfKey(key));
        if (row.count !== LONG_ROW && !block.isRowAbsent(id - first)) return true;
        last = Uint8Array.from(key);
        return false;
      });
      if (last === NO_KEY) break;
      const total = reader.countRange(db, this.#keys.edges(row.id, ANY_EDGE));
      const isKept = block.makeRoom(row.id - first, total - row.count);
      if (!isKept) row.count = total;
      // Right after the last key, or with the next node.
      start = isKept ? Buffer.concat([last, ZERO]) : this.#keys.node(row.id + 1).slice();
    }
    endRow();
    put(DB.rows, rowKey(ROW_KIND[direction], number), block.finish());
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

  #readColumns(chunk: number): ColumnChunk | undefined {
    const value = this.#local.reader.get(DB.rows, rowKey(ROW_KIND.columns, chunk));
    return value === undefined ? undefined : new ColumnChunk(Uint8Array.from(value));
  }
}

const NO_KEY = new Uint8Array(0);
const ZERO = Uint8Array.of(0);

function putState(put: PutLocal, state: RowState): void {
  put(DB.rows, ROW_STATE_KEY, encodeRowState(state));
}

function isMuch(changed: number, packedIds: number): boolean {
  return changed > CHANGED_IDS_MIN && changed > packedIds * CHANGED_SHARE_MAX;
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
