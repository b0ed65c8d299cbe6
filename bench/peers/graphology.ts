import { MultiDirectedGraph } from 'graphology';
import { bidirectional } from 'graphology-shortest-path/unweighted.js';
import type { GraphTables } from '../tables.ts';

/** The peer in memory. */
export class GraphologyGraph {
  readonly #graph = new MultiDirectedGraph();
  readonly #byKey = new Map<string, number>();

  load(tables: GraphTables): void {
    for (const row of tables.nodes) {
      this.#graph.addNode(row.id, { type: row.type, key: row.key, ...row.fields });
      this.#byKey.set(`${row.type}\0${row.key}`, row.id);
    }
    for (const row of tables.edges) {
      this.#graph.addEdge(row.source, row.target, { type: row.type, ...row.fields });
    }
  }

  point(type: string, key: string): unknown {
    return { ...this.#graph.getNodeAttributes(this.#byKey.get(`${type}\0${key}`)) };
  }

  hop(id: number): string[] {
    return this.#graph.outNeighbors(id);
  }

  threeHops(id: number): number {
    const seen = new Set<string>();
    let frontier = [String(id)];
    for (let hop = 0; hop < 3; hop++) {
      const next: string[] = [];
      for (const from of frontier) {
        this.#graph.forEachOutNeighbor(from, (to) => {
          if (seen.has(to)) return;
          seen.add(to);
          next.push(to);
        });
      }
      frontier = next;
    }
    return seen.size;
  }

  pathLength(from: number, to: number, hopsMax: number): number | null {
    const path = bidirectional(this.#graph, String(from), String(to));
    return path === null || path.length - 1 > hopsMax ? null : path.length - 1;
  }
}
