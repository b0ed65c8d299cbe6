import type { ForceAtlas2Settings } from 'graphology-layout-forceatlas2';
import iterate from 'graphology-layout-forceatlas2/iterate.js';
import type { LayoutStart } from './layout-messages.ts';

/** Numbers a node and an edge have in the matrices of the library. */
const NODE_NUMBERS = 10;
const EDGE_NUMBERS = 3;
const MASS = 6;
const CONVERGENCE = 7;
const SIZE = 8;
const FIXED = 9;

/** From so many nodes on, far ones are taken together (J. Barnes, P. Hut, 1986). */
const BARNES_HUT_NODES = 500;
const ITERATIONS_MAX = 1_500;
/**
 * A move, as a share of the graph's width, that nobody sees; the mean over all nodes and some
 * iterations is below it.
 */
const STILL_SHARE = 0.000_3;
const STILL_ITERATIONS = 20;

/** ForceAtlas2 (M. Jacomy and others, 2014), some iterations at a time. */
export class ForceSimulation {
  readonly #settings: Required<ForceAtlas2Settings>;
  readonly #nodes: Float32Array;
  readonly #edges: Float32Array;
  #iterations = 0;
  #stillIterations = 0;

  constructor({ positions, fixed, edges }: LayoutStart) {
    const order = positions.length / 2;
    this.#settings = settingsFor(order);
    this.#nodes = new Float32Array(order * NODE_NUMBERS);
    for (let node = 0; node < order; node++) {
      const at = node * NODE_NUMBERS;
      this.#nodes[at] = positions[2 * node] ?? 0;
      this.#nodes[at + 1] = positions[2 * node + 1] ?? 0;
      this.#nodes[at + MASS] = 1;
      this.#nodes[at + CONVERGENCE] = 1;
      this.#nodes[at + SIZE] = 1;
      this.#nodes[at + FIXED] = fixed[node] ?? 0;
    }
    this.#edges = new Float32Array((edges.length / 2) * EDGE_NUMBERS);
    for (let edge = 0; edge < edges.length / 2; edge++) {
      const [from = 0, to = 0] = edges.subarray(2 * edge, 2 * edge + 2);
      this.#edges.set([from * NODE_NUMBERS, to * NODE_NUMBERS, 1], edge * EDGE_NUMBERS);
      this.#addMass(from);
      this.#addMass(to);
    }
  }

  get isSettled(): boolean {
    return this.#stillIterations >= STILL_ITERATIONS || this.#iterations >= ITERATIONS_MAX;
  }

  iterate(): void {
    const before = this.#nodes.slice();
    iterate(this.#settings, this.#nodes, this.#edges);
    this.#iterations++;
    this.#stillIterations = this.#movedShare(before) < STILL_SHARE ? this.#stillIterations + 1 : 0;
  }

  /** Writes x and y of each node. */
  copyPositions(positions: Float32Array): void {
    for (let node = 0; node < positions.length / 2; node++) {
      positions[2 * node] = this.#nodes[node * NODE_NUMBERS] ?? 0;
      positions[2 * node + 1] = this.#nodes[node * NODE_NUMBERS + 1] ?? 0;
    }
  }

  /** A node weighs as much as it has edges, and one. */
  #addMass(node: number): void {
    const at = node * NODE_NUMBERS + MASS;
    this.#nodes[at] = (this.#nodes[at] ?? 0) + 1;
  }

  /** How far the nodes moved on average, as a share of the width of the graph. */
  #movedShare(before: Float32Array): number {
    let moved = 0;
    let [left, right] = [Infinity, -Infinity];
    for (let at = 0; at < before.length; at += NODE_NUMBERS) {
      const [x = 0, y = 0] = [this.#nodes[at], this.#nodes[at + 1]];
      moved += Math.hypot(x - (before[at] ?? 0), y - (before[at + 1] ?? 0));
      left = Math.min(left, x);
      right = Math.max(right, x);
    }
    const order = before.length / NODE_NUMBERS;
    return right > left ? moved / order / (right - left) : 0;
  }
}

/** As the library infers them, with room for labels. */
function settingsFor(order: number): Required<ForceAtlas2Settings> {
  return {
    linLogMode: false,
    outboundAttractionDistribution: false,
    adjustSizes: false,
    edgeWeightInfluence: 1,
    scalingRatio: 10,
    strongGravityMode: true,
    gravity: 0.05,
    slowDown: 1 + Math.log(Math.max(1, order)),
    barnesHutOptimize: order >= BARNES_HUT_NODES,
    barnesHutTheta: order >= BARNES_HUT_NODES ? 0.8 : 0.5,
  };
}
