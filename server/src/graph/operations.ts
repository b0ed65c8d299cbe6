import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { ProblemMessage } from '#base/problem.ts';
import type { FieldValue } from './field-types.ts';
import type { SchemaEdits } from './schema-edits.ts';
import type { ReadKeys } from './transactions/read-set.ts';

/** A node by its UID, alone or in an object, or by its type and key. */
export type NodeReference =
  | string
  | { readonly uid: string; readonly type?: undefined; readonly key?: undefined }
  | { readonly type: string; readonly key: string; readonly uid?: undefined };

/**
 * The operations of ingestion and of endpoint code (open-shapes, section 4). `ifVersion` is of the
 * node that is written: of an edge that of its `from`, of a restriction its `node`, of a membership
 * its `team`.
 */
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
      readonly ifVersion?: number;
    }
  | {
      readonly op: 'unlink';
      readonly from: NodeReference;
      readonly edge: string;
      readonly to: NodeReference;
      readonly inverse?: string;
      readonly ifVersion?: number;
    }
  | {
      readonly op: 'unlinkExcept';
      readonly from: NodeReference;
      readonly edge: string;
      readonly keep: readonly NodeReference[];
      readonly inverse?: string;
      readonly ifVersion?: number;
    }
  | RestrictionOperation
  | MembershipOperation;

/**
 * Only commits with `accessControl` or `system` may hold these operations and those on members of
 * teams.
 */
export interface RestrictionOperation {
  /**
   * `restrict` names a team, a user, or both; each may then see the node. `unrestrict` removes the
   * restrictions that it names. When it names neither, it removes all restrictions of the node.
   */
  readonly op: 'restrict' | 'unrestrict';
  readonly node: NodeReference;
  readonly team?: NodeReference;
  readonly user?: NodeReference;
  readonly ifVersion?: number;
}

export interface MembershipOperation {
  /** The operation has either `user`, or `member`, which may be a user or a team. */
  readonly op: 'addToTeam' | 'removeFromTeam';
  readonly team: NodeReference;
  readonly user?: NodeReference;
  readonly member?: NodeReference;
  readonly ifVersion?: number;
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
  /** A field whose value is null is removed. */
  readonly fields?: Readonly<Record<string, FieldValue>>;
  /** ISO 8601, or milliseconds since the Unix epoch. */
  readonly timestamp?: string | number;
  readonly aliases?: readonly string[];
  /**
   * For optimistic concurrency: the commit is refused with `version_conflict` unless the node has
   * this version. 0: the node must not exist.
   */
  readonly ifVersion?: number;
}

export interface AccessControl {
  /**
   * An operation of the server that records the use of this right, such as an audit event. It is
   * added to a commit that uses the right.
   */
  readonly trace: WriterOperation;
}

export interface NamesRecords {
  /** As that of `AccessControl`, added to a commit that splits a node. */
  readonly trace: WriterOperation;
}

export interface OwnRights {
  /** As that of `AccessControl`, added to a commit that changes something. */
  readonly trace: WriterOperation;
}

/** Who writes operations, and with which rights. */
export interface CommitAuthor {
  /** The UID of the user, which the history of nodes shows; absent when there is no user. */
  readonly user?: string | undefined;
  /**
   * The caller may change who may see what: with `restrict`, `unrestrict`, `addToTeam` and
   * `removeFromTeam`, by linking and unlinking the edges RestrictAccessToTeam,
   * RestrictAccessToUser, _MemberOf and _Owns, and by writing teams. Without this (and without
   * `system`) such operations are refused with `forbidden`.
   */
  readonly accessControl?: AccessControl | undefined;
  /**
   * The commit may write only what `user` may write when it is built (see `writer-rights.ts`). The
   * UID of a node that it adds is chosen by the server, or follows from the key.
   */
  readonly ownRights?: OwnRights | undefined;
  /**
   * The author tells of records of a source, by the names that these have there. So of a node that
   * was merged of several, a `delete` means the one that it names (see `delete-half.ts`).
   */
  readonly namesRecords?: NamesRecords | undefined;
  /**
   * The endpoints that changes ran by themselves, one after the other, until the last one makes
   * this commit; absent when the commit has another cause. The log keeps them, the state does not.
   */
  readonly triggers?: readonly string[] | undefined;
}

/** Two nodes that become one: see `merge-nodes.ts`. Only the server itself asks for it. */
export interface MergeWork {
  /** Made by who asks; a split names it. */
  readonly id: string;
  /** UIDs of the node that stays, and of the one that goes. */
  readonly into: string;
  readonly node: string;
  /** Values of the node that stays, in place of its own; null removes one. */
  readonly fields?: Readonly<Record<string, FieldValue>> | undefined;
  /** As `ifVersion` of operations. */
  readonly intoVersion?: number | undefined;
  readonly nodeVersion?: number | undefined;
  /** The UID of who asked for it; absent when a rule did. */
  readonly by?: string | undefined;
}

