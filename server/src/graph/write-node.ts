import { NODE_KEY_BYTES_MAX, NODE_RECORD_BYTES_MAX } from '#base/limits.ts';
import { formatUid, keyedUid } from '#base/uid.ts';
import { DB } from '#store/databases.ts';
import { checkMayWrite, checkSees } from './access-checks.ts';
import { applyChanges, changesOf, putEntries } from './indexes/index-writer.ts';
import { didYouMean } from './names.ts';
import { hasHistory, putChange } from './node-history.ts';
import { isSameNode, type NodeRecord, setVersion, writeNodeRecord } from './node-record.ts';
import type { NodeWrite } from './operations.ts';
import { KEY_FIELD } from './schema-fields.ts';
import type { NodeType } from './schema-registry.ts';
import type { AuthorRights, Transactor } from './transactor.ts';

/** Carries out addOrUpdate, tryAdd and update. An operation that changes nothing writes nothing. */
export function writeNode(t: Transactor, operation: NodeWrite): void {
  if (operation.uid === undefined) writeByKey(t, operation);
  else writeByUid(t, operation, operation.uid);
}

function writeByKey(t: Transactor, operation: NodeWrite): void {
  if (operation.type === undefined) {
    throw t.fail('A node is named by its type and key, or by its UID', {
      path: 'type',
      expected: 'the name of a node type',
    });
  }
  // An update names what there is, as a reference does: a former name will do.
  const type =
    operation.op === 'update'
      ? t.nodeType(operation.type, 'type')
      : t.writtenNodeType(operation.type, 'type');
  checkMayWrite(t, type.name, 'type');
  const key = givenKey(t, operation, type);
  if (key === undefined) {
    if (operation.op === 'update') {
      throw t.fail('An update names its node', { path: 'key', expected: 'a key, or a UID' });
    }
    return createNode(t, operation, type, undefined, t.newUid());
  }
  let id = t.state.ids.get(type.id, key);
  if (id === 0) {
    checkKey(t, key);
    const uid = keyedUid(type.origin, key, t.state.uid);
    id = t.idOfKey(type, key, uid);
    if (id === 0) return createNode(t, operation, type, key, uid);
  }
  changeNode(t, operation, id, { addressed: key });
}

function writeByUid(t: Transactor, operation: NodeWrite, text: string): void {
  const id = t.idOfUid(text, 'uid');
  if (id !== 0) return changeNode(t, operation, id, { expected: operation.key });
  const { system, rights, accessControl } = t.options;
  // What an author with rights of their own writes is made by the server, UIDs of new nodes too.
  // Who may say who sees what may bring in what was exported, with the UIDs that it had.
  const maySetUid = system || rights !== undefined || accessControl;
  if (operation.op === 'update' || !maySetUid || operation.type === undefined) {
    // The UID of a node with a key can be computed before the node exists. A caller who could
    // choose any UID could take the one of somebody else's node.
    t.checkVersion(operation.ifVersion, 0, text);
    throw t.fail(`There is no node with the UID ${text}`, {
      path: 'uid',
      hint: 'Leave the UID out to add a node: it follows from type and key, or is random. Only an administrator, or a token with the scope "ingestion:acl", may choose it.',
    });
  }
  const type = t.writtenNodeType(operation.type, 'type');
  checkMayWrite(t, type.name, 'type');
  const key = givenKey(t, operation, type);
  if (key !== undefined) {
    checkKey(t, key);
    if (formatUid(keyedUid(type.origin, key)) !== text) {
      throw t.fail('The UID is not the one of this type and key', { path: 'uid' });
    }
  }
  const uid = t.parseUid(text, 'uid');
  if (t.storedId(uid) !== 0) {
    throw t.fail('The UID is the one of a node whose type was dropped', {
      path: 'uid',
      hint: 'Undo the drop, or leave the UID out.',
    });
  }
  createNode(t, operation, type, key, uid);
}

/**
 * The key may be given as `key`, as the field that shows the key, or as both when they are equal.
 */
