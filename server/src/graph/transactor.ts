import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, keyedUid, tryParseUid } from '#base/uid.ts';
import { readId } from '#store/bytes.ts';
import { DB } from '#store/databases.ts';
import type { KeyValueReader, WriteBatch } from '#store/key-value.ts';
import { AccessJournal } from './access-journal.ts';
import { encodeCount, readCount, type WriterMemory } from './writer-memory.ts';
import type { ValueFault } from './field-encoder.ts';
import { countKey, edgeCountKey, indexCountKey, META } from './keys.ts';
import { didYouMean, shorten } from './names.ts';
import type { NodeRecord } from './node-record.ts';
import { nameOf } from './node-name.ts';
import type { CommitResult, ForeseenOutcome, NodeReference } from './operations.ts';
import type { EdgeType, NodeType, SchemaRegistry } from './schema-registry.ts';
import { mergeSchema } from './schema-merge.ts';
import { editSchema, type SchemaEdits } from './schema-edits.ts';
import { parseTime } from './time.ts';

/**
 * What the author of a commit may write, where that is not everything but built-in types (see
 * `writer-rights.ts`). All of it is told at the commit that is being built.
 */
export interface AuthorRights {
  /** The id of the user; 0 when there is none. */
  readonly user: number;
  /** What is asked later about the same type does not read the state. */
  mayWrite(type: string): boolean;
  sees(id: number): boolean;
  mayReadField(type: string, field: string): boolean;
  /** Whether the user sees a new node of the type only as its owner. */
  mustOwn(type: string): boolean;
}

export interface TransactorOptions {
  readonly nowMs: number;
  /** Makes the UID of a node without a key. */
  readonly randomUid: () => Uint8Array;
  /** Whether built-in types may be written. */
  readonly system: boolean;
  /** Whether the caller may change who may see what. */
  readonly accessControl: boolean;
  /** Whether operations name records of a source: see `CommitAuthor`. */
  readonly namesRecords: boolean;
  /** As in `CommitRequest`. */
  readonly ofRecords: boolean;
  /** Undefined when the author may write every type that is not built in. */
  readonly rights: AuthorRights | undefined;
  /**
   * The UID of the user who makes the commit, which the history of nodes shows; undefined when
   * unknown.
   */
  readonly user: Uint8Array | undefined;
  /** Whether new indexes hold digests, because the store is encrypted. */
  readonly hashesIndexes: boolean;
  /** Whether the result must have the outcome of each operation. */
  readonly outcomes: boolean;
}

const PRINTED_UID = 0;

/**
 * One commit under construction: it turns operations into puts and deletes, and each operation sees
 * what the ones before it did. It is used within one call of `StateWriter.commit`; when it throws,
 * the whole commit is dropped.
 *
 * This class has what all operations need. The operations themselves are in `write-node.ts`,
 * `delete-node.ts`, `link-nodes.ts` and `access-operations.ts`; `graph-writer.ts` calls the right
 * one.
 */
export class Transactor {
  readonly state: WriterMemory;
  readonly batch: WriteBatch;
  /** Whether any operation so far needed the right to change who may see what. */
  usesAccessControl = false;
  /** How many nodes were split off from merged ones. */
  splits = 0;
  options: TransactorOptions;
  /** The index of the present operation in its request; problems report it. */
  index = 0;
  /** What the author was told that the present operation does; undefined when nothing. */
  foreseen: ForeseenOutcome | undefined;
  /** Of which records there were any before this commit; undefined until an operation asks. */
  had: { readonly evidence: boolean; readonly merges: boolean } | undefined;
  /** New nodes that the author sees only as their owner. */
  readonly toOwn: number[] = [];
  #nodes = 0;
  #created = 0;
  #edges = 0;
  readonly #outcomes: { uid: string | null; changed: boolean }[] = [];
  readonly #growth = new Growth();
  readonly #firstId: number;
  /** Undefined until the first access edge is written. */
  #journal: AccessJournal | undefined;

  constructor(state: WriterMemory, batch: WriteBatch, options: TransactorOptions) {
    this.state = state;
    this.batch = batch;
    this.options = options;
    this.#firstId = state.nextId;
  }

  get registry(): SchemaRegistry {
    return this.state.schema.registry;
  }

  /** How many nodes are new so far. */
  get created(): number {
    return this.#created;
  }

