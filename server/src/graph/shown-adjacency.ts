import { DB } from '#store/databases.ts';
import type { KeyValueReader } from '#store/key-value.ts';
import {
  type Adjacency,
  ANY_EDGE,
  type Direction,
  NeighborList,
  StateAdjacency,
} from './adjacency.ts';
import { KeyEncoder } from './keys.ts';
import { typeIdOf } from './node-record.ts';
import type { SchemaRegistry } from './schema-registry.ts';
import type { SchemaSource } from './schema-source.ts';

/** Adjacency without edges whose type was dropped, and without those to nodes whose type was. */
export class ShownAdjacency implements Adjacency {
  readonly #all: StateAdjacency;
  readonly #state: KeyValueReader;
  readonly #schema: SchemaSource;
  readonly #keys = new KeyEncoder();
  readonly #list = new NeighborList();

  constructor(state: KeyValueReader, schema: SchemaSource) {
    this.#all = new StateAdjacency(state);
    this.#state = state;
    this.#schema = schema;
  }

  /** Whether nodes or edges are hidden. */
  get hides(): boolean {
    const { registry } = this.#schema;
    return registry.hidesNodes || registry.hidesEdges;
  }

  isHidden(id: number): boolean {
    const { registry } = this.#schema;
    if (!registry.hidesNodes) return false;
    const bytes = this.#state.get(DB.nodes, this.#keys.node(id));
    return bytes !== undefined && registry.isHiddenNodeType(typeIdOf(bytes));
  }

  collect(id: number, direction: Direction, edge: number, into: NeighborList): void {
    const from = into.length;
    this.#all.collect(id, direction, edge, into);
    if (!this.hides) return;
    const { registry } = this.#schema;
    let kept = from;
    for (let i = from; i < into.length; i++) {
      const [type, other] = [into.edges[i]!, into.values[i]!];
      if (registry.isHiddenEdgeType(type) || this.isHidden(other)) continue;
      into.values[kept] = other;
      into.edges[kept++] = type;
    }
    into.length = kept;
  }

  /** The edges of a node in both directions; valid until the next call. */
  edgesOf(id: number): NeighborList {
    const list = this.#list;
    list.length = 0;
    this.collect(id, 'out', ANY_EDGE, list);
    this.collect(id, 'in', ANY_EDGE, list);
    return list;
  }

  /** Visits the edges of a node, but of those from nodes that are `isOwn` only where they begin. */
  countEdges(id: number, isOwn: (id: number) => boolean, visit: (edge: number) => void): void {
    const list = new NeighborList();
    this.collect(id, 'out', ANY_EDGE, list);
    const out = list.length;
    this.collect(id, 'in', ANY_EDGE, list);
    for (let i = 0; i < list.length; i++) {
      if (i < out || !isOwn(list.values[i]!)) visit(list.edges[i]!);
    }
  }
}

/** Another text for other hidden types. */
export function hiddenTypesOf(registry: SchemaRegistry): string {
  if (!registry.hidesNodes) return '';
  const hidden = registry.nodeTypes.filter(({ dropped }) => dropped !== undefined);
  return hidden.map(({ id }) => id).join(' ');
}

/** How many edges of a type are hidden with their nodes, as counted when those were dropped. */
export function hiddenEdgesOf({ nodeTypes }: SchemaRegistry, edge: number): number {
  return nodeTypes.reduce((sum, { dropped }) => sum + (dropped?.edges?.[edge] ?? 0), 0);
}
