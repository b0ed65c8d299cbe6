import { turns } from '#base/turns.ts';
import { readId } from '#store/bytes.ts';
import { DB, type DatabaseNumber } from '#store/databases.ts';
import type { EntryVisitor } from '#store/lmdb-file/tree-pages.ts';
import type { HeldReader } from '#store/held-reader.ts';
import { openSnapshotReader, type SnapshotReaderOptions } from '#store/snapshot-reader.ts';
import { edgeOfKey, idOfTypeKey, neighborOfKey, readType } from './keys.ts';
import { SchemaSource } from './schema-source.ts';

/** How many edges of one type lead from nodes of one type to nodes of another. */
export interface RelationCount {
  readonly from: string;
  readonly edge: string;
  readonly to: string;
  readonly edges: number;
}

export interface RelationCounts {
  /** Of the commit that was counted. */
  readonly sequence: number;
  /** All edges of that commit. */
  readonly edges: number;
  /** Those that were counted; fewer in a graph that is larger than what is counted. */
  readonly counted: number;
  /** By the names of the types. Edges of every type are among them, also built-in ones. */
  readonly relations: readonly RelationCount[];
}

/** As many edges are counted, and those between nodes with ids below this. */
const EDGES_MAX = 20_000_000;
const NODE_IDS_MAX = 2 ** 25;
/** Entries between two looks at the clock. */
const STEP_ENTRIES = 1_024;

/**
 * Counts all edges of the newest commit by the types at their ends. It reads the nodes by type and
 * then the edges, each once and in order, in turns of the event loop.
 */
export async function countRelations(
  options: Omit<SnapshotReaderOptions, 'environments'>,
  limits = { edges: EDGES_MAX, nodes: NODE_IDS_MAX },
): Promise<RelationCounts> {
  using snapshot = openSnapshotReader({ ...options, environments: ['graph'] });
  using held = snapshot.hold();
  const types = await typesById(held, limits.nodes);
  const { counts, counted } = await countByTypes(held, types, limits.edges);
  const source = new SchemaSource(held);
  source.revalidate();
  const { registry } = source;
  const relations = Array.from(counts).flatMap(([key, edges]): RelationCount[] => {
    const [fromId, edgeId, toId] = typesOfKey(key);
    const [from, to] = [registry.nodeTypeById(fromId), registry.nodeTypeById(toId)];
    const edge = registry.edgeTypeById(edgeId);
    const isHidden = [from, edge, to].some(({ dropped }) => dropped !== undefined);
    return isHidden ? [] : [{ from: from.name, edge: edge.name, to: to.name, edges }];
  });
  return {
    sequence: held.sequence,
    edges: held.count(DB.out),
    counted,
    relations: relations.toSorted(byNames),
  };
}

/** The number of the type of each node; 0 where there is none. Ids from `max` on are left out. */
async function typesById(held: HeldReader, max: number): Promise<Uint16Array> {
  let types = new Uint16Array(1_024);
  await visitInTurns(held, DB.types, (bytes, start) => {
    const id = idOfTypeKey(bytes, start);
    if (id >= max) return true;
    if (id >= types.length) {
      const grown = new Uint16Array(Math.min(max, Math.max(id + 1, types.length * 2)));
      grown.set(types);
      types = grown;
    }
    types[id] = readType(bytes, start);
    return true;
  });
  return types;
}

async function countByTypes(held: HeldReader, types: Uint16Array, max: number) {
  const counts = new Map<number, number>();
  let counted = 0;
  // Edges of one node and type lie side by side.
  let last = 0;
  let run = 0;
  const keep = (): void => {
    if (run > 0) counts.set(last, (counts.get(last) ?? 0) + run);
    run = 0;
  };
  await visitInTurns(held, DB.out, (bytes, start) => {
    if (counted === max) return false;
    const from = types[readId(bytes, start)] ?? 0;
    const to = types[neighborOfKey(bytes, start)] ?? 0;
    if (from === 0 || to === 0) return true;
    const key = keyOfTypes(from, edgeOfKey(bytes, start), to);
    if (key !== last) keep();
    last = key;
    run++;
    counted++;
    return true;
  });
  keep();
  return { counts, counted };
}

/** Visits a database from its beginning, until `visit` returns false. */
async function visitInTurns(
  held: HeldReader,
  db: DatabaseNumber,
  visit: (bytes: Uint8Array, start: number) => boolean,
): Promise<void> {
  let from: Uint8Array | undefined = new Uint8Array(0);
  let entries = 0;
  const step: EntryVisitor = (bytes, start, end) => {
    if (entries++ % STEP_ENTRIES === 0 && entries > 1 && turns.isSpent) {
      from = Uint8Array.from(bytes.subarray(start, end));
      entries = 0;
      return false;
    }
    return visit(bytes, start);
  };
  while (from !== undefined) {
    const start: Uint8Array = from;
    from = undefined;
    held.visit(db, start, step);
    if (from !== undefined) await turns.next('');
  }
}

function keyOfTypes(from: number, edge: number, to: number): number {
  return (from * 0x1_0000 + edge) * 0x1_0000 + to;
}

function typesOfKey(key: number): [number, number, number] {
  return [Math.floor(key / 0x1_0000_0000), Math.floor(key / 0x1_0000) % 0x1_0000, key % 0x1_0000];
}

function byNames(one: RelationCount, other: RelationCount): number {
  const names = ({ from, edge, to }: RelationCount) => [from, edge, to].join(' ');
  return names(one) < names(other) ? -1 : 1;
}
