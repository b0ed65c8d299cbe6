import { INDEX_BUILD_NODES, INDEX_OFFENDERS_MAX, INDEX_REMOVE_ENTRIES } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { DB, type DatabaseNumber } from '#store/databases.ts';
import { idOfTypeKey, indexCountKey, indexCursorKey, TYPE_KEY_BYTES, writeType } from '../keys.ts';
import { type NodeType, withIndexes } from '../schema-registry.ts';
import type { IndexProgress, IndexWork } from '../operations.ts';
import type { Transactor } from '../transactor.ts';
import { readCount } from '../writer-memory.ts';
import { EntryRun } from './entry-run.ts';
import { type FieldIndex, isOfTimestamp, isOver } from './field-index.ts';
import { type IndexedNode, nameOf } from './index-entries.ts';
import { inType } from './index-merge.ts';
import { holderOf } from './index-writer.ts';

export function workOnIndexes(t: Transactor, work: IndexWork): IndexProgress {
  if ('build' in work) return build(t, work.build, work.after);
  if ('remove' in work) return remove(t, work.remove);
  return clear(t, work.clear);
}

const GONE: IndexProgress = { count: 0, isDone: true, offenders: [] };

function build(t: Transactor, number: number, after: string | undefined): IndexProgress {
  const found = findIndex(t, ({ number: one }) => one === number);
  if (found === undefined || found.index.isReady) return GONE;
  const { type, index } = found;
  const { state, batch } = t;
  const kept = state.view.get(DB.meta, indexCursorKey(number));
  const from = after === undefined ? kept && new Uint8Array(kept) : Buffer.from(after, 'base64');
  const indexes = after === undefined ? builtTogether(t, type, index) : [index];
  const { ids, cursor } = nodesAfter(t, type, from && new Uint8Array(from));
  const { counts, offenders } = putEntriesOf(t, indexes, ids);
  const isDone = ids.length < INDEX_BUILD_NODES;
  // With an offender it cannot get ready: after a kill the next process meets the offender again.
  if (after === undefined && offenders.length === 0) {
    for (const [i, one] of indexes.entries()) {
      // What was counted on the way told how far it is: writes went on beside it.
      const counted = isDone ? countOf(t, one.number) - storedCount(t, one.number) : counts[i]!;
      t.changedEntries(one.number, counted);
      if (!isDone) batch.put(DB.meta, indexCursorKey(one.number), cursor);
    }
    if (isDone) finishBuild(t, type, indexes);
  }
  return {
    count: ids.length,
    isDone,
    offenders: offenders.slice(0, INDEX_OFFENDERS_MAX),
    cursor: Buffer.from(cursor).toString('base64'),
  };
}

/**
 * Indexes of the type that are as far are built along, so that their nodes are read once. What is
 * unique may have offenders, and is built alone.
 */
function builtTogether({ state }: Transactor, type: NodeType, index: FieldIndex): FieldIndex[] {
  if (index.unique) return [index];
  const cursorOf = ({ number }: FieldIndex): string =>
    nameOf(state.view.get(DB.meta, indexCursorKey(number)) ?? NOTHING);
  const cursor = cursorOf(index);
  return type.indexes.filter(
    (one) => one === index || (!one.isReady && !one.unique && cursorOf(one) === cursor),
  );
}

/** Puts entries of nodes; what is unique is taken at once, or is an offence. */
function putEntriesOf(
  t: Transactor,
  indexes: readonly FieldIndex[],
  ids: readonly number[],
): { readonly counts: readonly number[]; readonly offenders: string[] } {
  const { state } = t;
  const runs = indexes.map((index) => ({ index, run: new EntryRun() }));
  const offenders: string[] = [];
  // In the order of ids neighbors are read together. Of nodes that share a unique value, the newest
  // one has it.
  const isUnique = indexes.some(({ unique }) => unique);
  for (const id of isUnique ? ids : ids.toSorted((a, b) => a - b)) {
    const record = t.record(id);
    for (const { index, run } of runs) {
      const key = state.entries.keyOf(index, { id, record }, state.indexSecret);
      if (key !== undefined) run.add(key);
      else if (!addEntries(t, index, { id, record }, run)) offenders.push(t.record(id).uid);
    }
  }
  for (const { run } of runs) run.put(t.batch);
  return { counts: runs.map(({ run }) => run.count), offenders };
}

