import type { Page } from '@trellis/contract/shapes/list.ts';
import type { FieldChange, NodeVersion } from '@trellis/contract/shapes/node.ts';
import type { FieldBefore, PastValue } from '#graph/reader.ts';
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
 * all changes are there: the first version is not told.
 */
export function listVersions(view: NodeView, id: number, { skip, take }: Page): NodeVersionList {
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
    const made = readsAll ? change.version : null;
    versions.push({ version: made, sequence, timestamp, actor, changes: told });
  }
  if (readsAll && changes.length === version - 1) versions.push(firstVersion(values));
  return { items: versions.slice(skip, skip + take), total: versions.length, skip, take };
}

/** What a change did to the values, which are as they were before it when this returns. */
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

/** A user whom the asker does not see, and one who is gone, is nobody. */
function userOf(view: NodeView, uid: string): NodeVersion['actor'] {
  const fields = view.fieldsByUid(uid, ['UserName']);
  if (fields === undefined || fields === 'withheld') return null;
  return { uid, name: String(fields[0] ?? '') };
}
