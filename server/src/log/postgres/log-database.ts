import type { LogManifest } from '../log-manifest.ts';

/**
 * The commit log in PostgreSQL, for workspaces that must outlive a machine (design, section 7;
 * decision 0029). Several processes, the members, use one log. One of them holds the lease: it is
 * the primary and appends. Each workspace has a schema with five tables:
 *
 *     manifest   one row: the workspace's name, and what `log.json` of a folder holds
 *     lease      one row: term (the primary key), holder, expires_at
 *     member     one row for each: its name, address, role, applied sequence, and when it was seen
 *     segment    first (the primary key), header
 *     record     first and chunk (the primary key), last, time, term, body
 *
 * The bodies, one after the other, are the bytes of segment files: the same headers, records,
 * checksums and encryption. A row is a group of commits that became durable together, or a part of
 * it: chunks have at most CHUNK_BYTES_MAX.
 *
 * What keeps two members from appending, whatever their clocks say:
 *
 * - An append is one transaction. It locks the lease's row by `for key share`, where term and
 *   holder are those of the member. Whoever takes the lease changes the term, which is the key, so
 *   it waits for the end of that transaction; an append that comes later finds another term. A
 *   renewal changes no key, so it and appends do not wait for each other.
 * - A group begins where the last one ended, and its first sequence is the primary key. A member
 *   that has not read the newest group cannot append after it.
 *
 * When the connection breaks during an append, nobody knows whether it was committed, or will be.
 * The member then settles it: one transaction raises the term, and after that reads whether the
 * group is there. To raise the term waits for an append that has begun, and refuses one that begins
 * later. The reading alone would not do: the append may be on its way still. Until that transaction
 * is known to be committed, nothing is appended, and nobody is told anything.
 *
 * What a transaction has read that writes and is known to be committed is durable on the standby.
 * What others read may be lost: PostgreSQL shows a commit that its standby does not have when an
 * administrator ends the wait.
 */
export interface LogDatabase extends LeaseDatabase {
  /** What messages call it: the workspace and the address, without a password. */
  readonly place: string;

  readManifest(): Promise<LogManifest>;

  /** One transaction; false, and nothing is done, when the lease is not this one any more. */
  append(group: StoredGroup, lease: LeaseTerm): Promise<boolean>;
  /**
   * One transaction: gives the holder the next term, when the lease is this one, and then looks for
   * the group that begins with a sequence. After that no append in the old term is committed.
   */
  settle(lease: LeaseTerm, groupFirst: number): Promise<Settled>;

  /** All at one moment, since the lease may be lost meanwhile, and others append. */
  readContents(): Promise<StoredContents>;
  /** The first sequence of the newest group that begins at or before the sequence. */
  groupAt(sequence: number): Promise<number | undefined>;
  /**
   * The rows after a place, in order, of groups that begin at or before `upTo`: as many as have
   * `bytesMax` together, at least one when there is one.
   */
  rowsAfter(place: RowPlace, upTo: number, bytesMax: number): Promise<readonly StoredRow[]>;

  /**
   * Removes everything before a segment; false when the lease is not this one any more. Once
   * `closing` is aborted it waits no more for what others do with the rows.
   */
  dropBefore(segmentFirst: number, lease: LeaseTerm, closing: AbortSignal): Promise<boolean>;
}

/** The lease; all its times are by the clock of the database. */
export interface LeaseDatabase extends AsyncDisposable {
  /** Takes a lease that has expired, and answers with its new term; undefined: it has not. */
  takeLease(holder: string, durationMs: number): Promise<number | undefined>;
  /** The lease, by a transaction that writes what is there: the answer is durable. */
  confirmLease(): Promise<LeaseTerm>;
  /** False when the lease is not this one any more. */
  renewLease(lease: LeaseTerm, durationMs: number): Promise<boolean>;
  /** Lets the lease expire at once. */
  releaseLease(lease: LeaseTerm): Promise<void>;
}

export interface LeaseTerm {
  readonly term: number;
  /** Names one run of one member. */
  readonly holder: string;
}

export interface Settled {
  /** Afterwards. */
  readonly lease: LeaseTerm;
  /** The term in which the group was appended; undefined when it is not there. */
  readonly groupTerm: number | undefined;
  /** The oldest sequence of the log; groups before it may have been there. */
  readonly firstSequence: number;
}

export const CHUNK_BYTES_MAX = 1024 * 1024;

/** Commits that become durable together, as bytes of a segment. */
export interface StoredGroup {
  readonly first: number;
  readonly last: number;
  /** Of its newest record, milliseconds since the Unix epoch. */
  readonly newestTime: number;
  /** Not empty; each has at most CHUNK_BYTES_MAX. */
  readonly chunks: readonly Uint8Array[];
  /** The segment that begins with it; absent when it goes on with the newest. */
  readonly segment?: StoredSegment;
}

export interface StoredSegment {
  readonly first: number;
  readonly header: Buffer;
}

export interface StoredContents {
  /** At that moment: whoever holds another lease reads from a server that is not the newest. */
  readonly lease: LeaseTerm;
  /** Oldest first. */
  readonly segments: readonly StoredSegment[];
  /** What lies in the newest segment; undefined when nothing does. */
  readonly end: StoredEnd | undefined;
}

interface StoredEnd {
  readonly last: number;
  readonly bytes: number;
  readonly newestTime: number;
}

export interface RowPlace {
  /** The first sequence of the group. */
  readonly first: number;
  readonly chunk: number;
}

export interface StoredRow extends RowPlace {
  readonly body: Buffer;
  /** Of the segment that begins with it. */
  readonly header: StoredSegment['header'] | undefined;
}

/** Why a call of the database failed. */
export class DatabaseFault extends Error {
  override readonly name = 'DatabaseFault';
  /** `none`: nothing of it was done. `open`: it may have been done, or may still be. */
  readonly outcome: 'none' | 'open';
  readonly isFull: boolean;

  constructor(
    message: string,
    {
      outcome,
      isFull = false,
      cause,
    }: { outcome: 'none' | 'open'; isFull?: boolean; cause?: unknown },
  ) {
    super(message, { cause });
    this.outcome = outcome;
    this.isFull = isFull;
  }
}
