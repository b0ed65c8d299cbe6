import type {
  FieldsOf,
  Json,
  NodeReference,
  UID,
  WritableEdgeTypeName,
  WritableNodeTypeName,
} from './nodes.ts';

/** What a write did. */
export interface WriteOutcome {
  /** The node that was written; null for edges. */
  readonly UID: UID | null;
  /** False when everything was as asked already. */
  readonly changed: boolean;
}

export interface IfVersion {
  /**
   * Refuses the write with `version_conflict` unless the node is at this version, as
   * `graph.version()` tells it; 0: it must not exist.
   */
  readonly ifVersion?: number;
}

export interface NodeOptions extends IfVersion {
  /** ISO 8601, or milliseconds since 1970 UTC. */
  readonly timestamp?: string | number;
  /** Other names of the node, kept with it. Nodes are not looked up by them. */
  readonly aliases?: readonly string[];
}

/** A node to write, by type and key; without a key it is a new one. */
export interface NodeByKey<T extends WritableNodeTypeName> extends NodeOptions {
  readonly type: T;
  readonly key?: string;
  readonly fields?: FieldsOf<T>;
}

/** A node to write, by its UID. */
export interface NodeByUid extends NodeOptions {
  readonly uid: UID;
  readonly fields?: { readonly [field: string]: Json };
}

/** `ifVersion` is of the node that the edge begins at. */
export interface EdgeOptions extends IfVersion {
  /** The edge type of the way back, when it has one of its own. */
  readonly inverse?: WritableEdgeTypeName;
  readonly fields?: { readonly [field: string]: Json };
  /** ISO 8601, or milliseconds since 1970 UTC. */
  readonly timestamp?: string | number;
}

export interface EdgeToWrite extends EdgeOptions {
  readonly from: NodeReference;
  readonly edge: WritableEdgeTypeName;
  readonly to: NodeReference;
}

/** Whom a restriction lets see a node: a team with all who are in it, a user, or both. */
export type Readers =
  | { readonly team: NodeReference; readonly user?: NodeReference }
  | { readonly user: NodeReference; readonly team?: NodeReference };

/** The writes, each answering with `Result`. */
export interface Writes<Result> {
  /** Creates the node, or overwrites the given fields. */
  addOrUpdate<T extends WritableNodeTypeName>(
    type: T,
    key: string,
    fields?: FieldsOf<T>,
    options?: NodeOptions,
  ): Result;
  addOrUpdate<T extends WritableNodeTypeName>(node: NodeByKey<T> | NodeByUid): Result;
  /** Creates the node; an existing one is left alone. */
  tryAdd<T extends WritableNodeTypeName>(
    type: T,
    key: string,
    fields?: FieldsOf<T>,
    options?: NodeOptions,
  ): Result;
  tryAdd<T extends WritableNodeTypeName>(node: NodeByKey<T>): Result;
  /** Overwrites the given fields of a node that exists. */
  update<T extends WritableNodeTypeName>(
    type: T,
    key: string,
    fields: FieldsOf<T>,
    options?: NodeOptions,
  ): Result;
  update<T extends WritableNodeTypeName>(node: NodeByKey<T> | NodeByUid): Result;
  /** Deletes the node with its edges. */
  delete<T extends WritableNodeTypeName>(type: T, key: string, options?: IfVersion): Result;
  delete(node: NodeReference, options?: IfVersion): Result;
  /** Makes an edge of this type from one node to another, once. */
  link(
    from: NodeReference,
    edge: WritableEdgeTypeName,
    to: NodeReference,
    options?: EdgeOptions,
  ): Result;
  link(edge: EdgeToWrite): Result;
  /** Removes it. */
  unlink(
    from: NodeReference,
    edge: WritableEdgeTypeName,
    to: NodeReference,
    options?: IfVersion & { readonly inverse?: WritableEdgeTypeName },
  ): Result;
  unlink(edge: EdgeToWrite): Result;
  /**
   * Lets these readers see the node, and nobody else but its owners, administrators, and those that
   * other restrictions name.
   */
  restrict(node: NodeReference, to: Readers, options?: IfVersion): Result;
  /**
   * Removes what `restrict` made, of all readers when none are named. A node without any
   * restriction is for everyone whom its type is for.
   */
  unrestrict(node: NodeReference, to?: Readers, options?: IfVersion): Result;
}

/**
 * All writes of a call, and of the endpoints that it runs, become one commit when it has answered:
 * when it throws, takes too long, is cancelled or answers with a status from 400 up, nothing is
 * written. `graph` shows them at once; `q()` and searches show the graph without them.
 *
 * Where others have changed meanwhile what the call has read, it is run again; after it has called
 * something outside, it is refused with `write_conflict`.
 */
export interface GraphWrites extends Writes<Promise<WriteOutcome>> {
  /**
   * Commits what was written so far, in the middle of long work: it stays whatever comes after.
   * Later reads show the graph as it is then. Throws `write_conflict` when others have changed what
   * was read; then nothing of it is written.
   */
  commit(): Promise<void>;
  /**
   * Collects writes and makes them together when the function returns: all of them happen, or none.
   * When the function throws, nothing happens. Reads within it show the graph as it was before.
   */
  transaction<R>(collect: (transaction: Transaction) => R | Promise<R>): Promise<R>;
}

/** Writes that are made together, in order. */
export type Transaction = Writes<void>;
