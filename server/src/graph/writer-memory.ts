import { UID_BYTES } from '#base/uid.ts';
import { DB } from '#store/databases.ts';
import type { KeyValueReader } from '#store/key-value.ts';
import { AddedKeys } from './added-keys.ts';
import { NeighborList, StateAdjacency } from './adjacency.ts';
import { ByteWriter } from './bytes.ts';
import { EdgeRecord } from './edge-record.ts';
import { encodeField, type ValueFault } from './field-encoder.ts';
import { type FieldTable, FieldTableWriter } from './field-table.ts';
import { LIST, TAG } from './field-types.ts';
import { IdCache } from './id-cache.ts';
import { EntryMaker } from './indexes/index-entries.ts';
import { KeyEncoder, META } from './keys.ts';
import { NodeRecord } from './node-record.ts';
import { ALIASES_FIELD, type Field, KEY_FIELD, MERGED_FIELD } from './schema-fields.ts';
import { SchemaSource } from './schema-source.ts';
import type { TypeAccessByType } from './type-access.ts';

const CACHED_IDS_MAX = 524_288;
const NO_SECRET = new Uint8Array(0);

/**
 * What the writer keeps from one commit to the next: the schema, ids of known nodes, and buffers.
 * All of it is derived from the state, and compared with the state at the beginning of each commit:
 * an earlier commit may have failed while it was built, or been refused later (a full disk).
 */
export class WriterMemory {
  readonly view: KeyValueReader;
  readonly schema: SchemaSource;
  /** By type number and key. Type numbers begin at 1; under 0 are nodes by their UIDs as text. */
  readonly ids: Pick<IdCache, 'get' | 'set' | 'delete' | 'clear'>;
  readonly added: Pick<
    AddedKeys,
    'begin' | 'clear' | 'addNode' | 'mayHaveNode' | 'addEdge' | 'mayHaveEdge'
  >;
  readonly adjacency: StateAdjacency;
  readonly keys = new KeyEncoder();
  readonly fields = new FieldMerge();
  readonly node = new NodeRecord();
  /** The new record of a node, while its history entry is written; `entry` holds that entry. */
  readonly changed = new NodeRecord();
  readonly entry = new ByteWriter();
  readonly edge = new EdgeRecord();
  readonly neighbors = new NeighborList();
  readonly bytes = new ByteWriter();
  /** The UID that follows from the key of the present node. */
  readonly uid = new Uint8Array(UID_BYTES);
  readonly entries = new EntryMaker();
  readonly typeAccess = new LastRead<TypeAccessByType>();
  /** The secret key for the digests of indexes; empty while no index needs it. */
  indexSecret: Uint8Array = NO_SECRET;
  /** The id of the next new node. */
  nextId = 1;

  /** `remembers`: whether what is known of nodes in one commit may be used in the next. */
  constructor(view: KeyValueReader, remembers = true) {
    this.view = view;
    this.schema = new SchemaSource(view);
    this.ids = remembers ? new IdCache(CACHED_IDS_MAX) : NO_IDS;
    this.added = remembers ? new AddedKeys(view) : ANY_KEYS;
    this.adjacency = new StateAdjacency(view);
  }

  /**
   * Brings this into agreement with the state. Every commit that adds nodes raises the next id in
   * the state. An unexpected next id means that a commit which this memory saw failed or was
   * refused, so the nodes that it added do not exist.
   */
  revalidate(): void {
    const nextId = readCount(this.view.get(DB.meta, META.nextId)) || 1;
    const isChanged = this.schema.revalidate();
    if (isChanged) {
      this.indexSecret = Uint8Array.from(this.view.get(DB.meta, META.indexSecret) ?? NO_SECRET);
    }
    if (isChanged || nextId !== this.nextId) this.ids.clear();
    this.nextId = nextId;
    this.added.begin(nextId);
  }

  /** Gives back the memory that a load has filled. What it held is read from the state again. */
  release(): void {
    this.ids.clear();
    this.added.clear();
  }
}

const ignore = (): void => {};
const NO_IDS = { get: () => 0, set: ignore, delete: ignore, clear: ignore };
const ANY_KEYS = {
  begin: ignore,
  clear: ignore,
  addNode: ignore,
  addEdge: ignore,
  mayHaveNode: () => true,
  mayHaveEdge: () => true,
};

