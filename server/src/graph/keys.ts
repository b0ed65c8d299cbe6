import { readId, readWord } from '#store/bytes.ts';

/**
 * The keys of the graph's databases (see `store/databases.ts`): big-endian, so that they sort by
 * their numbers.
 *
 *   nodes   id(5)
 *   uids    UID(16)
 *   types   type(2) time(6) id(5)
 *   out     from(5) edge(2) to(5)
 *   in      to(5) edge(2) from(5)
 *   history id(5) version(4)
 *   indexes index(2) values time(6) id(5): see `indexes/index-key.ts`
 *   uniques index(2) digest(16)
 *
 * In `types` the time is shifted by 2^47, so that times before 1970 sort first, and limited to 48
 * bits (the years -2490 to 6429). Nodes with times beyond these sort by id only. The record has the
 * exact time.
 */
export const ID_BYTES = 5;
export const ID_MAX = 2 ** 40 - 1;
/** The highest type number; the lowest is 1. The number after it is used as the end of a range. */
export const TYPE_ID_MAX = 0xfffe;

const EDGE_AT = ID_BYTES;
const NEIGHBOR_AT = ID_BYTES + 2;
const TIME_AT = 2;
const TYPED_ID_AT = 8;
export const TYPE_KEY_BYTES = TYPED_ID_AT + ID_BYTES;
/** The bytes of a time and an id, with which keys of `types` and `indexes` end. */
export const TIMED_ID_BYTES = TYPE_KEY_BYTES - TIME_AT;
const VERSION_AT = ID_BYTES;
const VERSION_BYTES = 4;
const TIME_SHIFT = 2 ** 47;
const TIME_MAX = 2 ** 48 - 2;
/** The latest time that a key can hold; later times are stored as this one. */
export const KEY_TIME_MAX_MS = TIME_MAX - TIME_SHIFT;

export function writeId(bytes: Uint8Array, at: number, id: number): void {
  bytes[at] = Math.floor(id / 0x1_0000_0000);
  bytes[at + 1] = id >>> 24;
  bytes[at + 2] = id >>> 16;
  bytes[at + 3] = id >>> 8;
  bytes[at + 4] = id;
}

/** The number of a type, or of an index. */
export function readType(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!;
}

/** The edge type in a key of `out` or `in` that begins at a place of some bytes. */
export function edgeOfKey(bytes: Uint8Array, start = 0): number {
  return readType(bytes, start + EDGE_AT);
}

/** The node at the other end in a key of `out` or `in`. */
export function neighborOfKey(bytes: Uint8Array, start = 0): number {
  return readId(bytes, start + NEIGHBOR_AT);
}

/** The version in a key of `history`. */
export function versionOfKey(key: Uint8Array): number {
  return readWord(key, VERSION_AT);
}

/** The node in a key of `types`. */
export function idOfTypeKey(bytes: Uint8Array, start = 0): number {
  return readId(bytes, start + TYPED_ID_AT);
}

/**
 * Makes keys in its own buffers, one for each kind, so that no memory is allocated. A key is valid
 * until the next one of its kind is made. The state copies the keys that it gets.
 */
export class KeyEncoder {
  readonly #node = new Uint8Array(ID_BYTES);
  readonly #idValue = new Uint8Array(ID_BYTES);
  readonly #type = new Uint8Array(TYPE_KEY_BYTES);
  readonly #out = new Uint8Array(NEIGHBOR_AT + ID_BYTES);
  readonly #in = new Uint8Array(NEIGHBOR_AT + ID_BYTES);
  readonly #version = new Uint8Array(VERSION_AT + VERSION_BYTES);
  readonly #versions = range(VERSION_AT, VERSION_AT + VERSION_BYTES + 1);
  readonly #anyEdge = range(ID_BYTES, NEIGHBOR_AT);
  readonly #oneEdge = range(NEIGHBOR_AT, NEIGHBOR_AT);
  readonly #typeAll = range(TIME_AT, TYPED_ID_AT);
  readonly #typeBefore = range(TIME_AT, TYPE_KEY_BYTES);

