import { Problem } from '#base/problem.ts';
import type { FieldBefore, NodeHistory, PastValue } from '#graph/reader.ts';
import type { Page } from '@trellis/contract/shapes/list.ts';
import type { FieldChange, NodeVersion } from '@trellis/contract/shapes/node.ts';
import type { NodeView } from './node-view.ts';

export interface NodeVersionList {
  readonly items: readonly NodeVersion[];
  readonly total: number;
  readonly skip: number;
  readonly take: number;
}

/**
 * The versions of a node that can be seen, newest first, as the rules of today let their asker read
 * them. Whoever may not read some field learns of no change that touched nothing else, nor whether
 * all changes are there: the first version is not told. The numbers of versions are for whoever
 * reads all fields, or may write the node and so learns its present version anyway.
 */
export function listVersions(
  view: NodeView,
  id: number,
  { skip, take }: Page,
  mayWrite: boolean,
): NodeVersionList {
  const history = view.history(id);
  if (history === undefined) return { items: [], total: 0, skip, take };
  const { version, present, changes } = history;
  const readsAll = view.readsAllFields(id);
  const canRead = (field: string): boolean => readsAll || view.canReadField(id, field);
  const values = new Map(present);
  const versions: NodeVersion[] = [];
  for (const change of changes) {
    const told = takenBack(values, change.before).filter(({ field }) => canRead(field));
    if (told.length === 0 && !readsAll) continue;
    const { sequence, timestamp } = change;
    const actor = change.user === null ? null : userOf(view, change.user);
    const made = readsAll || mayWrite ? change.version : null;
    versions.push({ version: made, sequence, timestamp, actor, changes: told });
  }
  if (readsAll && changes.length === version - 1) versions.push(firstVersion(values));
  return { items: versions.slice(skip, skip + take), total: versions.length, skip, take };
}

/** Undoes a change of the values, and returns what it had done to them. */
function takenBack(values: Map<string, PastValue>, before: readonly FieldBefore[]): FieldChange[] {
  return before.map(({ field, value }) => {
    const change = fieldChange(field, value, values.get(field));
    if (value === undefined) values.delete(field);
    else values.set(field, value);
    return change;
  });
}

function firstVersion(values: ReadonlyMap<string, PastValue>): NodeVersion {
  const changes = [...values].map(([field, value]) => fieldChange(field, undefined, value));
  return { version: 1, sequence: null, timestamp: null, actor: null, changes };
}

function fieldChange(
  field: string,
  before: PastValue | undefined,
  after: PastValue | undefined,
): FieldChange {
  return {
    field,
    before: before?.value ?? null,
    after: after?.value ?? null,
    ...(before?.bytes === undefined ? {} : { beforeBytes: before.bytes }),
    ...(after?.bytes === undefined ? {} : { afterBytes: after.bytes }),
  };
}

/** Null for a user whom the caller may not see, and for one who is gone. */
function userOf(view: NodeView, uid: string): NodeVersion['actor'] {
  const fields = view.fieldsByUid(uid, ['UserName']);
  if (fields === undefined || fields === 'withheld') return null;
  return { uid, name: String(fields[0] ?? '') };
}

/** What an update takes to give a node the values of an earlier version. */
export interface Restoration {
  /** Null for a field that had no value. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly timestamp: string | undefined;
}

/**
 * The values that differ from those of an earlier version, of fields that may be read. Throws
 * `node_version_not_found` when the history does not reach back that far, or a value was too large
 * to be kept.
 */
export function valuesToRestore(
  { version, present, changes }: NodeHistory,
  wanted: number,
  canRead: (field: string) => boolean,
): Restoration {
  const oldest = version - changes.length;
  if (wanted > version || wanted < oldest) {
    throw new Problem('node_version_not_found', `The node has no version ${wanted} any more.`, {
      details: { version, oldest },
    });
  }
  const values = new Map(present);
  for (const change of changes) if (change.version > wanted) takenBack(values, change.before);
  const names = [...new Set([...values.keys(), ...present.keys()])].filter(
    (name) => canRead(name) && isAnother(values.get(name), present.get(name)),
  );
  const lost = names.filter((name) => values.get(name)?.bytes !== undefined);
  if (lost.length > 0) {
    const message = `The values of ${lost.join(', ')} were too large for the history to keep.`;
    throw new Problem('node_version_not_found', message, { details: { fields: lost } });
  }
  const restored = names.map((name) => [name, values.get(name)?.value ?? null] as const);
  const { Timestamp: timestamp, ...fields } = Object.fromEntries(restored);
  return { fields, timestamp: typeof timestamp === 'string' ? timestamp : undefined };
}

/** The same value is another object in each version that it is read of. */
function isAnother(one: PastValue | undefined, other: PastValue | undefined): boolean {
  return one !== other && JSON.stringify(one) !== JSON.stringify(other);
}
