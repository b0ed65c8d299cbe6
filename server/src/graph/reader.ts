import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import type { NodeReference } from './operations.ts';

/**
 * A value as the history of a node tells it: `bytes` alone, encoded, where it is too large to be
 * told.
 */
export type PastValue =
  | { readonly value: unknown; readonly bytes?: undefined }
  | { readonly value?: undefined; readonly bytes: number };

/** What a field held before a change wrote it; undefined where the node had none. */
export interface FieldBefore {
  readonly field: string;
  readonly value: PastValue | undefined;
}

/** One change of a node, by what it left of the version before. */
export interface NodeChange {
  /** That it made. */
  readonly version: number;
  /** The sequence of an operation within its commit. */
  readonly sequence: number;
  /** When it was made: ISO 8601 UTC with milliseconds. */
  readonly timestamp: string;
  /** The UID of the user who made it; null where the commit did not know one. */
  readonly user: string | null;
  /** In the order of the schema, after the node's timestamp. */
  readonly before: readonly FieldBefore[];
}

/** It reaches back to the first version when there is a change for each version but that one. */
export interface NodeHistory {
  /** The present one. */
  readonly version: number;
  /** The fields, and the timestamp, as they are now. */
  readonly present: ReadonlyMap<string, PastValue>;
  /** Newest first, without a gap. */
  readonly changes: readonly NodeChange[];
}

/** A field index, as far as it is (open-shapes, section 9). */
export interface IndexState {
  readonly number: number;
  readonly type: string;
  /** Their names, in order. */
  readonly fields: readonly string[];
  readonly unique: boolean;
  readonly isReady: boolean;
  /** How many values it holds. */
  readonly entries: number;
}

export interface TypePage {
  readonly skip?: number;
  readonly take?: number;
  readonly oldestFirst?: boolean;
}

/**
 * A walk through the nodes of one type, newest first, that goes on where it was when the reader has
 * moved to another commit meanwhile: of nodes that were there all the time, it misses none whose
 * timestamp stayed as it was.
 */
export interface TypeWalk {
  /** Up to `take` more ids; fewer only at the end, and then it is over. */
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
 * Reads of the graph at one commit. Synchronous, in any thread; what one JavaScript turn reads
 * belongs to one commit, and `refresh` moves on to the newest. Ids are dense numbers inside the
 * process: they never leave it.
 */
export interface GraphReader extends Disposable {
  refresh(): number;
  readonly sequence: number;
  /**
   * Read from the state once, and again only when a commit changed it: until then it is the same
   * object.
   */
  schema(): SchemaDocument;
  /** The field indexes of all types. */
  indexes(): readonly IndexState[];
  /** Numbers of removed indexes whose entries are not all deleted yet. */
  indexesBeingRemoved(): readonly number[];
  id(reference: NodeReference): number | undefined;
  uid(id: number): string | undefined;
  typeOf(id: number): string | undefined;
  /** Starts at 1 and rises by 1 with every change of the node. */
  version(id: number): number | undefined;
  node(id: number): NodeObject | undefined;
  /** One field, without decoding the rest; undefined when it has none. */
  field(id: number, name: string): unknown;
  /** The same for several, in their order, and the type. */
  fields(
    id: number,
    names: readonly string[],
  ): { readonly type: string; readonly values: readonly unknown[] } | undefined;
  /**
   * What is known of its past; undefined where there is no such node, and for nodes of system
   * types.
   */
  history(id: number): NodeHistory | undefined;
  /** Newest first, unless asked for otherwise. */
  idsOfType(type: string, page?: TypePage): number[];
  walkType(type: string): TypeWalk;
  countOfType(type: string): number;
  /** Counts edges; an inverse is an edge of its own. */
  countOfEdgeType(type: string): number;
  /**
   * Neighbours in one direction, by edge type when given, once for each edge; in the order (edge
   * type, id).
   */
  neighbors(id: number, direction: 'out' | 'in', edge?: string): number[];
  edges(id: number, direction: 'out' | 'in', edge?: string): EdgeObject[];
  /**
   * The access edges that commits after `sequence`, up to the one this reader stands at, wrote or
   * removed; in their order, one entry for each edge and commit at least. Undefined when that is
   * too long ago to be known: then everything has to be read anew.
   */
  accessChangesSince(sequence: number): readonly AccessChange[] | undefined;
}

/**
 * An edge that decides who may see what, as it was written or removed. Inverse edges are not told.
 */
export interface AccessChange {
  readonly edge: 'RestrictAccessToTeam' | 'RestrictAccessToUser' | '_MemberOf' | '_Owns';
  readonly from: number;
  readonly to: number;
}

/** What one reader may see; `access` implements it, the query obeys it. */
export interface Visibility {
  /** `type` is that of the node, when it is known already. */
  canSee(id: number, type?: string): boolean;
  /** How many nodes of a type cannot be seen. */
  hiddenOfType(type: string): number;
  /**
   * Whether any may be hidden, without counting them: it may say so where none is. Deleted ones
   * count, which an index may still have.
   */
  mayHideOfType(type: string): boolean;
  /**
   * Another text when this reader sees other nodes of these types than before, or may read other
   * fields, as long as the nodes themselves stay as they are; undefined for one who sees
   * everything.
   */
  sightOf(types: readonly string[]): string | undefined;
  /** Edges of the other types are not shown, not followed and not counted. */
  canSeeEdge(type: string): boolean;
  /**
   * Whether any field of nodes of this type may be withheld: when not, `canReadField` need not be
   * asked.
   */
  withholdsFields(type: string): boolean;
  /**
   * A field that may not be read is as absent to filters, order and groups as it is to `present`.
   */
  canReadField(id: number, field: string): boolean;
  /** The same of every node of a type: false when it is withheld of some. */
  canReadFieldOfType(type: string, field: string): boolean;
  /** The node as this reader may see it: fields withheld are absent. */
  present(id: number, node: NodeObject): NodeObject;
}
