import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { must } from '#base/assert.ts';
import { formatUid, UID_BYTES } from '#base/uid.ts';
import { readId } from '#store/bytes.ts';
import { readPlaces } from '#store/batch.ts';
import { DB } from '#store/databases.ts';
import type { WriteBatch } from '#store/key-value.ts';
import { type ChangedEdge, EdgeTrails } from './edge-changes.ts';
import { idOfTypeKey, readType, versionOfKey } from './keys.ts';
import { readHistoryEntry } from './node-history.ts';
import { NodeRecord } from './node-record.ts';
import type { NodeType, SchemaRegistry } from './schema-registry.ts';

export type ChangeEvent = 'created' | 'updated' | 'deleted';

/** What a commit did to one node. */
export interface ChangedNode {
  /** Only within the process, as everywhere. */
  readonly id: number;
  readonly event: ChangeEvent;
  readonly type: string;
  readonly uid: string;
  readonly key: string | null;
  /** Of its values; an upper bound is enough to leave out what is too large. */
  readonly bytes: number;
  /**
   * The node before the commit; undefined for a new one. It lacks values that are too large for
   * the history of nodes.
   */
  before(): NodeObject | undefined;
  /** The node after the commit; undefined for one that was deleted. */
  after(): NodeObject | undefined;
  /** Whether the commit has removed, or written, an edge that restricts who may see the node. */
  readonly wasRestricted: boolean;
}

/** The changes of one commit. */
export interface CommitChanges {
  /** See `CommitAuthor.triggers`. */
  readonly triggers: readonly string[];
  readonly nodes: readonly ChangedNode[];
  /** Without those of system types. */
  readonly edges: readonly ChangedEdge[];
}