function givenKey(t: Transactor, operation: NodeWrite, type: NodeType): string | undefined {
  const field = type.key === undefined ? undefined : operation.fields?.[type.key];
  if (field === undefined || field === null) return operation.key;
  if (typeof field !== 'string') {
    throw t.fail('The key is not a string', { path: `fields.${type.key}`, expected: 'a string' });
  }
  return operation.key ?? field;
}

function checkKey(t: Transactor, key: string): void {
  const isShort = key.length * 3 <= NODE_KEY_BYTES_MAX;
  if (key.length > 0 && key.isWellFormed()) {
    if (isShort || Buffer.byteLength(key) <= NODE_KEY_BYTES_MAX) return;
  }
  throw t.fail('The key is empty, too long, or not well-formed Unicode', {
    path: 'key',
    expected: `1 to ${NODE_KEY_BYTES_MAX} bytes of UTF-8`,
  });
}

function createNode(
  t: Transactor,
  operation: NodeWrite,
  type: NodeType,
  key: string | undefined,
  uid: Uint8Array,
): void {
  t.checkVersion(operation.ifVersion, 0, null);
  if (operation.op === 'update') {
    throw t.fail(`There is no node ${type.name} "${key ?? ''}" to update`, { path: 'key' });
  }
  const { state, batch } = t;
  const { fields, keys } = state;
  giveFields(t, operation, type, key);
  const fault = fields.merge(key, undefined, type.timestampNumber);
  if (fault !== undefined) throw t.failValue(fault);
  const timestampMs = timestampOf(t, operation, t.newTimestampMs);
  const head = { typeId: type.id, version: 1, timestampMs, uid };
  const record = writeNodeRecord(state.bytes, head, fields.table);
  checkSize(t, record.length);
  const id = t.addNode(type);
  batch.put(DB.nodes, keys.node(id), record);
  batch.put(DB.uids, uid, keys.idValue(id));
  state.added.addNode(uid);
  batch.put(DB.types, keys.type(type.id, timestampMs, id), NOTHING);
  if (key !== undefined) state.ids.set(type.id, key, id);
  t.wroteNode(uid, true);
  if (t.options.rights?.mustOwn(type.name) === true) t.toOwn.push(id);
  if (type.indexes.length === 0) return;
  const after = state.changed;
  after.open(record);
  putEntries(t, type, id, after);
}

const NOTHING = new Uint8Array(0);

function changeNode(
  t: Transactor,
  operation: NodeWrite,
  id: number,
  keys: { readonly expected?: string | undefined; readonly addressed?: string },
): void {
  if (operation.op === 'tryAdd' && operation.ifVersion === undefined && !t.options.outcomes) {
    return t.wroteNode(undefined, false);
  }
  if (t.options.rights !== undefined) {
    // Before the node is opened: this reads the state.
    checkSees(t, id);
    checkMayWrite(t, t.typeName(id), 'uid');
  }
  const stored = t.record(id);
  const type = t.registry.nodeTypeById(stored.typeId);
  checkMayWrite(t, type.name, 'uid');
  if (operation.type !== undefined && t.registry.nodeType(operation.type) !== type) {
    throw t.fail(`The node is a ${type.name}, not a ${operation.type}`, { path: 'type' });
  }
  t.checkVersion(operation.ifVersion, stored.version, operation.uid ?? stored.uid);
  if (operation.op === 'tryAdd') return t.wroteNode(stored.uidBytes, false);
  const key = stored.key;
  if (keys.expected !== undefined && keys.expected !== key) {
    throw t.fail('The key of a node cannot change', { path: 'key' });
  }
  const { fields } = t.state;
  giveFields(t, operation, type, key, keys.addressed);
  const fault = fields.merge(undefined, stored.fields, type.timestampNumber);
  if (fault !== undefined) throw t.failValue(fault);
  rewriteNode(t, id, stored, timestampOf(t, operation, stored.timestampMs));
}

