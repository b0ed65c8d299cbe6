import { releaseMemory } from '#base/release-memory.ts';
import { UID_BYTES } from '#base/uid.ts';
import { DB } from '#store/databases.ts';
import type { KeyValueReader } from '#store/key-value.ts';
import { KeyEncoder } from './keys.ts';

/**
 * Knows of many nodes and edges that they cannot be in the state, so that the writer need not look
 * there: a load asks for each of its nodes and edges whether it exists, and nearly always it does
 * not. It notes every node and every edge that is added, also by commits that fail later, and
 * answers from that
 *
 * - for nodes of a type that had none when it was first asked for one, and
 * - for edges of nodes that are newer than itself.
 *
 * Only one writer adds to a state, so what it has not noted is not there.
 */
export class AddedKeys {
  readonly #view: KeyValueReader;
  readonly #keys = new KeyEncoder();
  readonly #uids: AddedHashes;
  readonly #edges: AddedHashes;
  /** Whether a type had no nodes, by its number. */
  #wasEmpty: (boolean | undefined)[] = [];
  /** The id of the first node that is newer than this; 0 until `begin`. */
  #firstId = 0;

  constructor(view: KeyValueReader, entriesMax?: number) {
    this.#view = view;
    this.#uids = new AddedHashes(entriesMax);
    this.#edges = new AddedHashes(entriesMax);
  }

  /** Call this before each commit, with the id that the next new node gets. */
  begin(nextId: number): void {
    if (this.#firstId === 0) this.#firstId = nextId;
  }

  /** Gives its memory back, and begins again with the next commit. */
  clear(): void {
    this.#firstId = 0;
    this.#wasEmpty = [];
    this.#uids.clear();
    this.#edges.clear();
  }

  addNode(uid: Uint8Array): void {
    this.#uids.add(word(uid, 0), word(uid, 4));
  }

  /** False when there is certainly no node with this UID, which is that of a key in the type. */
  mayHaveNode(type: number, uid: Uint8Array): boolean {
    if (!(this.#wasEmpty[type] ??= this.#isEmpty(type))) return true;
    return this.#uids.mayHave(word(uid, 0), word(uid, 4));
  }

  addEdge(from: number, edge: number, to: number): void {
    if (from < this.#firstId && to < this.#firstId) return;
    const hash = hashOfEdge(from, edge, to);
    this.#edges.add(hash, mixed(hash ^ to));
  }

  /** False when there is certainly no such edge. */
  mayHaveEdge(from: number, edge: number, to: number): boolean {
    if (from < this.#firstId && to < this.#firstId) return true;
    const hash = hashOfEdge(from, edge, to);
    return this.#edges.mayHave(hash, mixed(hash ^ to));
  }

  #isEmpty(type: number): boolean {
    let isEmpty = true;
    this.#view.scan(DB.types, this.#keys.nodesOfType(type), () => (isEmpty = false));
    return isEmpty;
  }
}

/** A UID is random, or a digest, so its parts are hashes. */
function word(uid: Uint8Array, at: number): number {
  const end = UID_BYTES - at;
  return (uid[end - 1]! << 24) | (uid[end - 2]! << 16) | (uid[end - 3]! << 8) | uid[end - 4]!;
}

function hashOfEdge(from: number, edge: number, to: number): number {
  return mixed(Math.imul(from, 0x9e3779b1) ^ mixed(Math.imul(to, 0x85ebca77) + edge));
}

function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
  mix = Math.imul(mix ^ (mix >>> 15), 0x735a2d97);
  return mix ^ (mix >>> 15);
}

/** At most; they take about 22 MB then. */
const HASHES_MAX = 12_000_000;
const WORDS_FIRST = 1 << 16;
const GROWTH = 4;
const BITS_PER_HASH = 16;
/** A block has 512 bits: one line of a processor's cache. */
const BLOCK_WORDS = 16;
const BLOCK_BITS = 9;
const BITS_SET = 4;

/**
 * A Bloom filter in blocks: each entry sets four bits of one block. One in about two hundred that
 * were not added seems to have been. It grows by segments, each four times as large as the one
 * before; once it has had too many entries it keeps none, and says of all that they may be there.
 */
class AddedHashes {
  readonly #entriesMax: number;
  #segments: Int32Array[] = [];
  /** How many entries the newest segment still takes. */
  #room = 0;
  #count = 0;
  #isFull = false;

  constructor(entriesMax = HASHES_MAX) {
    this.#entriesMax = entriesMax;
  }

  /** `block` and `bits` are hashes of 32 bits. */
  add(block: number, bits: number): void {
    if (this.#room === 0) this.#grow();
    if (this.#isFull) return;
    this.#room--;
    this.#count++;
    const segment = this.#segments[this.#segments.length - 1]!;
    const start = startOf(segment, block);
    for (let i = 0; i < BITS_SET; i++) {
      const bit = bitOf(bits, i);
      segment[start + (bit >>> 5)]! |= 1 << (bit & 31);
    }
  }

  mayHave(block: number, bits: number): boolean {
    if (this.#isFull) return true;
    for (const segment of this.#segments) if (isIn(segment, block, bits)) return true;
    return false;
  }

  clear(): void {
    this.#drop();
    this.#room = 0;
    this.#count = 0;
    this.#isFull = false;
  }

  #drop(): void {
    for (const { buffer } of this.#segments) releaseMemory(new Uint8Array(buffer));
    this.#segments = [];
  }

  #grow(): void {
    if (this.#isFull) return;
    const words = (this.#segments.at(-1)?.length ?? WORDS_FIRST / GROWTH) * GROWTH;
    const room = (words * 32) / BITS_PER_HASH;
    this.#isFull = this.#count + room > this.#entriesMax;
    if (this.#isFull) this.#drop();
    else this.#segments.push(new Int32Array(words));
    this.#room = room;
  }
}

function startOf(segment: Int32Array, block: number): number {
  return (block & (segment.length / BLOCK_WORDS - 1)) * BLOCK_WORDS;
}

/** The last one uses some bits of the first again. */
function bitOf(bits: number, index: number): number {
  const shift = index * BLOCK_BITS;
  return ((bits >>> shift) | (bits << (32 - shift))) & (BLOCK_WORDS * 32 - 1);
}

function isIn(segment: Int32Array, block: number, bits: number): boolean {
  const start = startOf(segment, block);
  for (let i = 0; i < BITS_SET; i++) {
    const bit = bitOf(bits, i);
    if ((segment[start + (bit >>> 5)]! & (1 << (bit & 31))) === 0) return false;
  }
  return true;
}