  /** Whether there was any node of a type before this commit. */
  hadAny(type: string): boolean {
    return this.#countOf(type) > 0;
  }

  mergeSchema(document: SchemaDocument): void {
    const { system, hashesIndexes } = this.options;
    const merged = mergeSchema(this.registry, document, {
      system,
      hashesIndexes,
      isEmpty: (type) => readCount(this.state.view.get(DB.meta, countKey(type))) === 0,
    });
    if (merged !== this.registry) this.writeSchema(merged);
  }

  editSchema(edits: SchemaEdits): void {
    this.writeSchema(editSchema(this.registry, edits));
    // They may be of nodes that are hidden now.
    this.state.ids.clear();
  }

  writeSchema(registry: SchemaRegistry): void {
    const { state, batch } = this;
    const needsSecret = registry.nodeTypes.some(({ indexes }) =>
      indexes.some(({ unique, isHashed }) => unique || isHashed),
    );
    if (needsSecret && !state.view.has(DB.meta, META.indexSecret)) {
      const { randomUid } = this.options;
      state.indexSecret = Buffer.concat([randomUid(), randomUid()]);
      batch.put(DB.meta, META.indexSecret, state.indexSecret);
    }
    state.schema.write(batch, registry);
  }

  /**
   * Call this after all operations. If they changed something, it runs `work`, which writes the
   * record of that as the server itself.
   */
  trace(work: () => void): void {
    if (this.#nodes + this.#edges > 0) this.asServer(work);
  }

  /** Runs `work` with the rights of the server. Its nodes and edges are not counted. */
  asServer(work: () => void): void {
    const { options } = this;
    const [nodes, created, edges] = [this.#nodes, this.#created, this.#edges];
    this.options = { ...options, system: true, rights: undefined, outcomes: false };
    work();
    this.options = options;
    this.#nodes = nodes;
    this.#created = created;
    this.#edges = edges;
  }

  /** Puts the counters. Called once, at the end of the commit. */
  finish(): Omit<CommitResult, 'sequence'> {
    this.#journal?.finish();
    if (this.state.nextId !== this.#firstId) {
      this.batch.put(DB.meta, META.nextId, encodeCount(this.state.nextId));
    }
    this.#growth.write(this.state.view, this.batch);
    return {
      nodes: this.#nodes,
      created: this.#created,
      edges: this.#edges,
      splits: this.splits,
      outcomes: this.#outcomes,
    };
  }

  /** The UID of a new node without a key: the one that its author was told, if it was told one. */
  newUid(): Uint8Array {
    const uid = this.foreseen?.uid;
    const told = typeof uid === 'string' ? tryParseUid(uid) : undefined;
    return told === undefined || this.state.view.has(DB.uids, told)
      ? this.options.randomUid()
      : told;
  }

  /** The timestamp of a node or an edge that is made now. */
  get newTimestampMs(): number {
    return this.foreseen?.timestampMs ?? this.options.nowMs;
  }

  /** Takes the next id for a new node. */
  addNode(type: NodeType): number {
    this.#growth.addNodes(type.id, 1);
    this.#created++;
    return this.state.nextId++;
  }

  /** Counts a node that is put again under an id that it had. */
  returnNode(type: NodeType): void {
    this.#growth.addNodes(type.id, 1);
    this.#created++;
  }

  removeNode(type: NodeType, uid: string, key: string | undefined): void {
    this.#growth.addNodes(type.id, -1);
    this.state.ids.delete(PRINTED_UID, uid);
    if (key !== undefined) this.state.ids.delete(type.id, key);
  }

  #countOf(name: string): number {
    const type = this.registry.nodeType(name);
    return type === undefined ? 0 : readCount(this.state.view.get(DB.meta, countKey(type.id)));
  }

  /** Records the outcome of a node operation. `uid` may be a view of a buffer. */
  wroteNode(uid: Uint8Array | undefined, changed: boolean): void {
    if (changed) this.#nodes++;
    if (!this.options.outcomes) return;
    this.#outcomes.push({ uid: uid === undefined ? null : formatUid(uid), changed });
  }

  /** Counts edges that were deleted with a node, or written by an edge operation. */
  wroteEdges(count: number): void {
    this.#edges += count;
  }

  /**
   * Records that an edge of this type was created (1) or removed (-1). Its inverse is recorded
   * separately.
   */
  changedEdge(edge: EdgeType, from: number, to: number, growth: 1 | -1): void {
    this.#growth.addEdges(edge.id, growth);
    if (edge.access !== undefined) this.noteAccess(edge.access, from, to);
  }

  /** Has readers look again whether this edge is there, which is `ACCESS_EDGES[access]`. */
  noteAccess(access: number, from: number, to: number): void {
    this.#journal ??= new AccessJournal(this.state.view, this.batch);
    this.#journal.add(access, from, to);
  }

  /** Counts entries of an index that were put, or deleted when `growth` is negative. */
  changedEntries(index: number, growth: number): void {
    this.#growth.addEntries(index, growth);
  }

  /** Records the outcome of an edge operation. */
  finishEdges(changed: boolean): void {
    if (this.options.outcomes) this.#outcomes.push({ uid: null, changed });
  }

  /** By its name or a former one, as a node is addressed. */
  nodeType(name: string, path: string): NodeType {
    const type = this.registry.nodeType(name);
    if (type !== undefined) return type;
    throw this.fail(`"${name}" is not a node type`, {
      path,
      ...didYouMean(name, this.registry.nodeTypeNames()),
    });
  }

  knownEdgeType(name: string, path: string): EdgeType {
    const type = this.registry.edgeType(name);
    if (type !== undefined) return type;
    throw this.fail(`"${name}" is not an edge type`, {
      path,
      ...didYouMean(name, this.registry.edgeTypeNames()),
    });
  }

  /** The type of a node that is written: by its present name only. */
  writtenNodeType(name: string, path: string): NodeType {
    const type = this.nodeType(name, path);
    this.refuseAlias(name, type.name, path);
    return type;
  }

  writtenEdgeType(name: string, path: string): EdgeType {
    const type = this.knownEdgeType(name, path);
    this.refuseAlias(name, type.name, path);
    return type;
  }

  /** What was found by a name must have that name still, and not have had it. */
  refuseAlias(given: string, present: string, path: string): void {
    if (given === present) return;
    throw this.fail(`"${given}" was renamed: it is "${present}" now`, {
      path,
      hint: `Write it as "${present}"; the old name is for reads.`,
    });
  }

  /** The id of the node that a reference names; 0 when there is none. */
  resolve(reference: NodeReference, path: string): number {
    if (typeof reference === 'string') return this.idOfUid(reference, path);
    if (reference.uid !== undefined) return this.idOfUid(reference.uid, path);
    const type = this.nodeType(reference.type, path);
    const { key } = reference;
    const known = this.state.ids.get(type.id, key);
    if (known !== 0) return known;
    // Keys with lone surrogates can have equal digests, so no node has such a key.
    if (!key.isWellFormed()) return 0;
    return this.idOfKey(type, key, keyedUid(type.origin, key, this.state.uid));
  }

  /** The id of the node that a reference names. Throws when there is none. */
  require(reference: NodeReference, path: string): number {
    const id = this.resolve(reference, path);
    if (id !== 0) return id;
    throw this.fail(`There is no node ${nameOf(reference)}`, {
      path,
      hint: 'Add the node first; an earlier operation of the same commit will do.',
    });
  }

  parseUid(text: string, path: string): Uint8Array {
    const uid = tryParseUid(text);
    if (uid !== undefined) return uid;
    throw this.fail('This is not a UID', { path, expected: 'a UID of 22 characters' });
  }

  /** The id of the node with this UID, given as text; 0 when there is none. */
  idOfUid(text: string, path: string): number {
    const known = this.state.ids.get(PRINTED_UID, text);
    if (known !== 0) return known;
    const id = this.#readId(this.parseUid(text, path));
    if (id !== 0) this.state.ids.set(PRINTED_UID, text, id);
    return id;
  }

  /**
   * The id of the node with this key; 0 when there is none. `uid` must be the UID of that type and
   * key.
   */
  idOfKey(type: NodeType, key: string, uid: Uint8Array): number {
    if (!this.state.added.mayHaveNode(type.id, uid)) return 0;
    const id = this.#readId(uid);
    if (id !== 0) this.state.ids.set(type.id, key, id);
    return id;
  }

  #readId(uid: Uint8Array): number {
    const id = this.storedId(uid);
    return id === 0 || this.isHidden(id) ? 0 : id;
  }

