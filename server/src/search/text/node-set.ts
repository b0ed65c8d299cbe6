import type { Segment } from './segment.ts';

/**
 * Nodes that a search is confined to, or that it must not find. Worth keeping for as long as it holds: which documents
 * of a segment they are is computed once.
 */
export class NodeSet {
  readonly #nodes: Float64Array;
  readonly #bits = new WeakMap<Segment, Uint32Array>();

  /** Ascending ids. */
  constructor(nodes: Float64Array) {
    this.#nodes = nodes;
  }

  /** One bit for each document of the segment. */
  bits(segment: Segment): Uint32Array {
    let bits = this.#bits.get(segment);
    if (bits === undefined) this.#bits.set(segment, (bits = this.#compute(segment)));
    return bits;
  }

  #compute({ documents }: Segment): Uint32Array {
    const { byNode, nodes, count } = documents;
    const bits = new Uint32Array(Math.ceil(count / 32));
    let at = 0;
    for (const node of this.#nodes) {
      let step = 1;
      while (at + step < count && nodes[byNode[at + step]!]! < node) {
        at += step;
        step *= 2;
      }
      let high = Math.min(count, at + step + 1);
      while (at < high) {
        const middle = (at + high) >>> 1;
        if (nodes[byNode[middle]!]! < node) at = middle + 1;
        else high = middle;
      }
      if (at === count) break;
      for (let same = at; same < count && nodes[byNode[same]!] === node; same++) {
        const document = byNode[same]!;
        bits[document >>> 5]! |= 1 << (document & 31);
      }
    }
    return bits;
  }
}
