import { Problem } from '#base/problem.ts';
import { readId } from '#store/bytes.ts';
import { DB } from '#store/databases.ts';
import { shorten } from '../names.ts';
import type { NodeRecord } from '../node-record.ts';
import type { NodeType } from '../schema-registry.ts';
import type { Transactor } from '../transactor.ts';
import { type FieldIndex, indexDocument, isOfTimestamp } from './field-index.ts';
import { hasSameEntries, type IndexEntries, nameOf, NO_ENTRIES } from './index-entries.ts';

const NOTHING = new Uint8Array(0);

/** What a commit does to the entries of one node in one index. */
export interface IndexChange {
  readonly index: FieldIndex;
  readonly before: IndexEntries;
  readonly after: IndexEntries;
}

/** A node as it was, unless it is new, and as it becomes, unless it is deleted. */
interface NodeStates {
  readonly before?: NodeRecord | undefined;
  readonly after?: NodeRecord | undefined;
}

/** Puts the entries of a new node. Throws `not_unique`. */
export function putEntries(t: Transactor, type: NodeType, id: number, record: NodeRecord): void {
  const { batch, state } = t;
  for (const index of type.indexes) {
    // Most indexes have one key a node: those are put without anything made on the way.
    const key = state.entries.keyOf(index, { id, record }, state.indexSecret);
    if (key === undefined) {
      const after = state.entries.entriesOf(index, { id, record }, state.indexSecret);
      applyChanges(t, type, id, [{ index, before: NO_ENTRIES, after }], record);
    } else {
      batch.put(DB.indexes, key, NOTHING);
      if (index.isReady) t.changedEntries(index.number, 1);
    }
  }
}

/** What a change of a node does to indexes. Reads nothing but the records. */
export function changesOf(
  { state }: Transactor,
  type: NodeType,
  id: number,
  { before, after }: NodeStates,
): IndexChange[] {
  const changes: IndexChange[] = [];
  const entriesOf = (index: FieldIndex, record: NodeRecord | undefined): IndexEntries =>
    record === undefined
      ? NO_ENTRIES
      : state.entries.entriesOf(index, { id, record }, state.indexSecret);
  for (const index of type.indexes) {
    if (isOfTimestamp(index)) continue;
    if (before !== undefined && after !== undefined && hasSameEntries(index, before, after)) {
      continue;
    }
    changes.push({ index, before: entriesOf(index, before), after: entriesOf(index, after) });
  }
  return changes;
}

/** Throws `not_unique`. `node` is the node as it becomes: for that problem. */
export function applyChanges(
  t: Transactor,
  type: NodeType,
  id: number,
  changes: readonly IndexChange[],
  node?: NodeRecord,
): void {
  const { batch, state } = t;
  for (const { index, before, after } of changes) {
    for (const key of without(before.uniqueKeys, after.uniqueKeys)) {
      if (holderOf(t, key) === id) batch.delete(DB.uniques, key);
    }
    for (const key of claimed(index, before, after)) {
      const holder = holderOf(t, key);
      if (holder !== 0 && holder !== id) {
        const item = after.uniqueItems?.[after.uniqueKeys.indexOf(key)];
        throw notUnique(t, type, index, { node, item, holder });
      }
      batch.put(DB.uniques, key, state.keys.idValue(id));
    }
    const removed = without(before.keys, after.keys);
    const added = without(after.keys, before.keys);
    for (const key of removed) batch.delete(DB.indexes, key);
    for (const key of added) batch.put(DB.indexes, key, NOTHING);
    // One that is being built may have an entry already, or not yet: it is counted at the end.
    if (index.isReady) t.changedEntries(index.number, added.length - removed.length);
  }
}

/**
 * The values that a node takes. Of an index that is being built it takes those again that it had:
 * with another timestamp it may go from where the build has not been to where it has.
 */
function claimed(
  { isReady }: FieldIndex,
  before: IndexEntries,
  after: IndexEntries,
): readonly Uint8Array[] {
  return isReady ? without(after.uniqueKeys, before.uniqueKeys) : after.uniqueKeys;
}

/** A list may have very many items: beyond this, each is not compared with each. */
const COMPARED_MAX = 8;

function without(
  keys: readonly Uint8Array[],
  others: readonly Uint8Array[],
): readonly Uint8Array[] {
  if (keys.length === 0 || others.length === 0) return keys;
  if (others.length > COMPARED_MAX) {
    const known = new Set(others.map(nameOf));
    return keys.filter((key) => !known.has(nameOf(key)));
  }
  return keys.filter((key) => !others.some((other) => Buffer.compare(key, other) === 0));
}

/** The node that has a value of a unique index, or 0. */
export function holderOf({ state }: Transactor, uniqueKey: Uint8Array): number {
  const value = state.view.get(DB.uniques, uniqueKey);
  return value === undefined ? 0 : readId(value, 0);
}

function notUnique(
  t: Transactor,
  type: NodeType,
  index: FieldIndex,
  {
    node,
    item,
    holder,
  }: {
    readonly node: NodeRecord | undefined;
    /** Of a list, the one that another node has. */
    readonly item: unknown;
    readonly holder: number;
  },
): Problem {
  const { field, fields } = indexDocument(index);
  const names = fields ?? [String(field)];
  const values = names.map((name) => shown(item ?? node?.valueByName(type, name)));
  const place = `${type.name}.${names.join('+')}`;
  return new Problem(
    'not_unique',
    `Operation ${t.index}: another node has the value ${shorten(JSON.stringify(values))} of ${place}`,
    {
      details: {
        index: t.index,
        type: type.name,
        ...(fields === undefined ? { field, value: values[0] } : { fields, value: values }),
        uid: t.record(holder).uid,
      },
    },
  );
}

/** As much of a value as a problem repeats. */
function shown(value: unknown): unknown {
  if (typeof value === 'string') return shorten(value);
  const text = JSON.stringify(value ?? null);
  return shorten(text) === text ? value : shorten(text);
}
