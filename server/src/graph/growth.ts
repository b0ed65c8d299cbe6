import { DB } from '#store/databases.ts';
import type { KeyValueReader, WriteBatch } from '#store/key-value.ts';
import { encodeCount, readCount } from './counters.ts';
import { countKey, edgeCountKey } from './keys.ts';

/** By how many the nodes and the edges of each type grow with one commit. */
export class Growth {
  readonly #nodes = new Map<number, number>();
  readonly #edges = new Map<number, number>();

  addNodes(type: number, count: number): void {
    this.#nodes.set(type, (this.#nodes.get(type) ?? 0) + count);
  }

  addEdges(type: number, count: number): void {
    this.#edges.set(type, (this.#edges.get(type) ?? 0) + count);
  }

  /** Puts the counters that change. */
  write(view: KeyValueReader, batch: WriteBatch): void {
    for (const [type, growth] of this.#nodes) addTo(view, batch, countKey(type), growth);
    for (const [type, growth] of this.#edges) addTo(view, batch, edgeCountKey(type), growth);
  }
}

function addTo(view: KeyValueReader, batch: WriteBatch, key: Uint8Array, growth: number): void {
  if (growth === 0) return;
  // A store may hold edges that were written by a version which did not count them.
  const count = Math.max(0, readCount(view.get(DB.meta, key)) + growth);
  batch.put(DB.meta, key, encodeCount(count));
}