  node(id: number): Uint8Array {
    writeId(this.#node, 0, id);
    return this.#node;
  }

  /** The value in `uids`. */
  idValue(id: number): Uint8Array {
    writeId(this.#idValue, 0, id);
    return this.#idValue;
  }

  type(type: number, timeMs: number, id: number): Uint8Array {
    writeTypeKey(this.#type, type, timeMs, id);
    return this.#type;
  }

  out(from: number, edge: number, to: number): Uint8Array {
    return writeEdgeKey(this.#out, from, edge, to);
  }

  in(to: number, edge: number, from: number): Uint8Array {
    return writeEdgeKey(this.#in, to, edge, from);
  }

  version(id: number, version: number): Uint8Array {
    writeId(this.#version, 0, id);
    this.#version[VERSION_AT] = version >>> 24;
    this.#version[VERSION_AT + 1] = version >>> 16;
    this.#version[VERSION_AT + 2] = version >>> 8;
    this.#version[VERSION_AT + 3] = version;
    return this.#version;
  }

  /** All keys of `history` of one node. */
  versions(id: number): KeyPair {
    const pair = this.#versions;
    writeId(pair.start, 0, id);
    writeId(pair.end, 0, id);
    pair.end.fill(0xff, VERSION_AT);
    return pair;
  }

  /** All keys of `out` or `in` of one node, of one edge type unless it is 0. */
  edges(id: number, edge: number): KeyPair {
    const pair = edge === 0 ? this.#anyEdge : this.#oneEdge;
    writeId(pair.start, 0, id);
    writeId(pair.end, 0, id);
    writeType(pair.end, EDGE_AT, edge === 0 ? TYPE_ID_MAX + 1 : edge + 1);
    if (edge !== 0) writeType(pair.start, EDGE_AT, edge);
    return pair;
  }

  /** All keys of `types` of one type. */
  nodesOfType(type: number): KeyPair {
    const pair = this.#typeAll;
    writeType(pair.start, 0, type);
    writeType(pair.end, 0, type);
    pair.end.fill(0xff, TIME_AT);
    return pair;
  }

  /** The keys of nodes older than the one of `lastKey`, with which a walk continues. */
  nodesOfTypeBefore(type: number, lastKey: Uint8Array): KeyPair {
    const pair = this.#typeBefore;
    writeType(pair.start, 0, type);
    pair.end.set(lastKey);
    return pair;
  }
}

export interface KeyPair {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
}

function range(startBytes: number, endBytes: number): KeyPair {
  return { start: new Uint8Array(startBytes), end: new Uint8Array(endBytes) };
}

export function writeType(bytes: Uint8Array, at: number, type: number): void {
  bytes[at] = type >>> 8;
  bytes[at + 1] = type;
}

function writeTypeKey(bytes: Uint8Array, type: number, timeMs: number, id: number): void {
  writeType(bytes, 0, type);
  writeTime(bytes, TIME_AT, timeMs);
  writeId(bytes, TYPED_ID_AT, id);
}

/** A time as keys have it: equal for those that keys do not tell apart. */
export function keyTime(timeMs: number): number {
  return Math.min(Math.max(timeMs + TIME_SHIFT, 0), TIME_MAX);
}

/** Writes a time in 6 bytes, as in the keys of `types`. */
export function writeTime(bytes: Uint8Array, at: number, timeMs: number): void {
  const time = keyTime(timeMs);
  const high = Math.floor(time / 0x1_0000_0000);
  writeType(bytes, at, high);
  bytes[at + 2] = time >>> 24;
  bytes[at + 3] = time >>> 16;
  bytes[at + 4] = time >>> 8;
  bytes[at + 5] = time;
}

/** The time that `writeTime` wrote. */
export function readTime(bytes: Uint8Array, at: number): number {
  const high = (bytes[at]! << 8) | bytes[at + 1]!;
  const low =
    ((bytes[at + 2]! << 24) | (bytes[at + 3]! << 16) | (bytes[at + 4]! << 8) | bytes[at + 5]!) >>>
    0;
  return high * 0x1_0000_0000 + low - TIME_SHIFT;
}

function writeEdgeKey(bytes: Uint8Array, node: number, edge: number, other: number): Uint8Array {
  writeId(bytes, 0, node);
  writeType(bytes, EDGE_AT, edge);
  writeId(bytes, NEIGHBOR_AT, other);
  return bytes;
}

const UTF8 = new TextEncoder();

/** The keys of `meta` that the graph owns. */
export const META = {
  schema: UTF8.encode('schema'),
  /** Changes whenever `schema` changes, so that readers compare this and not the whole schema. */
  schemaStamp: UTF8.encode('schema-stamp'),
  /** The id of the next new node. Ids are never given twice. */
  nextId: UTF8.encode('next-id'),
  /** The key for the digests in unique and hashed indexes. It is made with the first such index. */
  indexSecret: UTF8.encode('index-secret'),
  /** How many entries the access journal holds: see `access-journal.ts`. */
  accessJournal: UTF8.encode('access-journal'),
} as const;

/** The record of `meta` with the number of nodes of one type. */
export function countKey(type: number): Uint8Array {
  return UTF8.encode(`count/${type}`);
}

/** The record of `meta` with the number of entries of one index. */
export function indexCountKey(index: number): Uint8Array {
  return UTF8.encode(`count-index/${index}`);
}

/** The record of `meta` with the key of `types` after which the build of an index continues. */
export function indexCursorKey(index: number): Uint8Array {
  return UTF8.encode(`index-cursor/${index}`);
}

/** The record of `meta` with the number of edges of one type. */
export function edgeCountKey(type: number): Uint8Array {
  return UTF8.encode(`count-edges/${type}`);
}
