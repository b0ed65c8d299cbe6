import { DB } from '#store/databases.ts';
import type { KeyValueReader } from '#store/key-value.ts';
import { KeyEncoder, edgeOfKey, neighborOfKey } from './keys.ts';
import { IdList } from './id-list.ts';

export type Direction = 'out' | 'in';

/** In place of the number of an edge type: edges of every type. */
export const ANY_EDGE = 0;

/** The neighbours of one node: the ids at the other ends, and the edge types that lead there. */
export class NeighborList extends IdList {
  edges = new Uint16Array(64);

  add(id: number, edge: number): void {
    if (this.length === this.edges.length) {
      const grown = new Uint16Array(this.length * 2);
      grown.set(this.edges);
      this.edges = grown;
    }
    this.edges[this.length] = edge;
    this.push(id);
  }

  /** Appends a run of ids and edge types. */
  addRow(
    ids: Uint32Array,
    idsAt: number,
    edges: Uint16Array,
    edgesAt: number,
    count: number,
  ): void {
    const { length } = this;
    this.#reserve(length + count);
    const { values } = this;
    const own = this.edges;
    for (let i = 0; i < count; i++) {
      values[length + i] = ids[idsAt + i]!;
      own[length + i] = edges[edgesAt + i]!;
    }
    this.length = length + count;
  }

  edgeAt(index: number): number {
    return this.edges[index]!;
  }

  #reserve(length: number): void {
    if (length > this.values.length) {
      const grown = new Float64Array(Math.max(length, this.values.length * 2));
      grown.set(this.values);
      this.values = grown;
    }
    if (length > this.edges.length) {
      const grown = new Uint16Array(Math.max(length, this.edges.length * 2));
      grown.set(this.edges);
      this.edges = grown;
    }
  }
}

/**
 * Which nodes are connected: all that traversal needs. Queries read the graph's structure through
 * this interface only, so that the data can come from memory as well as from the state.
 */
export interface Adjacency {
  /**
   * Appends the neighbours of a node in one direction, by edge type or `ANY_EDGE`, in the order
   * (edge type, id).
   */
  collect(id: number, direction: Direction, edge: number, into: NeighborList): void;
}

/** Adjacency as the state holds it: the edges of one node are one range of keys. */
export class StateAdjacency implements Adjacency {
  readonly #state: KeyValueReader;
  readonly #keys = new KeyEncoder();
  #into = new NeighborList();

  constructor(state: KeyValueReader) {
    this.#state = state;
  }

  collect(id: number, direction: Direction, edge: number, into: NeighborList): void {
    this.#into = into;
    const db = direction === 'out' ? DB.out : DB.in;
    const range = { ...this.#keys.edges(id, edge), keysOnly: true };
    this.#state.scan(db, range, this.#visit);
  }

  readonly #visit = (key: Uint8Array): void => {
    this.#into.add(neighborOfKey(key), edgeOfKey(key));
  };
}