/** What the server itself changes of a node. Fields that are not given stay. */
export function updateFields(
  t: Transactor,
  id: number,
  change: {
    readonly fields: NonNullable<NodeWrite['fields']>;
    readonly aliases: readonly string[];
    readonly merged: readonly string[];
  },
): void {
  const stored = t.record(id);
  const type = t.registry.nodeTypeById(stored.typeId);
  const { fields } = t.state;
  const operation = { op: 'update', fields: change.fields, aliases: change.aliases } as const;
  giveFields(t, operation, type, stored.key);
  fields.giveMerged(change.merged);
  const fault = fields.merge(undefined, stored.fields, type.timestampNumber);
  if (fault !== undefined) throw t.failValue(fault);
  rewriteNode(t, id, stored, fields.watchedTimeMs ?? stored.timestampMs);
}

/** Gives a node the fields that `state.fields` has written, as a new version. */
export function rewriteNode(
  t: Transactor,
  id: number,
  stored: NodeRecord,
  timestampMs: number,
): void {
  const { state, batch } = t;
  const { fields, keys } = state;
  const type = t.registry.nodeTypeById(stored.typeId);
  const { version, uidBytes: uid, timestampMs: oldTimestampMs } = stored;
  const head = { typeId: type.id, version, timestampMs, uid };
  const record = writeNodeRecord(state.bytes, head, fields.table);
  if (isSameNode(record, stored.bytes)) return t.wroteNode(uid, false);
  checkSize(t, record.length);
  setVersion(record, version + 1);
  t.wroteNode(uid, true);
  // This must come before any read of the state, which would make the stored node invalid.
  const after = state.changed;
  after.open(record);
  const changes =
    type.indexes.length === 0 ? [] : changesOf(t, type, id, { before: stored, after });
  if (hasHistory(type)) putChange(t, id, stored, { record, version: version + 1 });
  batch.put(DB.nodes, keys.node(id), record);
  if (changes.length > 0) applyChanges(t, type, id, changes, after);
  if (timestampMs === oldTimestampMs) return;
  batch.delete(DB.types, keys.type(type.id, oldTimestampMs, id));
  batch.put(DB.types, keys.type(type.id, timestampMs, id), NOTHING);
}

function giveFields(
  t: Transactor,
  operation: NodeWrite,
  type: NodeType,
  key: string | undefined,
  addressed = key,
): void {
  const { fields } = t.state;
  fields.clear();
  const { rights } = t.options;
  const given = operation.fields;
  for (const name in given) {
    const value = given[name];
    if (value === undefined) continue;
    const field =
      rights?.mayReadField(type.name, name) === false ? undefined : type.byName.get(name);
    if (field === undefined) {
      throw t.fail(`"${type.name}" has no field "${name}"`, {
        path: `fields.${name}`,
        ...didYouMean(name, namesFor(type, rights)),
      });
    }
    t.refuseAlias(name, field.name, `fields.${name}`);
    if (field.number !== KEY_FIELD) {
      fields.give(field, value);
    } else if (value !== key && value !== addressed) {
      throw t.fail(`The field "${name}" is the key, and the key is another`, {
        path: `fields.${name}`,
      });
    }
  }
  if (operation.aliases !== undefined) fields.giveAliases(operation.aliases);
}

/** The names of fields that an author may be told. */
function namesFor(type: NodeType, rights: AuthorRights | undefined): readonly string[] {
  return [...type.byName.keys()].filter((name) => rights?.mayReadField(type.name, name) !== false);
}

/**
 * The timestamp of the operation; else the given value of the type's timestamp field; else
 * `otherwiseMs`.
 */
function timestampOf(t: Transactor, operation: NodeWrite, otherwiseMs: number): number {
  return operation.timestamp === undefined
    ? (t.state.fields.watchedTimeMs ?? otherwiseMs)
    : t.parseTimestamp(operation.timestamp);
}

function checkSize(t: Transactor, bytes: number): void {
  if (bytes <= NODE_RECORD_BYTES_MAX) return;
  throw t.fail(`The node has ${bytes} bytes`, {
    path: 'fields',
    expected: `at most ${NODE_RECORD_BYTES_MAX} bytes in all`,
  });
}