  /** The id of the node with this UID, also where its type was dropped; 0 when there is none. */
  storedId(uid: Uint8Array): number {
    const value = this.state.view.get(DB.uids, uid);
    return value === undefined ? 0 : readId(value, 0);
  }

  /** Whether the type of a node was dropped: then operations do not meet it. */
  isHidden(id: number): boolean {
    const { registry } = this;
    return registry.hidesNodes && registry.isHiddenNodeType(this.record(id).typeId);
  }

  /** The stored node, in a view that is valid until the next read of the state. */
  record(id: number): NodeRecord {
    const { view, keys, node } = this.state;
    node.open(must(view.get(DB.nodes, keys.node(id)), `the record of node ${id}`));
    return node;
  }

  /** The type of a node that exists. */
  typeName(id: number): string {
    return this.registry.nodeTypeById(this.record(id).typeId).name;
  }

  parseTimestamp(value: string | number): number {
    const time = parseTime(value);
    if (time !== undefined) return time;
    throw this.fail('The timestamp is not a time', {
      path: 'timestamp',
      expected: 'a time in ISO 8601, or milliseconds since 1970',
    });
  }

  /**
   * Throws `version_conflict` unless the node has the expected version. `actual` is 0 for a node
   * that does not exist.
   */
  checkVersion(expected: number | undefined, actual: number, uid: string | null): void {
    if (expected === undefined || expected === actual) return;
    const state = actual === 0 ? 'does not exist' : `is at version ${actual}`;
    throw new Problem('version_conflict', `The node ${state}, not at version ${expected}`, {
      hint: 'Read the node again and repeat the change on what it is now.',
      details: { index: this.index, uid, version: actual, ifVersion: expected },
    });
  }

