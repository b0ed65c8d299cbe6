import type { NodeOf, NodeReference, NodeTypeName } from './nodes.ts';

/** Reads of single nodes. To look for nodes, or to follow edges, use `q()`. */
export interface GraphReads {
  /** The node with this key. Throws the problem `node_not_found` when there is none. */
  get<T extends NodeTypeName>(type: T, key: string): Promise<NodeOf<T>>;
  get(node: NodeReference): Promise<NodeOf>;
  /** The node with this key, or null. */
  tryGet<T extends NodeTypeName>(type: T, key: string): Promise<NodeOf<T> | null>;
  tryGet(node: NodeReference): Promise<NodeOf | null>;
  /** Many nodes in one go: in the order of the keys, null where there is none. */
  getMany<T extends NodeTypeName>(type: T, keys: readonly string[]): Promise<(NodeOf<T> | null)[]>;
  getMany(nodes: readonly NodeReference[]): Promise<(NodeOf | null)[]>;
  /**
   * The version of the node, which rises by 1 with each change of it; 0 when there is none. A write
   * takes it as `ifVersion`.
   */
  version<T extends NodeTypeName>(type: T, key: string): Promise<number>;
  version(node: NodeReference): Promise<number>;
}
