import type { NodeReference } from './operations.ts';
import type { SchemaDocument } from './schema.ts';

/**
 * A node as it leaves the process (open-shapes, section 2): flat; `Id` is its key when it has one.
 */
export interface NodeObject {
  readonly UID: string;
  readonly Type: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly Timestamp: string;
  readonly Id?: string;
  readonly [field: string]: unknown;
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
 * Reads of the graph at one commit. Synchronous, in any thread; what one JavaScript turn reads
 * belongs to one commit, and `refresh` moves on to the newest. Ids are dense numbers inside the
 * process: they never leave it.
 */
export interface GraphReader extends Disposable {
  refresh(): number;
  readonly sequence: number;
  /** Read from the state once, and again only when a commit changed it. */
  schema(): SchemaDocument;
  id(reference: NodeReference): number | undefined;
  uid(id: number): string | undefined;
  typeOf(id: number): string | undefined;
  /** Starts at 1 and rises by 1 with every change of the node. */
  version(id: number): number | undefined;
  node(id: number): NodeObject | undefined;
  /** One field, without decoding the rest; undefined when it has none. */
  field(id: number, name: string): unknown;
  /** Newest first. */
  idsOfType(type: string, page?: { readonly skip?: number; readonly take?: number }): number[];
  countOfType(type: string): number;
  /**
   * Neighbours in one direction, by edge type when given, once for each edge; in the order (edge
   * type, id).
   */
  neighbors(id: number, direction: 'out' | 'in', edge?: string): number[];
  edges(id: number, direction: 'out' | 'in', edge?: string): EdgeObject[];
}

/** What one reader may see; `access` implements it, the query obeys it. */
export interface Visibility {
  canSee(id: number): boolean;
  /** The node as this reader may see it: fields withheld are absent. */
  present(id: number, node: NodeObject): NodeObject;
}