  /** The same for a node by its id; 0 for one that does not exist. Reads the state. */
  checkVersionOf(expected: number | undefined, id: number): void {
    if (expected === undefined) return;
    if (id === 0) return this.checkVersion(expected, 0, null);
    const { version, uid } = this.record(id);
    this.checkVersion(expected, version, uid);
  }

  /** The problem for a value that `FieldMerge.merge` refused. */
  failValue({ path, expected }: ValueFault): Problem {
    const name = must(this.state.fields.faultyField, 'the field of the fault').name;
    return this.fail(`The value does not fit the field: expected ${expected}`, {
      path: `fields.${name}${path}`,
      expected,
    });
  }

  /** The problem that refuses the whole commit because of the present operation. */
  fail(
    message: string,
    at: { readonly path: string; readonly expected?: string; readonly hint?: string },
  ): Problem {
    const { expected, hint } = at;
    const path = shorten(at.path);
    return new Problem('invalid_operation', `Operation ${this.index}: ${shorten(message)}`, {
      ...(hint === undefined ? {} : { hint }),
      details: { index: this.index, path, ...(expected === undefined ? {} : { expected }) },
    });
  }
}

/**
 * How much a commit changes the number of nodes and edges of each type, and of entries of each
 * index.
 */
class Growth {
  /** By number of the type or index; with holes. */
  readonly #nodes: number[] = [];
  readonly #edges: number[] = [];
  readonly #entries: number[] = [];

  addNodes(type: number, count: number): void {
    this.#nodes[type] = (this.#nodes[type] ?? 0) + count;
  }

  addEntries(index: number, count: number): void {
    this.#entries[index] = (this.#entries[index] ?? 0) + count;
  }

  addEdges(type: number, count: number): void {
    this.#edges[type] = (this.#edges[type] ?? 0) + count;
  }

  /** Puts the counters that changed. */
  write(view: KeyValueReader, batch: WriteBatch): void {
    // `forEach` leaves out the holes.
    this.#nodes.forEach((growth, type) => addTo(view, batch, countKey(type), growth));
    this.#edges.forEach((growth, type) => addTo(view, batch, edgeCountKey(type), growth));
    this.#entries.forEach((growth, index) => addTo(view, batch, indexCountKey(index), growth));
  }
}

function addTo(view: KeyValueReader, batch: WriteBatch, key: Uint8Array, growth: number): void {
  if (growth === 0) return;
  // The store may hold edges from a version that did not count them; then the count could fall
  // below 0.
  const count = Math.max(0, readCount(view.get(DB.meta, key)) + growth);
  batch.put(DB.meta, key, encodeCount(count));
}
