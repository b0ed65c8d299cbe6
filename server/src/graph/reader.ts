import type { SchemaAlias, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import type { AccessEdge } from './access-edges.ts';
import type { NodeColumns } from './node-columns.ts';
import type { NodeRows, ReadsField } from './node-rows.ts';
import type { NodeReference } from './operations.ts';

/**
 * A value in the history of a node. For a value that is too large to be kept, only its encoded size
 * in `bytes`.
 */
export type PastValue =
  | { readonly value: unknown; readonly bytes?: undefined }
  | { readonly value?: undefined; readonly bytes: number };

/** The value of a field before a change; undefined when the node had none. */
export interface FieldBefore {
  readonly field: string;
  readonly value: PastValue | undefined;
}

/** One change of a node, described by the values of the version before it. */
export interface NodeChange {
  /** The version that the change made. */
  readonly version: number;
  /** The sequence of one of the operations of its commit. */
  readonly sequence: number;
  /** When it was made: ISO 8601 UTC with milliseconds. */
  readonly timestamp: string;
  /** The UID of the user who made it; null when the commit had no user. */
  readonly user: string | null;
  /** The timestamp of the node first, then the fields in the order of the schema. */
  readonly before: readonly FieldBefore[];
}

/**
 * The history of a node. It reaches back to the first version when there is a change for each
 * version except the first.
 */
export interface NodeHistory {
  /** The present version of the node. */
  readonly version: number;
  /** The fields, and the timestamp, as they are now. */
  readonly present: ReadonlyMap<string, PastValue>;
  /** Newest first, without gaps. */
  readonly changes: readonly NodeChange[];
}

/** A field index and how far its build is (open-shapes, section 9). */
export interface IndexState {
  readonly number: number;
  readonly type: string;
  /** The names of the indexed fields, in order. */
  readonly fields: readonly string[];
  readonly unique: boolean;
  readonly isReady: boolean;
  /** The number of entries that it holds. */
  readonly entries: number;
}

export interface TypePage {
  readonly skip?: number;
  readonly take?: number;
  readonly oldestFirst?: boolean;
}

/**
 * A walk through the nodes of one type, newest first. It continues at its place when the reader
 * moves to another commit. It misses no node that exists all the time and keeps its timestamp.
 */
export interface TypeWalk {
  /** Returns up to `take` more ids. Fewer mean that the walk is at its end. */
  next(take: number): number[];
}

/** An edge as it leaves the process. */
export interface EdgeObject {
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly timestamp: string;
  readonly [field: string]: unknown;
}

/**
 * Reads the graph at one commit, synchronously, in any thread. All reads of one JavaScript turn
 * show the same commit; `refresh` moves to the newest. Ids are dense numbers that never leave the
 * process.
 */
export interface GraphReader extends Disposable {
  refresh(): number;
  readonly sequence: number;
  /** The id of the next new node: all that exist have lower ones, beginning at 1. */
  readonly nextId: number;
  /** The schema. It is the same object until a commit changes the schema. */
  schema(): SchemaDocument;
  /** Former names that reads still take. */
  schemaAliases(): readonly SchemaAlias[];
  /** The present name of a type that is named by a former one; else what was given. */
  typeNamed(name: string): string;
  /** Another text whenever other types of nodes are hidden because they were dropped. */
  readonly hiddenTypes: string;
  /** The field indexes of all types. */
  indexes(): readonly IndexState[];
  /** Numbers of removed indexes whose entries are not all deleted yet. */
  indexesBeingRemoved(): readonly number[];
  id(reference: NodeReference): number | undefined;
  /** The UID that a reference names; a text that is none where no node can have it. */
  uidOf(reference: NodeReference): string;
  uid(id: number): string | undefined;
  typeOf(id: number): string | undefined;
  /** Starts at 1 and rises by 1 with every change of the node. */
  version(id: number): number | undefined;
  /** Names that other systems give it, which the node itself does not show. */
  aliases(id: number): readonly string[];
  node(id: number): NodeObject | undefined;
  /** A node by a record that a merge keeps of it: see `MergeData`. */
  nodeOfRecord(record: string): NodeObject;
  /** The value of one field, without decoding the others; undefined when the node has none. */
  field(id: number, name: string): unknown;
  /** The values of several fields, in their order, and the type of the node. */
  fields(
    id: number,
    names: readonly string[],
  ): { readonly type: string; readonly values: readonly unknown[] } | undefined;
  /** The history of a node; undefined when there is no such node, and for nodes of system types. */
  history(id: number): NodeHistory | undefined;
  /** The ids of the nodes of a type, newest first unless `page` says otherwise. */
  idsOfType(type: string, page?: TypePage): number[];
  walkType(type: string): TypeWalk;
  countOfType(type: string): number;
  /** The number of edges of a type. An inverse counts as a separate edge, of its own type. */
  countOfEdgeType(type: string): number;
  /**
   * Adds the edges of nodes of a type by the name of the edge type, each once, also where both ends
   * are of the type.
   */
  countEdgesOf(type: string, ids: readonly number[], into: Map<string, number>): void;
  /**
   * The neighbours in one direction, once for each edge, ordered by (edge type, id). With `edge`,
   * only those along this type.
   */
  neighbors(id: number, direction: 'out' | 'in', edge?: string): number[];
  /** Where the edges of a node lead, and the name of the type of each, by place. */
  outgoing(id: number): { readonly to: readonly number[]; readonly types: readonly string[] };
  edges(id: number, direction: 'out' | 'in', edge?: string): EdgeObject[];
  /**
   * The edge of a type from one node to another. The UIDs of the ends may be passed when they are
   * known.
   */
  edgeBetween(
    from: number,
    type: string,
    to: number,
    fromUid?: string,
    toUid?: string,
  ): EdgeObject | undefined;
  /** The number of edges of a node, in both directions together. */
  degree(id: number): number;
  /** What is known of nodes without reading them, in this turn; undefined where nothing is. */
  columns(): NodeColumns | undefined;
  /**
   * Adds the row of a node; false when there is no such node. `reads` must not read from the graph.
   */
  writeRow(id: number, rows: NodeRows, edgeCount: number, reads?: ReadsField): boolean;
  /**
   * The access edges that commits after `sequence` wrote or removed, up to the commit of this
   * reader. They are in the order of the commits, with at least one entry for each edge and commit.
   * Undefined when the journal does not reach back that far: then the caller must read all edges
   * again.
   */
  accessChangesSince(sequence: number): readonly AccessChange[] | undefined;
}

/**
 * An edge that decides who may see what, and that was written or removed. Inverse edges are left
 * out.
 */
export interface AccessChange {
  readonly edge: AccessEdge;
  readonly from: number;
  readonly to: number;
}

/** What one reader may see. The part `access` implements it; queries apply it. */
export interface Visibility {
  /** `type` is the type of the node, when the caller knows it already. */
  canSee(id: number, type?: string): boolean;
  /** The number of nodes of a type that the reader cannot see. */
  hiddenOfType(type: string): number;
  /**
   * Whether nodes of a type may be hidden, without counting them. It may be true when none is
   * hidden. Deleted nodes count as hidden, since an index may still have them.
   */
  mayHideOfType(type: string): boolean;
  /**
   * A text that changes when this reader sees other nodes of these types than before, or may read
   * other fields of them, without a change of the nodes themselves. Undefined for a reader who sees
   * everything.
   */
  sightOf(types: readonly string[]): string | undefined;
  /**
   * Whether the reader may see edges of a type. Other edges are not shown, not followed and not
   * counted.
   */
  canSeeEdge(type: string): boolean;
  /**
   * Whether fields of nodes of this type may be withheld. When not, `canReadField` need not be
   * called.
   */
  withholdsFields(type: string): boolean;
  /**
   * Whether the reader may read a field of a node. A field that may not be read counts as absent in
   * filters, orders and groups, as in `present`.
   */
  canReadField(id: number, field: string): boolean;
  /**
   * Whether the reader may read the field of every node of a type: false when it is withheld for
   * some.
   */
  canReadFieldOfType(type: string, field: string): boolean;
  /** The node as this reader may see it, without the fields that are withheld. */
  present(id: number, node: NodeObject): NodeObject;
}
