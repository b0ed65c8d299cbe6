import { DB } from '#store/databases.ts';
import type { KeyValueReader } from '#store/key-value.ts';
import { NeighborList, StateAdjacency } from './adjacency.ts';
import { ByteWriter } from './bytes.ts';
import { EdgeRecord } from './edge-record.ts';
import { encodeField, type ValueFault } from './field-encoder.ts';
import { type FieldTable, FieldTableWriter } from './field-table.ts';
import { LIST, TAG } from './field-types.ts';
import { EntryMaker } from './indexes/index-entries.ts';
import { KeyEncoder, META } from './keys.ts';
import { NodeRecord } from './node-record.ts';
import { ALIASES_FIELD, type Field, KEY_FIELD } from './schema-registry.ts';
import { SchemaSource } from './schema-source.ts';

const CACHED_IDS_MAX = 262_144;
const NO_SECRET = new Uint8Array(0);

/**
 * What the writer keeps from one commit to the next: the schema, ids of known nodes, and buffers.
 * All of it is derived from the state and compared with it at the beginning of each commit, because
 * a commit may fail while it is built, or be refused later (a full disk), and then never was.
 */
export class WriterMemory {
  readonly view: KeyValueReader;
  readonly schema: SchemaSource;
  /** Type numbers begin at 1; under 0 stand nodes by their printed UIDs. */
  readonly ids = new IdCache(CACHED_IDS_MAX);
  readonly adjacency: StateAdjacency;
  readonly keys = new KeyEncoder();
  readonly fields = new FieldMerge();
  readonly node = new NodeRecord();
  /** The node as it becomes, while its history is written; and what is written. */
  readonly changed = new NodeRecord();
  readonly entry = new ByteWriter();
  readonly edge = new EdgeRecord();
  readonly neighbors = new NeighborList();
  readonly bytes = new ByteWriter();
  readonly entries = new EntryMaker();
  /** What keys the digests of indexes; empty while no index needs it. */
  indexSecret: Uint8Array = NO_SECRET;
  /** The id of the next new node. */
  nextId = 1;

  constructor(view: KeyValueReader) {
    this.view = view;
    this.schema = new SchemaSource(view);
    this.adjacency = new StateAdjacency(view);
  }

  /**
   * Makes it agree with the state. Every commit that adds nodes raises the state's next id, so an
   * unexpected one means that a commit seen here failed or was refused: the nodes that it added are
   * not there.
   */
  revalidate(): void {
    const nextId = readCount(this.view.get(DB.meta, META.nextId)) || 1;
    const isChanged = this.schema.revalidate();
    if (isChanged) {
      this.indexSecret = Uint8Array.from(this.view.get(DB.meta, META.indexSecret) ?? NO_SECRET);
    }
    if (isChanged || nextId !== this.nextId) this.ids.clear();
    this.nextId = nextId;
  }
}

/**
 * The ids of nodes that were written or referred to lately, by type and key: it spares the digest
 * of a key and a read of the state. It holds nodes that exist only; who deletes one removes it
 * here.
 *
 * Two generations bound it: when the young one is full it becomes the old one, and what is found
 * there comes back.
 */
class IdCache {
  readonly #generationMax: number;
  #young: (Map<string, number> | undefined)[] = [];
  #old: (Map<string, number> | undefined)[] = [];
  #youngSize = 0;

  constructor(entriesMax: number) {
    this.#generationMax = Math.max(1, Math.floor(entriesMax / 2));
  }

  /** 0 when it is not known. */
  get(type: number, key: string): number {
    const young = this.#young[type]?.get(key);
    if (young !== undefined) return young;
    const old = this.#old[type]?.get(key);
    if (old === undefined) return 0;
    this.set(type, key, old);
    return old;
  }

  set(type: number, key: string, id: number): void {
    if (this.#youngSize >= this.#generationMax) {
      this.#old = this.#young;
      this.#young = [];
      this.#youngSize = 0;
    }
    (this.#young[type] ??= new Map()).set(key, id);
    this.#youngSize++;
  }

  delete(type: number, key: string): void {
    this.#young[type]?.delete(key);
    this.#old[type]?.delete(key);
  }

  clear(): void {
    this.#young = [];
    this.#old = [];
    this.#youngSize = 0;
  }
}

/** Counters of `meta`: 48 bits, big-endian. */
const COUNTER_BYTES = 6;

export function encodeCount(count: number): Uint8Array {
  const bytes = Buffer.alloc(COUNTER_BYTES);
  bytes.writeUIntBE(count, 0, COUNTER_BYTES);
  return bytes;
}

/** 0 when there is none. */
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

/**
 * Builds the fields of one record after the other: those given, over those stored. First `clear`,
 * then `give` each field in any order, then `merge` once.
 */
class FieldMerge {
  readonly table = new FieldTableWriter();
  /** What was given, in the order of the field numbers. */
  readonly #fields: Field[] = [];
  readonly #values: unknown[] = [];
  #count = 0;
  /** The time in the field that was watched for, when it was given: see `merge`. */
  watchedTimeMs: number | undefined;
  /** The field whose value did not fit, after `merge` answered a fault. */
  faultyField: Field | undefined;

  clear(): void {
    this.table.clear();
    this.#count = 0;
  }

  /** Null removes the field. */
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

  /**
   * Writes `key` (of a new node), what was given, and what is stored and was not given. When the
   * Time field numbered `watched` is among the given, `watchedTimeMs` is its value. Answers the
   * fault of the first value that does not fit.
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
