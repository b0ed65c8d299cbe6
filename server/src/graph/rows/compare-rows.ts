import { DERIVED_DIFFERENCES_NAMED_MAX } from '#base/limits.ts';
import { DB } from '#store/databases.ts';
import type { HeldReader } from '#store/held-reader.ts';
import { addChangedIds } from '#store/row-changes.ts';
import { readRowState, ROW_STATE_KEY, type RowState } from '#store/row-state.ts';
import { isDamage } from '#store/value-seal.ts';
import { KeyEncoder } from '../keys.ts';
import { NodeRecord } from '../node-record.ts';
import { BlockPacking } from './block-packing.ts';
import { BLOCK_IDS, blockOf, differingRows } from './row-block.ts';
import { CHUNK_IDS, chunkOf, ColumnChunk } from './row-columns.ts';
import { ROW_KIND, rowKey } from './row-keys.ts';

export interface RowsReport {
  /** Nodes whose packed rows were compared with the keys; 0 where there are none. */
  readonly nodes: number;
  readonly differenceCount: number;
  /** The first ones in words. */
  readonly differences: readonly string[];
}

export interface RowsComparison {
  readonly state: HeldReader;
  /** Called between two portions. When it rejects, the comparison ends. */
  readonly rest: () => Promise<void>;
  readonly onProgress: (done: number, total: number) => void;
}

/** How many nodes have packed rows. */
export function packedNodes(state: HeldReader): number {
  return readRowState(state)?.packedIds ?? 0;
}

/**
 * Compares the packed rows of a held state with its keys, where there are rows of this layout.
 * Blocks with a node that has changed since it was packed are passed over, as readers do with it.
 */
export async function compareRows(comparison: RowsComparison): Promise<RowsReport> {
  const { state, rest, onProgress } = comparison;
  const found = new Found(state);
  const rows = found.read(ROW_STATE_KEY) === DAMAGED ? undefined : readRowState(state);
  if (rows === undefined || rows.packedIds === 0) return found.report(0);
  const changed = changedBlocks(state, rows);
  if (changed === undefined) {
    found.add('row-changes is damaged: which nodes have changed is not known');
    return found.report(0);
  }
  const ids = new RowCheck(state, found);
  let nodes = 0;
  for (let first = 0; first < rows.packedIds; first += BLOCK_IDS) {
    if (first % CHUNK_IDS === 0) ids.openChunk(first, rows.packedIds);
    if (!changed.has(blockOf(first))) {
      const packing = new BlockPacking(state, blockOf(first));
      while (!packing.proceed(0)) await rest();
      ids.compare(packing);
      nodes += BLOCK_IDS;
    }
    if ((first + BLOCK_IDS) % CHUNK_IDS !== 0) continue;
    onProgress(first + BLOCK_IDS, rows.packedIds);
    await rest();
  }
  onProgress(rows.packedIds, rows.packedIds);
  return found.report(nodes);
}

function changedBlocks(state: HeldReader, { packedTo }: RowState): Set<number> | undefined {
  const ids = new Set<number>();
  const isWhole = addChangedIds(state, { after: packedTo, upTo: state.sequence }, ids);
  return isWhole ? new Set([...ids].map(blockOf)) : undefined;
}

class Found {
  readonly #state: HeldReader;
  readonly #keys = new KeyEncoder();
  readonly #node = new NodeRecord();
  readonly #differences: string[] = [];
  #count = 0;

  constructor(state: HeldReader) {
    this.#state = state;
  }

  add(text: string): void {
    this.#count++;
    if (this.#differences.length < DERIVED_DIFFERENCES_NAMED_MAX) this.#differences.push(text);
  }

  /** A value of `rows`, or that it is damaged, which is a difference. */
  read(key: Uint8Array): Uint8Array | undefined | typeof DAMAGED {
    try {
      return this.#state.get(DB.rows, key);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.add(`rows is damaged under ${hexOf(key)}`);
      return DAMAGED;
    }
  }

  nodeOf(id: number): string {
    const bytes = this.#state.get(DB.nodes, this.#keys.node(id));
    if (bytes === undefined) return 'a node that is not there';
    this.#node.open(bytes);
    return this.#node.uid;
  }

  report(nodes: number): RowsReport {
    return { nodes, differenceCount: this.#count, differences: this.#differences };
  }
}

class RowCheck {
  readonly #state: HeldReader;
  readonly #found: Found;
  readonly #keys = new KeyEncoder();
  readonly #node = new NodeRecord();
  /** Undefined where it is damaged. */
  #columns: ColumnChunk | undefined;

  constructor(state: HeldReader, found: Found) {
    this.#state = state;
    this.#found = found;
  }

  /** The blocks of these ids come next. */
  openChunk(first: number, packedIds: number): void {
    const key = rowKey(ROW_KIND.columns, chunkOf(first)).slice();
    const value = this.#found.read(key);
    this.#columns = undefined;
    if (value === DAMAGED) return;
    const columns = value === undefined ? undefined : new ColumnChunk(Uint8Array.from(value));
    if (columns !== undefined && columns.count >= Math.min(CHUNK_IDS, packedIds - first)) {
      this.#columns = columns;
    } else this.#found.add(`rows has no whole chunk of columns under ${hexOf(key)}`);
  }

  compare({ number, values, degrees }: BlockPacking): void {
    const found = this.#found;
    const first = number * BLOCK_IDS;
    for (const direction of ['out', 'in'] as const) {
      const key = rowKey(ROW_KIND[direction], number).slice();
      const value = found.read(key);
      if (value === DAMAGED) continue;
      const rows = differingRows(value, values[direction]);
      if (rows === undefined) found.add(`rows has no whole block under ${hexOf(key)}`);
      for (const row of rows ?? []) {
        found.add(`rows has other neighbours of ${found.nodeOf(first + row)} than ${direction}`);
      }
    }
    const columns = this.#columns;
    if (columns === undefined) return;
    const types = this.#typesOf(first);
    for (let row = 0; row < BLOCK_IDS; row++) {
      const at = (first + row) % CHUNK_IDS;
      if (columns.degrees[at] !== degrees[row]) {
        found.add(`rows has another number of edges of ${found.nodeOf(first + row)} than its keys`);
      }
      if (columns.types[at] !== types[row]) {
        found.add(`rows has another type of ${found.nodeOf(first + row)} than nodes`);
      }
    }
  }

  #typesOf(first: number): Uint16Array {
    const types = new Uint16Array(BLOCK_IDS);
    for (let row = 0; row < BLOCK_IDS; row++) {
      const bytes = this.#state.get(DB.nodes, this.#keys.node(first + row));
      if (bytes === undefined) continue;
      this.#node.open(bytes);
      types[row] = this.#node.typeId;
    }
    return types;
  }
}

const DAMAGED = 'damaged';

function hexOf(key: Uint8Array): string {
  return Buffer.from(key).toString('hex');
}
