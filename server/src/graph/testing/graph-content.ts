import { formatUid } from '#base/uid.ts';
import { readId } from '#store/bytes.ts';
import { DB } from '#store/databases.ts';
import type { DatabaseNumber } from '#store/databases.ts';
import type { KeyValueReader } from '#store/key-value.ts';
import { edgeOfKey, neighborOfKey, idOfTypeKey } from '../keys.ts';
import type { StateReader } from '../state-reader.ts';
import type { GraphModel } from './graph-model.ts';

/**
 * Everything in a graph, in a form that can be compared. It is read through a reader and checked
 * against the raw databases.
 */
export interface GraphContent {
  readonly nodes: Readonly<Record<string, unknown>>;
  readonly edges: readonly unknown[];
  /** UIDs by type, newest first. Nodes with the same time are one list, in any order. */
  readonly types: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly counts: Readonly<Record<string, number>>;
}

/** `state` must be a snapshot, since a view of commits in flight cannot be scanned as a whole. */
export function contentOf(reader: StateReader, state: KeyValueReader): GraphContent {
  const nodes: Record<string, unknown> = {};
  const edges: unknown[] = [];
  const incoming: unknown[] = [];
  for (const { uid, id } of uidsOf(state)) {
    nodes[uid] = {
      node: reader.node(id),
      version: reader.version(id),
      aliases: reader.aliases(id),
      uid: reader.uid(id),
      type: reader.typeOf(id),
    };
    edges.push(...reader.edges(id, 'out'));
    incoming.push(...reader.edges(id, 'in'));
  }
  const sorted = sortJson(edges);
  if (JSON.stringify(sorted) !== JSON.stringify(sortJson(incoming))) {
    throw new Error('what goes out is not what comes in');
  }
  for (const { type } of reader.schema().edges) {
    if (
      edges.filter((edge) => Object(edge).type === type).length !== reader.countOfEdgeType(type)
    ) {
      throw new Error(`the edges of type ${type} are not counted right`);
    }
  }
  const types: Record<string, string[][]> = {};
  const counts: Record<string, number> = {};
  for (const { type } of reader.schema().nodes) {
    const times = Map.groupBy(reader.idsOfType(type), (id) =>
      String(reader.field(id, 'Timestamp')),
    );
    types[type] = [...times.values()].map((ids) =>
      ids.map((id) => reader.uid(id) ?? '').toSorted(),
    );
    counts[type] = reader.countOfType(type);
  }
  checkRaw(state, reader);
  return { nodes, edges: sorted, types, counts };
}

export function contentOfModel(model: GraphModel): GraphContent {
  const nodes: Record<string, unknown> = {};
  const types: Record<string, string[][]> = { A: [], B: [] };
  const counts: Record<string, number> = { A: 0, B: 0 };
  for (const [uid, { type, key, fields, timestamp, version, aliases }] of model.nodes) {
    const shown = {
      UID: uid,
      Type: type,
      Timestamp: new Date(timestamp).toISOString(),
      ...(key === undefined ? {} : { Id: key }),
      ...(key === undefined || type === 'B' ? {} : { Name: key }),
      ...fields,
    };
    nodes[uid] = { node: shown, version, aliases, uid, type };
    counts[type] = (counts[type] ?? 0) + 1;
  }
  for (const type of ['A', 'B']) {
    const own = [...model.nodes].filter(([, node]) => node.type === type);
    const times = [...Map.groupBy(own, ([, { timestamp }]) => timestamp)];
    times.sort(([a], [b]) => b - a);
    types[type] = times.map(([, entries]) => entries.map(([uid]) => uid).toSorted());
  }
  const edges = [...model.edges.values()].map(({ from, edge, to, timestamp, fields }) => ({
    type: edge,
    from,
    to,
    timestamp: new Date(timestamp).toISOString(),
    ...fields,
  }));
  return { nodes, edges: sortJson(edges), types, counts };
}

/** Checks that nothing is left over: every key of every database belongs to a node that exists. */
function checkRaw(state: KeyValueReader, reader: StateReader): void {
  const ids = new Set(uidsOf(state).map(({ id }) => id));
  const check = (db: DatabaseNumber, idsOfKey: (key: Uint8Array) => number[], count?: number) => {
    let found = 0;
    for (const key of keysOf(state, db)) {
      found++;
      for (const id of idsOfKey(key)) if (!ids.has(id)) throw new Error(`node ${id} is not there`);
    }
    if (count !== undefined && found !== count) throw new Error(`${found} keys in ${db}`);
    return found;
  };
  check(DB.nodes, (key) => [readId(key, 0)], ids.size);
  check(DB.history, (key) => [readId(key, 0)]);
  check(DB.types, (key) => [idOfTypeKey(key)], ids.size);
  const edgeIds = (key: Uint8Array) => {
    reader.registry.edgeTypeById(edgeOfKey(key));
    return [readId(key, 0), neighborOfKey(key)];
  };
  check(DB.in, edgeIds, check(DB.out, edgeIds));
}

function uidsOf(state: KeyValueReader): { uid: string; id: number }[] {
  return keysOf(state, DB.uids).map((uid) => {
    const id = state.get(DB.uids, uid);
    if (id === undefined) throw new Error('a key without a value');
    return { uid: formatUid(uid), id: readId(id, 0) };
  });
}

function keysOf(state: KeyValueReader, db: DatabaseNumber): Uint8Array[] {
  const keys: Uint8Array[] = [];
  const range = { start: Buffer.alloc(1), end: Buffer.alloc(20, 0xff) };
  state.scan(db, range, (key) => void keys.push(Uint8Array.from(key)));
  return keys;
}

function sortJson(values: readonly unknown[]): unknown[] {
  return values
    .map((value) => JSON.stringify(value))
    .toSorted()
    .map((text) => JSON.parse(text) as unknown);
}