/** A merge that is taken back: see `split-nodes.ts`. Only the server itself asks for it. */
export interface SplitWork {
  readonly id: string;
}

/** One step of the work on indexes; each step is one commit. Only the server itself asks for it. */
export type IndexWork =
  /**
   * Adds the entries of the next `INDEX_BUILD_NODES` nodes, newest first, and marks the index as
   * ready after the last one. It continues where the last step ended, with other indexes of the
   * type that are as far. With `after`, the cursor of an earlier step, it continues from there, and
   * does not mark the index as ready.
   */
  | { readonly build: number; readonly after?: string }
  /** Removes an index from the schema, by its fields or its number. Throws `index_not_found`. */
  | { readonly remove: { readonly type: string; readonly fields: readonly string[] } | number }
  /** Deletes up to `INDEX_REMOVE_ENTRIES` entries of an index that was removed from the schema. */
  | { readonly clear: number };

export interface IndexProgress {
  /** The number of nodes that were read, or of entries that were deleted. */
  readonly count: number;
  readonly isDone: boolean;
  /** For a unique index: UIDs of nodes whose value another node has too. */
  readonly offenders: readonly string[];
  /** Where the next step continues. Base64. */
  readonly cursor?: string;
}

/** One atomic commit, as any thread sends it to the writer. */
export interface CommitRequest extends CommitAuthor {
  readonly operations: readonly WriterOperation[];
  /**
   * The commit is refused with `version_conflict` unless each of these nodes is at its version,
   * whatever the operations are. `details` have the UID.
   */
  readonly expected?: readonly { readonly uid: string; readonly version: number }[] | undefined;
  /**
   * Types and fields to add or widen, before the operations. Refused with `schema_conflict` when
   * data would be lost.
   */
  readonly schema?: SchemaDocument;
  /** Changes of the schema, after `schema` and before the operations, which see it changed. */
  readonly edits?: SchemaEdits;
  /**
   * Records of the vault, in base64; the value null deletes one. They are in the same commit as the
   * operations, so that both happen or neither.
   */
  readonly vault?: readonly { readonly key: string; readonly value: string | null }[];
  /**
   * True for commits of the server itself: only these may write system types (with a leading
   * underscore).
   */
  readonly system?: boolean;
  /**
   * `unlink` names records: where one of them is a part of a merged node, the other records of that
   * keep their own edges.
   */
  readonly ofRecords?: boolean;
  /** Nodes that become one, and one that becomes two again; done after the operations. */
  readonly merges?: readonly MergeWork[];
  readonly split?: SplitWork;
  /** Work on an index, done after the operations. */
  readonly indexWork?: IndexWork;
  /**
   * The commit is refused with `write_conflict` when others have changed what its author has read,
   * or when an operation does something else than its author was told. `details.place` names what
   * was changed.
   */
  readonly sight?: TransactionSight | undefined;
}

/** What a transaction has seen, for the writer to compare with what there is now. */
export interface TransactionSight {
  /** The commit that it has read. */
  readonly sequence: number;
  readonly reads: ReadKeys;
  /** For each operation what it did on top of that commit, as its author was told. */
  readonly outcomes: readonly ForeseenOutcome[];
}

export interface ForeseenOutcome {
  readonly uid: string | null;
  readonly changed: boolean;
  /** The timestamp of a node that the operation adds, in milliseconds. */
  readonly timestampMs?: number | undefined;
}

export interface CommitResult {
  readonly sequence: number;
  /** The number of nodes that were created, changed or deleted; `edges` is the same for edges. */
  readonly nodes: number;
  /** How many of them are new. */
  readonly created: number;
  readonly edges: number;
  /** The number of nodes that were split off from merged ones, to be deleted alone. */
  readonly splits: number;
  /**
   * One for each operation: the UID of the node that it wrote (null for edges), and whether
   * something changed.
   */
  readonly outcomes: readonly { readonly uid: string | null; readonly changed: boolean }[];
  /** The result of `indexWork`; absent when the request had none. */
  readonly indexes?: IndexProgress;
}

/** What has come of one commit of a line. */
export type LineOutcome = Pick<CommitResult, 'sequence'> | { readonly problem: ProblemMessage };

/** Sends commits to the writer, from any thread. */
export interface CommitPort {
  commit(request: CommitRequest): Promise<CommitResult>;
  /**
   * Makes a commit of each of these transactions, one directly after the other. They have read the
   * same commit, and each has also seen what those before it have written. So when one is refused,
   * those behind it are refused with `write_conflict` and the place `BEHIND`. It resolves when all
   * that were made are durable. Not there where nobody writes.
   */
  readonly commitLine?:
    | ((requests: readonly CommitRequest[]) => Promise<readonly LineOutcome[]>)
    | undefined;
}

/** The place of a conflict of transactions that have seen what was refused. */
export const BEHIND = 'behind';
