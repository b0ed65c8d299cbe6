/**
 * The package declares its synchronous whole only; this is the one iteration of it, which keeps its
 * state in the matrices.
 */
declare module 'graphology-layout-forceatlas2/iterate.js' {
  import type { ForceAtlas2Settings } from 'graphology-layout-forceatlas2';

  /**
   * Ten numbers a node: x, y, dx, dy, old dx, old dy, mass, convergence, size, fixed; three an
   * edge: the offsets of both nodes in the matrix of nodes, and the weight.
   */
  export default function iterate(
    settings: Required<ForceAtlas2Settings>,
    nodes: Float32Array,
    edges: Float32Array,
  ): void;
}
