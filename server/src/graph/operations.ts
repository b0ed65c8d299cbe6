import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { FieldValue } from './field-types.ts';

/** A node by its UID, or by its type and key. */
export type NodeReference =
  | { readonly uid: string; readonly type?: undefined; readonly key?: undefined }
  | { readonly type: string; readonly key: string; readonly uid?: undefined };

/** The operations of ingestion and of endpoint code (open-shapes, section 4). */
export type WriterOperation =
  | NodeWrite
  | {
      readonly op: 'delete';
      readonly uid?: string;
      readonly type?: string;
      readonly key?: string;
      readonly ifVersion?: number;
    }
  | {
      readonly op: 'link';
      readonly from: NodeReference;
      readonly edge: string;
      readonly to: NodeReference;
      readonly inverse?: string;
      readonly fields?: Readonly<Record<string, FieldValue>>;
      readonly timestamp?: string | number;
    }
  | {
      readonly op: 'unlink';
      readonly from: NodeReference;
      readonly edge: string;
      readonly to: NodeReference;
      readonly inverse?: string;
    }
  | {
      readonly op: 'unlinkExcept';
      readonly from: NodeReference;
      readonly edge: string;
      readonly keep: readonly NodeReference[];
      readonly inverse?: string;
    }
  | RestrictionOperation
  | MembershipOperation;

/** Only commits with `accessControl` or `system` hold these, and those on members of teams. */
export interface RestrictionOperation {
  /**
   * `restrict` names a team, a user, or both: either of the two edges lets see the node.
   * `unrestrict` removes what it names, and with neither every restriction of the node.
   */
  readonly op: 'restrict' | 'unrestrict';
  readonly node: NodeReference;
  readonly team?: NodeReference;
  readonly user?: NodeReference;
}

export interface MembershipOperation {
  /** Names either `user`, or `member`, which may be a user or a team. */
  readonly op: 'addToTeam' | 'removeFromTeam';
  readonly team: NodeReference;
  readonly user?: NodeReference;
  readonly member?: NodeReference;
}

export interface NodeWrite {
  /**
   * addOrUpdate: create, or overwrite the given fields. tryAdd: leave an existing one alone.
   * update: it must exist.
   */
  readonly op: 'addOrUpdate' | 'tryAdd' | 'update';
  readonly type?: string;
  readonly key?: string;
  readonly uid?: string;
  /** A field that is null is removed. */
  readonly fields?: Readonly<Record<string, FieldValue>>;
  /** ISO 8601, or milliseconds since the Unix epoch. */
  readonly timestamp?: string | number;
  readonly aliases?: readonly string[];
  /**
   * Optimistic: the commit is refused with `version_conflict` unless the node is at this version; 0
   * means it must not exist.
   */
  readonly ifVersion?: number;
}

export interface AccessControl {
  /**
   * The server's own operation that goes into a commit which uses this right: what keeps trace of
   * it.
   */
  readonly trace: WriterOperation;
}

/** In whose name operations are written, and with which rights. */
export interface CommitAuthor {
  /** The UID of the user; left out where there is none. The history of nodes tells it. */
  readonly user?: string | undefined;
  /**
   * The caller may change who may see what: by the operations for it, by linking and unlinking the
   * edges RestrictAccessToTeam, RestrictAccessToUser, _MemberOf and _Owns, and by writing teams.
   * Without this (and without `system`) they are refused with `forbidden`.
   */
  readonly accessControl?: AccessControl | undefined;
}

/** A step of the work on indexes; one commit each. Only the server itself asks for it. */
export type IndexWork =
  /**
   * Adds entries of the next `INDEX_BUILD_NODES` nodes, newest first, and declares the index ready
   * after the last one. It goes on where the last step ended; with `after`, a cursor that a step
   * answered, from there, and then the index does not get ready.
   */
  | { readonly build: number; readonly after?: string }
  /** Takes an index out of the schema, by its fields or its number. Throws `index_not_found`. */
  | { readonly remove: { readonly type: string; readonly fields: readonly string[] } | number }
  /** Deletes up to `INDEX_REMOVE_ENTRIES` entries of an index that was taken out. */
  | { readonly clear: number };

export interface IndexProgress {
  /** Nodes that were looked at, or entries that were deleted. */
  readonly count: number;
  readonly isDone: boolean;
  /** UIDs of nodes whose value another one has, in a unique index. */
  readonly offenders: readonly string[];
  /** Where the next step goes on. Base64. */
  readonly cursor?: string;
}

/** One atomic commit, as any thread hands it to the writer. */
export interface CommitRequest extends CommitAuthor {
  readonly operations: readonly WriterOperation[];
  /**
   * Adds and widens, before the operations; refused with `schema_conflict` when it would lose data.
   */
  readonly schema?: SchemaDocument;
  /**
   * Records of the vault, null to delete: they travel with the operations so that both happen or
   * neither. Base64.
   */
  readonly vault?: readonly { readonly key: string; readonly value: string | null }[];
  /**
   * System types (leading underscore) are written by the server itself only, never by a caller's
   * operations.
   */
  readonly system?: boolean;
  /** After the operations. */
  readonly indexWork?: IndexWork;
}

export interface CommitResult {
  readonly sequence: number;
  /** Nodes created, changed or deleted; edges likewise. */
  readonly nodes: number;
  readonly edges: number;
  /**
   * One for each operation: the UID of the node it wrote, null for edges; and whether something
   * changed.
   */
  readonly outcomes: readonly { readonly uid: string | null; readonly changed: boolean }[];
  /** How far the work on indexes is, where some was asked for. */
  readonly indexes?: IndexProgress;
}

/** The way to the writer, from any thread. */
export interface CommitPort {
  commit(request: CommitRequest): Promise<CommitResult>;
}