/** Of a node that has several entries, none, or values to take; false when another has these. */
function addEntries(t: Transactor, index: FieldIndex, node: IndexedNode, run: EntryRun): boolean {
  const { state, batch } = t;
  const { keys, uniqueKeys } = state.entries.entriesOf(index, node, state.indexSecret);
  const holders = uniqueKeys.map((key) => holderOf(t, key));
  if (holders.some((holder) => holder !== 0 && holder !== node.id)) return false;
  for (const [i, key] of uniqueKeys.entries()) {
    if (holders[i] === 0) batch.put(DB.uniques, key, state.keys.idValue(node.id));
  }
  for (const key of keys) run.add(key);
  return true;
}

const NOTHING = new Uint8Array(0);

function nodesAfter(
  { state: { view, keys } }: Transactor,
  type: NodeType,
  from: Uint8Array | undefined,
): { readonly ids: readonly number[]; readonly cursor: Uint8Array } {
  const ids: number[] = [];
  const cursor = new Uint8Array(TYPE_KEY_BYTES);
  if (from !== undefined) cursor.set(from);
  const range =
    from === undefined ? keys.nodesOfType(type.id) : keys.nodesOfTypeBefore(type.id, from);
  view.scan(DB.types, { ...range, reverse: true, keysOnly: true }, (key) => {
    ids.push(idOfTypeKey(key));
    cursor.set(key);
    return ids.length < INDEX_BUILD_NODES;
  });
  return { ids, cursor };
}

function countOf({ state }: Transactor, number: number): number {
  return state.view.countRange(DB.indexes, rangeOf(number));
}

function storedCount({ state }: Transactor, number: number): number {
  return readCount(state.view.get(DB.meta, indexCountKey(number)));
}

function rangeOf(number: number): { readonly start: Uint8Array; readonly end: Uint8Array } {
  const start = new Uint8Array(2);
  const end = new Uint8Array(2);
  writeType(start, 0, number);
  writeType(end, 0, number + 1);
  return { start, end };
}

function finishBuild(t: Transactor, type: NodeType, built: readonly FieldIndex[]): void {
  const indexes = type.indexes.map((one) =>
    built.includes(one) ? { ...one, isReady: true } : one,
  );
  t.writeSchema(t.registry.with({ nodeTypes: replaced(t, withIndexes(type, indexes)) }));
  for (const { number } of built) t.batch.delete(DB.meta, indexCursorKey(number));
}

function remove(
  t: Transactor,
  wanted: Extract<IndexWork, { remove: unknown }>['remove'],
): IndexProgress {
  const found =
    typeof wanted === 'number'
      ? findIndex(t, ({ number }) => number === wanted)
      : findIndex(
          t,
          (index, type) => type.name === wanted.type && isOver(index, inType(type, wanted.fields)),
        );
  if (found === undefined) {
    if (typeof wanted === 'number') return GONE;
    throw new Problem(
      'index_not_found',
      `There is no index of ${wanted.type} over ${wanted.fields.join(', ')}`,
    );
  }
  const { type, index } = found;
  const { next, removing } = t.registry.indexNumbers;
  const rest = withIndexes(
    type,
    type.indexes.filter((one) => one !== index),
  );
  const left = isOfTimestamp(index) ? removing : [...removing, index.number];
  t.writeSchema(
    t.registry.with({
      nodeTypes: replaced(t, rest),
      indexNumbers: { next, removing: left },
    }),
  );
  return GONE;
}

function clear(t: Transactor, number: number): IndexProgress {
  const { next, removing } = t.registry.indexNumbers;
  if (!removing.includes(number)) return GONE;
  const count = deleteSome(t, DB.indexes, number) + deleteSome(t, DB.uniques, number);
  const isDone = count === 0;
  if (isDone) {
    for (const key of [indexCountKey(number), indexCursorKey(number)]) t.batch.delete(DB.meta, key);
    const indexNumbers = { next, removing: removing.filter((one) => one !== number) };
    t.writeSchema(t.registry.with({ indexNumbers }));
  }
  return { count, isDone, offenders: [] };
}

function deleteSome({ state, batch }: Transactor, db: DatabaseNumber, number: number): number {
  const keys: Uint8Array[] = [];
  state.view.scan(db, { ...rangeOf(number), keysOnly: true }, (key) => {
    keys.push(new Uint8Array(key));
    return keys.length < INDEX_REMOVE_ENTRIES;
  });
  for (const key of keys) batch.delete(db, key);
  return keys.length;
}

function findIndex(
  { registry }: Transactor,
  isWanted: (index: FieldIndex, type: NodeType) => boolean,
): { readonly type: NodeType; readonly index: FieldIndex } | undefined {
  for (const type of registry.nodeTypes) {
    const index = type.indexes.find((one) => isWanted(one, type));
    if (index !== undefined) return { type, index };
  }
  return undefined;
}

function replaced({ registry }: Transactor, type: NodeType): NodeType[] {
  return registry.nodeTypes.map((one) => (one.id === type.id ? type : one));
}
