import { readId, readSequence } from './bytes.ts';
import { DATABASES, DB, type DatabaseNumber } from './databases.ts';
import type { Environment } from './environment.ts';
import type { KeyValueReader } from './key-value.ts';
import type { RowWatch } from './local-state.ts';
import { readRowState, ROW_STATE_KEY } from './row-state.ts';
import { StoresReader } from './stores-reader.ts';
import { isDamage, readUnlessDamaged } from './value-seal.ts';

/**
 * The keys of `rowChanges`, big-endian:
 *
 *   u8 0                -> u48 the sequence up to which changes are noted
 *   u8 1, u48 sequence  -> the ids (5 bytes each, ascending) whose rows the commits up to there and
 *                          after the entry before changed
 *
 * A version of the server that knows nothing of packed rows notes nothing. So when the first record
 * and the state differ, the rows are not used any more.
 */
const NOTED_KEY = Uint8Array.of(0);
const CHANGES = 1;
const KEY_BYTES = 7;
const ID_BYTES = 5;

/** With more ids than this the rows are dropped: to pack them anew costs less. */
const NOTED_IDS_MAX = 2_000_000;

/** By database number: where a key has the id of a row; -1 for keys that concern none. */
const ROW_ID_AT = new Int8Array(256).fill(-1);
for (const { number, rowIdAt } of DATABASES) ROW_ID_AT[number] = rowIdAt ?? -1;

/**
 * Notes, in the transaction that carries out commits, the nodes whose packed rows do not show these
 * commits. Nothing is noted while there are no packed rows, nor for ids that are not packed yet.
 */
export class RowChanges {
  readonly #graph: Environment;
  readonly #reader: KeyValueReader;
  /** Ids from here on are not packed; 0 while there are no packed rows. */
  #packedIds = 0;
  #isOn = false;
  /** Of the ids that were noted after this, `#notedIds` is the number. */
  #packedTo = -1;
  /** Infinite where a note is damaged: then the rows are dropped. */
  #notedIds = 0;
  /** The same before the present transaction. */
  #notedBefore = 0;
  readonly #changed = new Set<number>();
  #watchEnd = 0;
  #watch = { isTouched: false };

  constructor(graph: Environment) {
    this.#graph = graph;
    this.#reader = new StoresReader(graph.stores);
    this.reload();
  }

  /** How many ids were noted since the rows were packed; one that changed twice counts twice. */
  get notedIds(): number {
    return this.#notedIds;
  }

  /**
   * To be called when the packer has changed the state of the rows. The notes are read only when
   * it has packed changed rows: there can be many, and it writes slice by slice.
   */
  reload(): void {
    const state = readRowState(this.#reader);
    this.#isOn = state !== undefined;
    this.#packedIds = state?.packedIds ?? 0;
    if (state !== undefined && state.packedTo === this.#packedTo) return;
    this.#packedTo = state?.packedTo ?? -1;
    this.#notedIds = state === undefined ? 0 : this.#countAfter(state.packedTo);
  }

  #countAfter(packedTo: number): number {
    let count = 0;
    try {
      visitRowChanges(this.#reader, packedTo, Infinity, (bytes) => {
        count += bytes.length / ID_BYTES;
      });
    } catch (error) {
      if (isDamage(error)) return Infinity;
      throw error;
    }
    return count;
  }

  /** To be called when the transaction of a group has failed. */
  undo(): void {
    this.#notedIds = this.#notedBefore;
    this.reload();
  }

  /**
   * Whether what was noted is whole and ends at this sequence; true when there are no packed rows.
   */
  endsAt(sequence: number): boolean {
    if (!this.#isOn) return true;
    const noted = readUnlessDamaged(this.#reader, DB.rowChanges, NOTED_KEY);
    const isWhole = noted !== undefined && Number.isFinite(this.#notedIds);
    return isWhole && readSequence(noted, 0) === sequence;
  }

  /** Called once before the operations of a group. */
  begin(): void {
    this.#notedBefore = this.#notedIds;
    this.#changed.clear();
  }

  /** Takes in one operation. The place of its key in the payload is enough. */
  add(db: DatabaseNumber, payload: Uint8Array, keyStart: number): void {
    const at = ROW_ID_AT[db]!;
    if (at < 0 || !this.#isOn) return;
    const id = readId(payload, keyStart + at);
    if (id < this.#packedIds) this.#changed.add(id);
    else if (id < this.#watchEnd) this.#watch.isTouched = true;
  }

  /** See `LocalState.watch`. */
  watch(endId: number): RowWatch {
    this.#watchEnd = endId;
    this.#watch = { isTouched: false };
    return this.#watch;
  }

  /** Within the transaction: puts what the group changed, which ends at `sequence`. */
  put(sequence: number): void {
    if (!this.#isOn) return;
    if (this.#notedIds + this.#changed.size > NOTED_IDS_MAX) {
      this.drop();
      return;
    }
    const { stores } = this.#graph;
    const changes = stores[DB.rowChanges];
    if (changes === undefined) return;
    changes.put(NOTED_KEY, encodeSequence(sequence));
    if (this.#changed.size === 0) return;
    changes.put(rowChangesKey(sequence), encodeIds(this.#changed));
    this.#notedIds += this.#changed.size;
  }

  /** Within a transaction: there are no packed rows from now on. */
  drop(): void {
    this.#graph.stores[DB.rows]?.remove(ROW_STATE_KEY);
    this.#isOn = false;
    this.#packedIds = 0;
    this.#notedIds = 0;
  }
}

/**
 * What was noted after one sequence up to another, until `visit` returns false: the ids are in
 * `bytes`, 5 bytes each.
 */
export function visitRowChanges(
  reader: KeyValueReader,
  after: number,
  upTo: number,
  visit: (bytes: Uint8Array, sequence: number) => boolean | void,
): void {
  const last = Math.min(upTo, SEQUENCE_MAX);
  const range = { start: rowChangesKey(after + 1), end: rowChangesKey(last + 1) };
  reader.scan(DB.rowChanges, range, (key, bytes) => visit(bytes, readSequence(key, 1)));
}

/**
 * Adds the ids that were noted after one sequence up to another. Returns false where there are more
 * than `idsMax` then, or a note is damaged: not all are added.
 */
export function addChangedIds(
  reader: KeyValueReader,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  ids: Set<number>,
  idsMax = Infinity,
): boolean {
  try {
    visitRowChanges(reader, after, upTo, (bytes) => {
      for (let at = 0; at < bytes.length; at += ID_BYTES) ids.add(readId(bytes, at));
      return ids.size <= idsMax;
    });
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
  return ids.size <= idsMax;
}

/** The key of what was noted at a sequence. */
export function rowChangesKey(sequence: number): Uint8Array {
  const key = Buffer.alloc(KEY_BYTES);
  key[0] = CHANGES;
  key.writeUIntBE(sequence, 1, 6);
  return key;
}

/** The record that changes are noted up to a sequence; the packer begins with it. */
export function notedUpTo(sequence: number): readonly [key: Uint8Array, value: Uint8Array] {
  return [NOTED_KEY, encodeSequence(sequence)];
}

const SEQUENCE_MAX = 2 ** 48 - 2;

function encodeSequence(sequence: number): Uint8Array {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(sequence, 0, 6);
  return bytes;
}

function encodeIds(ids: ReadonlySet<number>): Uint8Array {
  const bytes = Buffer.alloc(ids.size * ID_BYTES);
  let at = 0;
  for (const id of [...ids].toSorted((a, b) => a - b)) at = bytes.writeUIntBE(id, at, ID_BYTES);
  return bytes;
}
