import { ANY_EDGE, type Direction, NeighborList } from './adjacency.ts';
import type { PackedRows } from './rows/packed-rows.ts';
import type { SchemaRegistry } from './schema-registry.ts';

/**
 * What the packed rows tell of nodes, without reading them: good for one turn of the event loop.
 * What is not known here has to be read.
 */
export class NodeColumns {
  readonly #rows: PackedRows;
  readonly #registry: SchemaRegistry;
  readonly #neighbors = new NeighborList();

  constructor(rows: PackedRows, registry: SchemaRegistry) {
    this.#rows = rows;
    this.#registry = registry;
  }

  typeOf(id: number): string | undefined {
    const type = this.#rows.typeOf(id) ?? NO_TYPE;
    return type === NO_TYPE ? undefined : this.#registry.nodeTypes[type - 1]?.name;
  }

  /** The number of edges, in both directions together. */
  degreeOf(id: number): number | undefined {
    return this.#rows.degreeOf(id);
  }

  /** The neighbours in one direction, once for each edge, without those along some edge types. */
  neighbors(
    id: number,
    direction: Direction,
    hiddenEdges: ReadonlySet<string>,
  ): readonly number[] | undefined {
    const list = this.#neighbors;
    list.length = 0;
    if (!this.#rows.collect(id, direction, ANY_EDGE, list)) return undefined;
    const ids: number[] = [];
    let edge = ANY_EDGE;
    let isHidden = false;
    for (let i = 0; i < list.length; i++) {
      if (list.edges[i] !== edge) {
        edge = list.edges[i]!;
        isHidden = hiddenEdges.has(this.#registry.edgeTypeById(edge).name);
      }
      if (!isHidden) ids.push(list.values[i]!);
    }
    return ids;
  }
}

const NO_TYPE = 0;
