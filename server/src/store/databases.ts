/**
 * The sub-databases of the two LMDB environments (design, section 4). `graph` may be read by every
 * thread; `vault` holds secrets (password hashes, token records, keys) and is never opened where
 * the code of users runs. The log keeps the numbers, so never use a number for another database.
 *
 * An id is 40 bits, big-endian (5 bytes); a type is 16 bits, big-endian; a time is milliseconds
 * since the Unix epoch in 48 bits, big-endian.
 */
export interface DatabaseSpec {
  readonly number: DatabaseNumber;
  readonly name: string;
  readonly environment: 'graph' | 'vault';
  /**
   * Keys are also scanned by a prefix of this many bytes while a commit is built: see `Overlay`.
   */
  readonly scanPrefixBytes?: number;
  /** Only the keys hold data; all values are empty. */
  readonly isOfKeys?: true;
  /** The name of its second tree: see `TieredStore`. */
  readonly recentName?: string;
  /** Where a key has the id of the node whose packed row says what the key says: see `rows`. */
  readonly rowIdAt?: number;
}

export const DB = {
  /** name -> bytes: schema, counters, settings. */
  meta: 0,
  /** id -> node record. */
  nodes: 1,
  /** UID (16 bytes) -> id. */
  uids: 2,
  /** (node type, timestamp, id) -> empty: one type's nodes by time are one range. */
  types: 3,
  /** (from id, edge type, to id) -> edge record: one node's edges of one type are one range. */
  out: 4,
  /** (to id, edge type, from id) -> empty. */
  in: 5,
  /**
   * sequence of the entry itself (6 bytes) -> an edge that decides about access and that its commit
   * wrote or removed.
   */
  access: 6,
  /**
   * (id, version) -> what the change that made this version of the node keeps of the version
   * before.
   */
  history: 7,
  /**
   * (index, value, timestamp, id) -> empty: the nodes with one value are one range, in the order of
   * `types`. See `graph/indexes/index-key.ts`.
   */
  indexes: 8,
  /** (index, digest of a value) -> id of the node that has this value, in a unique index. */
  uniques: 9,
  /** name -> bytes: users' credentials, sessions, tokens, keys. */
  vault: 32,
  /** Packed adjacency: see `graph/rows/`. */
  rows: 64,
  /** sequence -> the nodes whose packed rows do not show that commit: see `row-changes.ts`. */
  rowChanges: 65,
  /** A key of `indexes` -> the number of entries from there on: see `entry-blocks.ts`. */
  entryBlocks: 66,
} as const;

export type DatabaseNumber = (typeof DB)[keyof typeof DB];

export const DATABASES: readonly DatabaseSpec[] = [
  { number: DB.meta, name: 'meta', environment: 'graph' },
  { number: DB.nodes, name: 'nodes', environment: 'graph' },
  { number: DB.uids, name: 'uids', environment: 'graph', recentName: 'recent-uids' },
  {
    number: DB.types,
    name: 'types',
    environment: 'graph',
    scanPrefixBytes: 2,
    isOfKeys: true,
    rowIdAt: 8,
  },
  { number: DB.out, name: 'out', environment: 'graph', scanPrefixBytes: 5, rowIdAt: 0 },
  {
    number: DB.in,
    name: 'in',
    environment: 'graph',
    scanPrefixBytes: 5,
    isOfKeys: true,
    rowIdAt: 0,
  },
  { number: DB.access, name: 'access', environment: 'graph' },
  { number: DB.history, name: 'history', environment: 'graph', scanPrefixBytes: 5 },
  { number: DB.indexes, name: 'indexes', environment: 'graph', scanPrefixBytes: 2, isOfKeys: true },
  { number: DB.uniques, name: 'uniques', environment: 'graph', scanPrefixBytes: 2 },
  { number: DB.vault, name: 'vault', environment: 'vault' },
];

/**
 * What each machine makes of the others by itself. It is in the same transactions as they are, but
 * neither in the log nor in snapshots.
 */
export const LOCAL_DATABASES: readonly DatabaseSpec[] = [
  { number: DB.rows, name: 'rows', environment: 'graph' },
  { number: DB.rowChanges, name: 'row-changes', environment: 'graph' },
  { number: DB.entryBlocks, name: 'entry-blocks', environment: 'graph' },
];
