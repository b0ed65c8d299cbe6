/**
 * The types of a workspace's own nodes and edges. Which there are is the workspace's matter: the
 * server adds a member to `NodeTypes` for each node type and one to `EdgeTypes` for each edge type
 * before it checks the code of an endpoint.
 */

/**
 * 22 characters of base58 that name a node for ever. For a node with a key they follow from its
 * type and key.
 */
export type UID = string;

/** What JSON can say. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

/** A place on earth, in degrees. */
export interface GeoPoint {
  readonly lat: number;
  readonly lon: number;
}

/** What every node shows. Its own fields stand beside these. */
export interface NodeBase {
  readonly UID: UID;
  readonly Type: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly Timestamp: string;
  /** The key, when the node has one. */
  readonly Id?: string;
}

/** The node types of this workspace by name. */
export interface NodeTypes {}

/** The edge types of this workspace by name, each with the fields its edges may carry. */
export interface EdgeTypes {}

/** The name of a node type. */
export type NodeTypeName = keyof NodeTypes & string;

/** The name of an edge type. */
export type EdgeTypeName = keyof EdgeTypes & string;

/** The name of a node type that code may write: the server's own types begin with an underscore. */
export type WritableNodeTypeName = Exclude<NodeTypeName, `_${string}`>;

/** The name of an edge type that code may write. */
export type WritableEdgeTypeName = Exclude<
  EdgeTypeName,
  `_${string}` | `RestrictAccessTo${string}`
>;

/**
 * A node of one type; of any type when none is named: then look at `Type` before you read its own
 * fields.
 */
export type NodeOf<T extends NodeTypeName = NodeTypeName> = NodeTypes[T];

/** The fields of a node type, as they are written. A field that is null is removed. */
export type FieldsOf<T extends NodeTypeName> = {
  readonly [F in Exclude<keyof NodeTypes[T], keyof NodeBase>]?: NodeTypes[T][F] | null;
};

/** The name of a field of a node; `UID`, `Timestamp` and `Id` are among them. */
export type FieldName<N> = N extends unknown ? Exclude<keyof N, 'Type'> & string : never;

/** The value of a field of a node. */
export type FieldValue<N, F extends string> = N extends { readonly [name in F]?: infer V }
  ? V
  : never;

/** An edge: from one node to another, with its own fields beside these. */
export interface Edge {
  readonly type: EdgeTypeName;
  readonly from: UID;
  readonly to: UID;
  /** ISO 8601 UTC with milliseconds. */
  readonly timestamp: string;
  readonly [field: string]: unknown;
}

/** Names one node: its UID, the node itself, or its type and key. */
export type NodeReference<T extends NodeTypeName = NodeTypeName> =
  | UID
  | { readonly UID: UID }
  | { readonly uid: UID }
  | { readonly type: T; readonly key: string };