/** What was made of a record the last time: it is made again when the record is another. */
class LastRead<T> {
  #bytes: Buffer | undefined;
  #value: T | undefined;

  read(record: NodeRecord, make: (record: NodeRecord) => T): T {
    if (this.#value === undefined || this.#bytes?.equals(record.bytes) !== true) {
      this.#bytes = Buffer.from(record.bytes);
      this.#value = make(record);
    }
    return this.#value;
  }
}

/** Counters of `meta`: 48 bits, big-endian. */
const COUNTER_BYTES = 6;

export function encodeCount(count: number): Uint8Array {
  const bytes = Buffer.alloc(COUNTER_BYTES);
  bytes.writeUIntBE(count, 0, COUNTER_BYTES);
  return bytes;
}

/** The count; 0 when there is none. */
export function readCount(bytes: Uint8Array | undefined): number {
  if (bytes === undefined) return 0;
  let count = 0;
  for (let i = 0; i < COUNTER_BYTES; i++) count = count * 256 + bytes[i]!;
  return count;
}

const ALIASES: Field = {
  number: ALIASES_FIELD,
  name: 'aliases',
  type: 'String[]',
  tag: TAG.String | LIST,
};

const MERGED: Field = {
  number: MERGED_FIELD,
  name: 'merged',
  type: 'UID[]',
  tag: TAG.UID | LIST,
};

/**
 * Builds the fields of one record, then of the next: the given fields replace stored ones. First
 * call `clear`, then `give` for each field in any order, then `merge` once.
 */
class FieldMerge {
  readonly table = new FieldTableWriter();
  /** The given fields, in the order of their numbers. */
  readonly #fields: Field[] = [];
  readonly #values: unknown[] = [];
  #count = 0;
  /** The time in the watched field: see `merge`. Undefined when that field was not given. */
  watchedTimeMs: number | undefined;
  /** The field whose value did not fit, after `merge` has returned a fault. */
  faultyField: Field | undefined;

  clear(): void {
    this.table.clear();
    this.#count = 0;
  }

  /** Gives a field its value; null removes the field. */
  give(field: Field, value: unknown): void {
    let at = this.#count++;
    for (; at > 0 && this.#fields[at - 1]!.number > field.number; at--) {
      this.#fields[at] = this.#fields[at - 1]!;
      this.#values[at] = this.#values[at - 1];
    }
    this.#fields[at] = field;
    this.#values[at] = value;
  }

  giveAliases(aliases: readonly string[]): void {
    this.give(ALIASES, aliases.length === 0 ? null : aliases);
  }

  giveMerged(uids: readonly string[]): void {
    this.give(MERGED, uids.length === 0 ? null : uids);
  }

  /**
   * Writes `key` (for a new node), the given fields, and the stored fields that were not given.
   * When the Time field with the number `watched` was given, `watchedTimeMs` is its value. Returns
   * the fault of the first value that does not fit.
   */
  merge(
    key: string | undefined,
    stored: FieldTable | undefined,
    watched: number,
  ): ValueFault | undefined {
    const { table } = this;
    this.watchedTimeMs = undefined;
    if (key !== undefined) {
      table.values.utf8(key);
      table.add(KEY_FIELD, TAG.String);
    }
    const storedCount = stored === undefined ? 0 : stored.count;
    let at = 0;
    for (let i = 0; i < this.#count; i++) {
      const field = this.#fields[i]!;
      for (; at < storedCount && stored!.number(at) < field.number; at++) {
        table.copyFrom(stored!, at);
      }
      if (at < storedCount && stored!.number(at) === field.number) at++;
      const value = this.#values[i];
      if (value === null) continue;
      const fault = encodeField(table.values, field.tag, value);
      if (fault !== undefined) {
        this.faultyField = field;
        return fault;
      }
      table.add(field.number, field.tag);
      if (field.number === watched) {
        this.watchedTimeMs = table.values.bytes.readDoubleBE(table.values.length - 8);
      }
    }
    for (; at < storedCount; at++) table.copyFrom(stored!, at);
    return undefined;
  }
}