/** What a payload says of one node; places are in the payload. */
interface Trail {
  readonly typeId: number;
  /** Undefined for a node that the commit adds. */
  existed: boolean;
  /** The last record; undefined once the node is deleted. */
  record: Place | undefined;
  /** The UID of a node that is deleted. */
  uid: Place | undefined;
  /** Entries of its history, oldest first. */
  readonly entries: { readonly version: number; readonly place: Place }[];
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** A key of `meta` that only commits in the log hold: each deletes it again. */
const TRIGGERS = Buffer.from('triggers');

/** Puts what `changesOfCommit` finds as `triggers`. */
export function noteTriggers(batch: WriteBatch, triggers: readonly string[]): void {
  batch.put(DB.meta, TRIGGERS, Buffer.from(JSON.stringify(triggers)));
  batch.delete(DB.meta, TRIGGERS);
}

/**
 * The nodes and edges that a commit has created, changed or deleted, in the order in which it
 * touched them first, each once; nodes of system types included. `payload` is that of the commit's
 * record in the log; it must stay as it is while the changes are used. `registry` is of a schema
 * that is not older.
 */
export function changesOfCommit(payload: Uint8Array, registry: SchemaRegistry): CommitChanges {
  const { trails, edges, triggers } = trailsOf(payload, registry);
  const nodes: ChangedNode[] = [];
  for (const [id, trail] of trails) {
    const type = registry.nodeTypeById(trail.typeId);
    const changed = changedNode(payload, id, trail, type);
    if (changed !== undefined) nodes.push({ ...changed, wasRestricted: edges.restricted.has(id) });
  }
  return { triggers, nodes, edges: edges.changes() };
}

function trailsOf(payload: Uint8Array, registry: SchemaRegistry) {
  const trails = new Map<number, Trail>();
  const edges = new EdgeTrails(payload, registry);
  const record = new NodeRecord();
  let triggers: readonly string[] = [];
  // An entry of the history comes before the record, or the deletion, that it belongs to. A deleted
  // record is followed by its UID, and by its type.
  let entry: { readonly id: number; version: number; place: Place } | undefined;
  let deleted: { readonly id: number; uid: Place | undefined } | undefined;
  const touch = (id: number, typeId: number, existed: boolean): Trail => {
    let trail = trails.get(id);
    if (trail === undefined) {
      trail = { typeId, existed, record: undefined, uid: undefined, entries: [] };
      trails.set(id, trail);
    }
    if (entry?.id === id) trail.entries.push(entry);
    entry = undefined;
    return trail;
  };
  readPlaces(payload, (db, keyStart, keyEnd, valueStart, valueEnd) => {
    const isPut = valueStart >= 0;
    const place = { start: valueStart, end: valueEnd };
    if (db === DB.nodes) {
      const id = readId(payload, keyStart);
      if (!isPut) {
        deleted = { id, uid: undefined };
        return;
      }
      record.open(payload.subarray(valueStart, valueEnd));
      touch(id, record.typeId, record.version > 1).record = place;
    } else if (db === DB.history && isPut) {
      const version = versionOfKey(payload.subarray(keyStart, keyEnd));
      entry = { id: readId(payload, keyStart), version, place };
    } else if (db === DB.uids && isPut) {
      const trail = trails.get(readId(payload, valueStart));
      // Only a node that was not there gets its own UID: one that a split gives back, too.
      if (trail?.existed === true && isOwnUid(payload, trail, keyStart)) trail.existed = false;
    } else if (db === DB.uids && deleted !== undefined) {
      deleted.uid = { start: keyStart, end: keyEnd };
    } else if (db === DB.types && deleted !== undefined && !isPut) {
      if (idOfTypeKey(payload, keyStart) !== deleted.id) return;
      const trail = touch(deleted.id, readType(payload, keyStart), true);
      Object.assign(trail, { record: undefined, uid: deleted.uid });
      deleted = undefined;
    } else if (db === DB.out || db === DB.in) {
      edges.take(db, keyStart, place);
    } else if (db === DB.meta && isPut && TRIGGERS.equals(payload.subarray(keyStart, keyEnd))) {
      const text = Buffer.from(payload.subarray(valueStart, valueEnd)).toString();
      triggers = JSON.parse(text) as string[];
    }
  });
  return { trails, edges, triggers };
}

/** UIDs of merged nodes lead to a node as well. */
function isOwnUid(payload: Uint8Array, { record: place }: Trail, uidStart: number): boolean {
  if (place === undefined) return false;
  const record = new NodeRecord();
  record.open(bytesOf(payload, place));
  return Buffer.compare(record.uidBytes, payload.subarray(uidStart, uidStart + UID_BYTES)) === 0;
}

/** Undefined for a node that came and went within the commit. */
function changedNode(
  payload: Uint8Array,
  id: number,
  trail: Trail,
  type: NodeType,
): Omit<ChangedNode, 'wasRestricted'> | undefined {
  const { existed, record: place, entries } = trail;
  if (place === undefined) return existed ? deletedNode(payload, id, trail, type) : undefined;
  const record = new NodeRecord();
  record.open(bytesOf(payload, place));
  const after = (): NodeObject => record.toObject(type);
  return {
    id,
    event: existed ? 'updated' : 'created',
    type: type.name,
    uid: record.uid,
    key: record.key ?? null,
    bytes: bytesAt([place, ...entries.map((entry) => entry.place)]),
    before: () => (existed ? goneBack(payload, after(), trail, type) : undefined),
    after,
  };
}

function deletedNode(payload: Uint8Array, id: number, trail: Trail, type: NodeType) {
  const uid = formatUid(bytesOf(payload, must(trail.uid, 'the UID of a deleted node')));
  const before = goneBack(payload, { UID: uid, Type: type.name, Timestamp: '' }, trail, type);
  return {
    id,
    event: 'deleted' as const,
    type: type.name,
    uid,
    key: before.Id ?? null,
    bytes: bytesAt(trail.entries.map(({ place }) => place)),
    before: () => before,
    after: () => undefined,
  };
}

/** The node without what the entries of its history say of it, newest first. */
function goneBack(
  payload: Uint8Array,
  node: NodeObject,
  { entries }: Trail,
  type: NodeType,
): NodeObject {
  const before: Record<string, unknown> = { ...node };
  for (const { version, place } of entries.toReversed()) {
    for (const { field, value } of readHistoryEntry(bytesOf(payload, place), version, type)
      .before) {
      if (value?.bytes === undefined && value !== undefined) before[field] = value.value;
      else delete before[field];
      if (field === 'Id' && type.key !== undefined) before[type.key] = before[field];
    }
  }
  const { UID, Type, Timestamp, ...fields } = before;
  return { UID: String(UID), Type: String(Type), Timestamp: String(Timestamp), ...fields };
}

function bytesOf(payload: Uint8Array, { start, end }: Place): Uint8Array {
  return payload.subarray(start, end);
}

function bytesAt(places: readonly Place[]): number {
  return places.reduce((sum, { start, end }) => sum + end - start, 0);
}
