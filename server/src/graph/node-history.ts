import { NODE_HISTORY_CHANGES_MAX } from '#base/limits.ts';
import { DB } from '#store/databases.ts';
import type { KeyValueReader } from '#store/key-value.ts';
import { presentValues, readHistoryEntry, writeHistoryEntry } from './history-entry.ts';
import { KeyEncoder, versionOfKey } from './keys.ts';
import { isSystemName } from './names.ts';
import type { NodeRecord } from './node-record.ts';
import type { NodeChange, NodeHistory } from './reader.ts';
import type { NodeType } from './schema-registry.ts';
import type { Transactor } from './transactor.ts';

/**
 * The history of a node: an entry for each change, under the version that it made, so that those of
 * one node have no gap and the newest is that of the node itself. Nodes of system types have none.
 * A new node costs nothing; its first version is what remains when all changes are taken back.
 *
 * Entries are operations of the commit that makes the change. So they are in the log, and
 * everything that follows it has the same ones.
 */
export function hasHistory(type: NodeType): boolean {
  return !isSystemName(type.name);
}

/**
 * Before the changed record is put. `stored` is the node as it was, and not valid any more after
 * this.
 */
export function putChange(
  t: Transactor,
  id: number,
  stored: NodeRecord,
  changed: { readonly record: Buffer; readonly version: number },
): void {
  const { batch, state } = t;
  const { keys, view } = state;
  const { version } = changed;
  const { nowMs: timeMs, user } = t.options;
  state.changed.open(changed.record);
  const head = { sequence: batch.nextSequence, timeMs, user };
  const entry = writeHistoryEntry(state.entry, head, stored, state.changed);
  batch.put(DB.history, keys.version(id, version), entry);
  // More than one only where a version of the server kept more.
  for (let gone = version - NODE_HISTORY_CHANGES_MAX; gone > 1; gone--) {
    if (!view.has(DB.history, keys.version(id, gone))) break;
    batch.delete(DB.history, keys.version(id, gone));
  }
}

/** For a node that goes: nothing of what was in it is found afterwards. */
export function deleteHistory(t: Transactor, id: number): void {
  const { batch, state } = t;
  const versions: number[] = [];
  state.view.scan(DB.history, state.keys.versions(id), (key) => {
    versions.push(versionOfKey(key));
  });
  for (const version of versions) batch.delete(DB.history, state.keys.version(id, version));
}

/** The record is read before the state is. */
export function readHistory(
  state: KeyValueReader,
  id: number,
  record: NodeRecord,
  type: NodeType,
): NodeHistory | undefined {
  if (!hasHistory(type)) return undefined;
  const { version } = record;
  const present = presentValues(record, type);
  const changes: NodeChange[] = [];
  const range = { ...new KeyEncoder().versions(id), reverse: true };
  state.scan(DB.history, range, (key, entry) => {
    const made = versionOfKey(key);
    if (made !== version - changes.length) return false;
    changes.push(readHistoryEntry(entry, made, type));
    return true;
  });
  return { version, present, changes };
}
