import type { SchemaAlias, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { must } from '#base/assert.ts';
import { readId } from '#store/bytes.ts';
import { DB } from '#store/databases.ts';
import type { KeyRange, KeyValueReader } from '#store/key-value.ts';
import { readAccessChanges } from './access-journal.ts';
import { ANY_EDGE, type Direction, NeighborList } from './adjacency.ts';
import { EdgeRecord } from './edge-record.ts';
import { IdList } from './id-list.ts';
import { IdMarksPool } from './id-marks.ts';
import { isOfTimestamp } from './indexes/field-index.ts';
import {
  countKey,
  edgeCountKey,
  edgeOfKey,
  idOfTypeKey,
  indexCountKey,
  KeyEncoder,
  META,
} from './keys.ts';
import { readCount } from './writer-memory.ts';
import { readHistory } from './node-history.ts';
import { NodeColumns } from './node-columns.ts';
import { NodeRecord, openRecord } from './node-record.ts';
import type { NodeRows, ReadsField } from './node-rows.ts';
import type { NodeReference } from './operations.ts';
import type { PackedRows } from './rows/packed-rows.ts';
import type {
  AccessChange,
  EdgeObject,
  GraphReader,
  IndexState,
  NodeHistory,
  TypePage,
  TypeWalk,
} from './reader.ts';
import { knowsFields } from './schema-fields.ts';
import { type NodeType, type SchemaRegistry, type SchemaWatch } from './schema-registry.ts';
import { SchemaSource } from './schema-source.ts';
import { hiddenEdgesOf, hiddenTypesOf, ShownAdjacency } from './shown-adjacency.ts';
import { formatTime } from './time.ts';
import { NO_TYPE, TypeCursor } from './type-cursor.ts';
import { formatUid, keyedUid, tryParseUid } from '#base/uid.ts';

/** Decides which commit is read: a snapshot reader, or the writer. */
export interface StatePosition extends Partial<Disposable> {
  refresh(): number;
  readonly sequence: number;
}

/**
 * The graph over any ordered key-value state: a snapshot in any thread, or the writer's view of
 * commits in flight.
 *
 * Within one history the numbers of a schema only grow. So when the known schema is older than the
 * state, an unknown number or name shows it. The schema is compared with the state only then, and
 * in `refresh`.
 */
export class StateReader implements GraphReader {
  readonly adjacency: ShownAdjacency;
  readonly #state: KeyValueReader;
  readonly #position: StatePosition;
  readonly #schema: SchemaSource;
  readonly #keys = new KeyEncoder();
  readonly #rows: PackedRows | undefined;
  /** For the steps of queries. */
  readonly marks = new IdMarksPool();
  #refreshedTo = -1;
  readonly #record = new NodeRecord();
  readonly #edge = new EdgeRecord();
  readonly #neighbors = new NeighborList();

  /**
   * `rows` belong to the same state; without them the keys tell all. `watch` is told what is asked
   * of the schema.
   */
  constructor(
    state: KeyValueReader,
    position: StatePosition,
    rows?: PackedRows,
    watch?: SchemaWatch,
  ) {
    this.#state = state;
    this.#rows = rows;
    this.#position = position;
    this.#schema = new SchemaSource(state, watch);
    this.#schema.revalidate();
    this.adjacency = new ShownAdjacency(state, this.#schema);
  }

  refresh(): number {
    const sequence = this.#position.refresh();
    if (sequence !== this.#refreshedTo) this.#schema.revalidate();
    this.#refreshedTo = sequence;
    return sequence;
  }

  get sequence(): number {
    return this.#position.sequence;
  }

  schema(): SchemaDocument {
    return this.registry.toDocument();
  }

  schemaAliases(): readonly SchemaAlias[] {
    return this.registry.aliases();
  }

  get hiddenTypes(): string {
    return hiddenTypesOf(this.registry);
  }

  typeNamed(name: string): string {
    return this.registry.nodeType(name)?.name ?? name;
  }

  /**
   * The packed rows at the commit of this turn of the event loop, for as long as it lasts;
   * undefined when there are none.
   */
  packedRows(): PackedRows | undefined {
    // They know of all edges, also of those that are hidden.
    if (this.adjacency.hides) return undefined;
    return this.#rows?.revalidate(this.sequence) === true ? this.#rows : undefined;
  }

  columns(): NodeColumns | undefined {
    const rows = this.packedRows();
    return rows && new NodeColumns(rows, this.registry);
  }

  writeRow(id: number, rows: NodeRows, edgeCount: number, reads?: ReadsField): boolean {
    const record = this.record(id);
    if (record === undefined) return false;
    rows.write(record, this.nodeTypeOf(record), edgeCount, reads);
    return true;
  }

  degree(id: number): number {
    if (this.adjacency.hides) return this.adjacency.edgesOf(id).length;
    const range = this.#keys.edges(id, ANY_EDGE);
    return this.#state.countRange(DB.out, range) + this.#state.countRange(DB.in, range);
  }

  /**
   * The number of edges of a node, counted up to `max`, without those of the system: who owns it,
   * who may see it, its files.
   */
  connections(id: number, max: number): number {
    if (this.adjacency.hides) {
      const { edges, length } = this.adjacency.edgesOf(id);
      const counted = edges.subarray(0, length).filter((edge) => !this.#isOfSystem(edge));
      return Math.min(counted.length, max);
    }
    let count = 0;
    for (const db of [DB.out, DB.in] as const) {
      this.#state.scan(db, { ...this.#keys.edges(id, ANY_EDGE), keysOnly: true }, (key) => {
        if (!this.#isOfSystem(edgeOfKey(key))) count++;
        return count < max;
      });
    }
    return Math.min(count, max);
  }

  #isOfSystem(edge: number): boolean {
    const known = edge <= this.#schema.registry.notWatched.edgeTypes.length;
    const { name } = (known ? this.#schema.registry : this.registry).edgeTypeById(edge);
    return name.startsWith('_') || name.startsWith('RestrictAccessTo');
  }

  /** The present schema of the state. */
  get registry(): SchemaRegistry {
    this.#schema.revalidate();
    return this.#schema.registry;
  }

  indexes(): IndexState[] {
    return this.registry.nodeTypes.flatMap(({ name, id, indexes }) =>
      indexes.map((index) => ({
        number: index.number,
        type: name,
        fields: index.fields.map((field) => field.name),
        unique: index.unique,
        isReady: index.isReady,
        entries: this.#count(isOfTimestamp(index) ? countKey(id) : indexCountKey(index.number)),
      })),
    );
  }

  indexesBeingRemoved(): readonly number[] {
    return this.registry.indexNumbers.removing;
  }

  get nextId(): number {
    return this.#count(META.nextId) || 1;
  }

  /** The secret key for the digests of indexes; see `FieldIndex.isHashed`. */
  get indexSecret(): Uint8Array {
    return Uint8Array.from(this.#state.get(DB.meta, META.indexSecret) ?? []);
  }

  /** Visits the keys of a range of `types` or `indexes`; as `KeyValueReader.scan`. */
  visitKeys(
    db: typeof DB.types | typeof DB.indexes,
    { start, end, reverse = false }: KeyRange,
    visit: (key: Uint8Array) => boolean | void,
  ): void {
    this.#state.scan(db, { start, end, reverse, keysOnly: true }, visit);
  }

  countKeys(db: typeof DB.types | typeof DB.indexes, range: KeyRange): number {
    return this.#state.countRange(db, range);
  }

  #count(key: Uint8Array): number {
    return readCount(this.#state.get(DB.meta, key));
  }

  id(reference: NodeReference): number | undefined {
    const uid = this.#uidOf(reference);
    if (uid === undefined) return undefined;
    const value = this.#state.get(DB.uids, uid);
    const id = value === undefined ? undefined : readId(value, 0);
    return id === undefined || this.adjacency.isHidden(id) ? undefined : id;
  }

  uidOf(reference: NodeReference): string {
    if (typeof reference === 'string') return reference;
    if (reference.uid !== undefined) return reference.uid;
    const uid = this.#uidOf(reference);
    return uid === undefined ? '' : formatUid(uid);
  }

  uid(id: number): string | undefined {
    return this.record(id)?.uid;
  }

  typeOf(id: number): string | undefined {
    const record = this.record(id);
    return record === undefined ? undefined : this.nodeTypeOf(record).name;
  }

  version(id: number): number | undefined {
    return this.record(id)?.version;
  }

  node(id: number): NodeObject | undefined {
    const record = this.record(id);
    return record?.toObject(this.nodeTypeOf(record));
  }

  nodeOfRecord(text: string): NodeObject {
    const record = openRecord(text);
    return record.toObject(this.nodeTypeOf(record));
  }

  field(id: number, name: string): unknown {
    const record = this.record(id);
    return record?.valueByName(this.nodeTypeOf(record), name);
  }

  fields(id: number, names: readonly string[]): ReturnType<GraphReader['fields']> {
    const record = this.record(id);
    if (record === undefined) return undefined;
    const type = this.nodeTypeOf(record);
    return { type: type.name, values: names.map((name) => record.valueByName(type, name)) };
  }

  history(id: number): NodeHistory | undefined {
    // The schema that is known here may lack a field that no node has now.
    this.#schema.revalidate();
    const record = this.record(id);
    return record && readHistory(this.#state, id, record, this.nodeTypeOf(record));
  }

  aliases(id: number): readonly string[] {
    return this.record(id)?.aliases ?? [];
  }

  /**
   * The stored node, in a view that is valid until the next call on this reader; undefined also
   * where its type was dropped. After this the schema here has its type and all its fields.
   */
  record(id: number): NodeRecord | undefined {
    if (!this.#openNode(id)) return undefined;
    if (!this.#knowsFieldsOf(this.#record)) {
      this.#schema.revalidate();
      // That read made the bytes of the record invalid.
      this.#openNode(id);
    }
    const { registry } = this.#schema;
    if (registry.hidesNodes && registry.isHiddenNodeType(this.#record.typeId)) return undefined;
    return this.#record;
  }

  /** The type of a record that this reader returned. */
  nodeTypeOf(record: NodeRecord): NodeType {
    return this.#schema.registry.nodeTypeById(record.typeId);
  }

  idsOfType(type: string, page: TypePage = {}): number[] {
    const typeId = this.#typeIdOf(type);
    const take = page.take ?? Infinity;
    if (typeId === undefined || take <= 0) return [];
    const ids: number[] = [];
    let toSkip = page.skip ?? 0;
    const range = this.#keys.nodesOfType(typeId);
    const reverse = page.oldestFirst !== true;
    this.#state.scan(DB.types, { ...range, reverse }, (key) => {
      if (toSkip > 0) toSkip--;
      else ids.push(idOfTypeKey(key));
      return ids.length < take;
    });
    return ids;
  }

  walkType(type: string): TypeWalk {
    return this.walkNumberedType(this.#typeIdOf(type) ?? NO_TYPE);
  }

  /** Likewise for a type that may have been dropped. */
  walkNumberedType(id: number): TypeWalk {
    const cursor = new TypeCursor(id);
    return {
      next: (take) => {
        const ids = new IdList(take);
        this.collectOfType(cursor, take, ids);
        return ids.toArray();
      },
    };
  }

  countOfType(type: string): number {
    const typeId = this.#typeIdOf(type);
    return typeId === undefined ? 0 : this.#count(countKey(typeId));
  }

  countOfEdgeType(type: string): number {
    const { registry } = this;
    const edge = registry.edgeType(type);
    if (edge === undefined) return 0;
    const all = this.#count(edgeCountKey(edge.id));
    // Those that nodes which were deleted since had to hidden ones are gone from both.
    return registry.hidesNodes ? Math.max(0, all - hiddenEdgesOf(registry, edge.id)) : all;
  }

  countEdgesOf(type: string, ids: readonly number[], into: Map<string, number>): void {
    const typeId = this.#typeIdOf(type);
    const isOwn = (id: number): boolean => this.record(id)?.typeId === typeId;
    for (const id of ids) {
      this.adjacency.countEdges(id, isOwn, (edge) => {
        const { name } = this.registry.edgeTypeById(edge);
        into.set(name, (into.get(name) ?? 0) + 1);
      });
    }
  }

  /**
   * Appends up to `take` more ids of a type, newest first. `cursor` is where the last call ended;
   * this call moves it. Fewer than `take` ids mean that the end is reached.
   */
  collectOfType(cursor: TypeCursor, take: number, into: IdList): void {
    const range = cursor.isStarted
      ? this.#keys.nodesOfTypeBefore(cursor.typeId, cursor.lastKey)
      : this.#keys.nodesOfType(cursor.typeId);
    let left = take;
    this.#state.scan(DB.types, { ...range, reverse: true, keysOnly: true }, (key) => {
      into.push(idOfTypeKey(key));
      if (--left > 0) return true;
      cursor.isStarted = true;
      cursor.lastKey.set(key);
      return false;
    });
  }

  neighbors(id: number, direction: Direction, edge?: string): number[] {
    return this.#collect(id, direction, edge).toArray();
  }

  outgoing(id: number): { to: number[]; types: string[] } {
    const { values, edges, length } = this.#collect(id, 'out', undefined);
    const [to, types]: [number[], string[]] = [[], []];
    for (let i = 0; i < length; i++) {
      const edge = edges[i]!;
      if (edge > this.#schema.registry.notWatched.edgeTypes.length) this.#schema.revalidate();
      to.push(values[i]!);
      types.push(this.#schema.registry.edgeTypeById(edge).name);
    }
    return { to, types };
  }

  edges(id: number, direction: Direction, edge?: string): EdgeObject[] {
    const { values, edges, length } = this.#collect(id, direction, edge);
    const own = length === 0 ? '' : must(this.uid(id), 'the end of an edge');
    const objects: EdgeObject[] = [];
    for (let i = 0; i < length; i++) {
      const other = values[i]!;
      const object =
        direction === 'out'
          ? this.edge(id, edges[i]!, other, own)
          : this.edge(other, edges[i]!, id, undefined, own);
      objects.push(must(object, 'the record of an edge'));
    }
    return objects;
  }

  edgeBetween(
    from: number,
    type: string,
    to: number,
    ...uids: readonly string[]
  ): EdgeObject | undefined {
    const edge = this.#edgeIdOf(type);
    return edge === undefined ? undefined : this.edge(from, edge, to, uids[0], uids[1]);
  }

  /**
   * One edge, by the ids of its ends and the number of its type. The UIDs of the ends may be passed
   * when they are known.
   */
  edge(
    from: number,
    edge: number,
    to: number,
    fromUid = this.uid(from),
    toUid = this.uid(to),
  ): EdgeObject | undefined {
    if (fromUid === undefined || toUid === undefined) return undefined;
    if (edge > this.#schema.registry.notWatched.edgeTypes.length) this.#schema.revalidate();
    if (!this.#openEdge(from, edge, to)) return undefined;
    let type = this.#schema.registry.edgeTypeById(edge);
    if (!knowsFields(type, this.#edge.fields)) {
      type = this.registry.edgeTypeById(edge);
      this.#openEdge(from, edge, to);
    }
    const fields: Record<string, unknown> = {};
    this.#edge.assignFields(type, fields);
    const timestamp = formatTime(this.#edge.timestampMs);
    return { type: type.name, from: fromUid, to: toUid, timestamp, ...fields };
  }

  accessChangesSince(sequence: number): readonly AccessChange[] | undefined {
    return readAccessChanges(this.#state, sequence, this.sequence);
  }

  [Symbol.dispose](): void {
    this.#position[Symbol.dispose]?.();
  }

  #collect(id: number, direction: Direction, edge: string | undefined): NeighborList {
    const list = this.#neighbors;
    list.length = 0;
    const edgeId = edge === undefined ? ANY_EDGE : this.#edgeIdOf(edge);
    if (edgeId !== undefined) this.adjacency.collect(id, direction, edgeId, list);
    return list;
  }

  #typeIdOf(name: string): number | undefined {
    return (this.#schema.registry.nodeType(name) ?? this.registry.nodeType(name))?.id;
  }

  #edgeIdOf(name: string): number | undefined {
    return (this.#schema.registry.edgeType(name) ?? this.registry.edgeType(name))?.id;
  }

  /**
   * The UID that a reference names. Undefined when no node can have it: for a text that is not a
   * UID, and for a key with a lone surrogate, whose digest equals that of another key.
   */
  #uidOf(reference: NodeReference): Uint8Array | undefined {
    if (typeof reference === 'string') return tryParseUid(reference);
    if (reference.uid !== undefined) return tryParseUid(reference.uid);
    const { type, key } = reference;
    if (!key.isWellFormed()) return undefined;
    return keyedUid(this.#schema.registry.nodeType(type)?.origin ?? type, key);
  }

  #openNode(id: number): boolean {
    const bytes = this.#state.get(DB.nodes, this.#keys.node(id));
    if (bytes === undefined) return false;
    this.#record.open(bytes);
    return true;
  }

  #openEdge(from: number, edge: number, to: number): boolean {
    const bytes = this.#state.get(DB.out, this.#keys.out(from, edge, to));
    if (bytes === undefined) return false;
    this.#edge.open(bytes);
    return true;
  }

  #knowsFieldsOf(record: NodeRecord): boolean {
    const type = this.#schema.registry.notWatched.nodeTypes[record.typeId - 1];
    return type !== undefined && knowsFields(type, record.fields);
  }
}
