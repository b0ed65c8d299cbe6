import { must } from '#base/assert.ts';
import { DERIVED_ENTRIES_AT_A_TIME } from '#base/limits.ts';
import { tryParseUid } from '#base/uid.ts';
import { readId } from '#store/bytes.ts';
import { KEY_BYTES_MAX } from '#store/batch.ts';
import { DB, type DatabaseNumber } from '#store/databases.ts';
import type { HeldReader } from '#store/held-reader.ts';
import type { EntryVisitor } from '#store/lmdb-file/tree-pages.ts';
import { edgeOfKey, ID_BYTES, KeyEncoder, META, neighborOfKey, readType } from '../keys.ts';
import { NodeRecord } from '../node-record.ts';
import type { NodeType, SchemaRegistry } from '../schema-registry.ts';
import { SchemaSource } from '../schema-source.ts';
import { type FieldIndex, isOfTimestamp } from './field-index.ts';
import { EntryMaker } from './index-entries.ts';

/**
 * One entry, as a view that is valid until the visitor returns. `id` is its value, 0 where it has
 * none.
 */
export type DerivedVisitor = (
  db: DatabaseNumber,
  bytes: Uint8Array,
  start: number,
  end: number,
  id: number,
) => void;

/** The databases of which every entry follows from `nodes` and `out`. */
const DERIVED = [DB.types, DB.uids, DB.in, DB.indexes, DB.uniques] as const;
/** Those of them whose values are ids. */
const OF_IDS: readonly DatabaseNumber[] = [DB.uids, DB.uniques];
/** Above every key. */
const KEY_END = new Uint8Array(KEY_BYTES_MAX + 1).fill(0xff);
const NO_SECRET = new Uint8Array(0);

/** Walks over the entries that a held state has because of its nodes and edges. */
export class DerivedEntries {
  readonly registry: SchemaRegistry;
  /** Numbers of indexes that are being built or removed: their entries are not compared. */
  readonly unfinished: ReadonlySet<number>;
  /** How many entries one walk over both sides reads. */
  readonly total: number;
  readonly #state: HeldReader;
  readonly #secret: Uint8Array;
  readonly #rest: () => Promise<void>;
  readonly #maker = new EntryMaker();
  readonly #keys = new KeyEncoder();
  readonly #node = new NodeRecord();
  readonly #indexes: ReadonlyMap<number, readonly FieldIndex[]>;

  /** `rest` is called between two portions; when it rejects, the walk ends. */
  constructor(state: HeldReader, rest: () => Promise<void>) {
    this.#state = state;
    this.#rest = rest;
    const source = new SchemaSource(state);
    source.revalidate();
    this.registry = source.registry;
    this.#secret = Uint8Array.from(state.get(DB.meta, META.indexSecret) ?? NO_SECRET);
    const { nodeTypes, indexNumbers } = this.registry;
    const building = nodeTypes.flatMap(({ indexes }) =>
      indexes.filter(({ isReady }) => !isReady).map(({ number }) => number),
    );
    this.unfinished = new Set([...building, ...indexNumbers.removing]);
    this.#indexes = new Map(nodeTypes.map((type) => [type.id, comparedOf(type)]));
    const read = [DB.nodes, DB.out, ...DERIVED];
    this.total = read.reduce((sum, db) => sum + state.count(db), 0);
  }

  /** The entries that there should be. Answers the nodes whose type the schema does not have. */
  async wanted(visit: DerivedVisitor, onRead: (count: number) => void): Promise<number> {
    let strange = 0;
    await this.#each(DB.nodes, onRead, (key, keyAt, _end, value, start, end) => {
      const id = readId(key, keyAt);
      this.#node.open(value.subarray(start, end));
      if (!this.#wantedOf(id, visit)) strange++;
    });
    const edge = new Uint8Array(2 * ID_BYTES + 2);
    await this.#each(DB.out, onRead, (key, start, end) => {
      edge.set(key.subarray(start, end));
      const incoming = this.#keys.in(neighborOfKey(edge), edgeOfKey(edge), readId(edge, 0));
      visit(DB.in, incoming, 0, incoming.length, 0);
    });
    return strange;
  }

  /** The entries that there are. */
  async found(visit: DerivedVisitor, onRead: (count: number) => void): Promise<void> {
    for (const db of DERIVED) {
      const hasId = OF_IDS.includes(db);
      const isOfIndexes = db === DB.indexes || db === DB.uniques;
      await this.#each(db, onRead, (key, start, end, value, valueAt) => {
        if (isOfIndexes && this.unfinished.has(readType(key, start))) return;
        visit(db, key, start, end, hasId ? readId(value, valueAt) : 0);
      });
    }
  }

  /** Whether the type of the node that was opened is known. */
  #wantedOf(id: number, visit: DerivedVisitor): boolean {
    const node = this.#node;
    const indexes = this.#indexes.get(node.typeId);
    if (indexes === undefined) return false;
    const byTime = this.#keys.type(node.typeId, node.timestampMs, id);
    visit(DB.types, byTime, 0, byTime.length, 0);
    const { uidBytes } = node;
    visit(DB.uids, uidBytes, 0, uidBytes.length, id);
    for (const merged of node.mergedUids) {
      const bytes = must(tryParseUid(merged), 'the UID of a merged node');
      visit(DB.uids, bytes, 0, bytes.length, id);
    }
    for (const index of indexes) {
      const indexed = { id, record: node };
      const only = this.#maker.keyOf(index, indexed, this.#secret);
      if (only !== undefined) {
        visit(DB.indexes, only, 0, only.length, 0);
        continue;
      }
      const { keys, uniqueKeys } = this.#maker.entriesOf(index, indexed, this.#secret);
      for (const key of keys) visit(DB.indexes, key, 0, key.length, 0);
      for (const key of uniqueKeys) visit(DB.uniques, key, 0, key.length, id);
    }
    return true;
  }

  /** Visits all entries of a database, in portions. Only values of nodes and ids are read. */
  async #each(
    db: DatabaseNumber,
    onRead: (count: number) => void,
    visit: (...entry: Parameters<EntryVisitor>) => void,
  ): Promise<void> {
    const keysOnly = db !== DB.nodes && !OF_IDS.includes(db);
    let next: Uint8Array | undefined = new Uint8Array(0);
    while (next !== undefined) {
      const start: Uint8Array = next;
      next = undefined;
      let seen = 0;
      const portion: EntryVisitor = (key, keyAt, keyEnd, value, valueAt, valueEnd) => {
        if (seen === DERIVED_ENTRIES_AT_A_TIME) {
          next = Uint8Array.from(key.subarray(keyAt, keyEnd));
          return false;
        }
        seen++;
        visit(key, keyAt, keyEnd, value, valueAt, valueEnd);
        return true;
      };
      // Where values are sealed, `visit` would open each of them.
      if (keysOnly && this.#state.placeOf(db) === undefined) {
        this.#state.scan(db, { start, end: KEY_END, keysOnly }, (key, value) =>
          portion(key, 0, key.length, value, 0, value.length),
        );
      } else {
        this.#state.visit(db, start, portion);
      }
      onRead(seen);
      await this.#rest();
    }
  }
}

/** The indexes of a type that have entries, all of which are there. */
export function comparedOf({ indexes }: NodeType): readonly FieldIndex[] {
  return indexes.filter((index) => index.isReady && !isOfTimestamp(index));
}
