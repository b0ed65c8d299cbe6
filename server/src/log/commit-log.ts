import { createHash } from 'node:crypto';

/**
 * The commit log: every change to a workspace, in order, durable (design, section 1).
 *
 * A record is one commit: a batch of operations, opaque here. Each operation takes one sequence
 * number, so a record of `count` operations whose first has sequence `first` ends at `first + count
 * - 1`, and the next record begins right after. Sequences start at 1; `lastSequence` is 0 until the
 * log has held a record.
 *
 * The port is narrow on purpose (design, section 7): append a batch, read from a sequence, know the
 * first and the last sequence, trim. One conformance suite runs over every engine.
 */
export interface CommitLog extends AsyncDisposable {
  /**
   * 32 hexadecimal digits; new at the first start and at a promotion. Records of logs with
   * different epochs are never mixed.
   */
  readonly epoch: string;
  /** The oldest sequence that `read` can still give; `lastSequence + 1` when nothing is held. */
  readonly firstSequence: number;
  /** The newest durable sequence. */
  readonly lastSequence: number;

  /**
   * Appends one commit of `count` operations and resolves, once it is durable, with the sequence of
   * its last operation. Commits become durable in the order of the calls. Waiting commits share one
   * write and one sync (group commit). The payload is not copied: leave it alone until then.
   *
   * Rejects with the problem `storage_full` or `storage_failed`; then no trace of the commit is
   * left in the log, and the next append is tried again. When a commit is rejected, all commits
   * appended after it are rejected too, the oldest first. A handler that is attached directly to
   * the promise of the oldest one runs before any other code, so it can undo what builds on that
   * commit.
   *
   * Rejects with `payload_too_large` beyond COMMIT_BYTES_MAX or COMMIT_OPERATIONS_MAX. Only that
   * commit is rejected, since it never was in the queue.
   *
   * `time` is given for a commit that was made on another server: see `LogRecord.time`.
   */
  append(count: number, payload: Uint8Array, time?: number): Promise<number>;

  /**
   * The durable records from the one that holds sequence `from` on, in order, up to `lastSequence`
   * at the time of the call. Memory stays bounded, however many records that are. Throws the
   * problem `log_trimmed` when `from` is older than `firstSequence`, `log_ahead` when newer than
   * `lastSequence + 1`; the iteration throws `log_trimmed` when a trim overtakes it, `log_corrupt`
   * when a record is not what was written. No record is ever skipped.
   */
  read(from: number): AsyncIterable<LogRecord>;

  /**
   * Calls the listener after each group has become durable, with the newest durable sequence.
   * Returns a function that stops this.
   */
  onDurable(listener: (lastSequence: number) => void): () => void;

  /**
   * Bytes of the segments that hold anything after the sequence; 0 when it is the last sequence.
   */
  bytesAfter(sequence: number): number;

  /**
   * Drops whole segments that nobody needs: those whose every sequence is at or below `keepAfter`
   * (the lowest sequence that any follower, the local state included, has durably applied) and
   * which the archive rule (time-to-live, size) no longer holds. The newest segment always stays.
   */
  trim(keepAfter: number): Promise<void>;
}

export interface LogRecord {
  readonly first: number;
  readonly last: number;
  /** Milliseconds since the Unix epoch at which the commit was appended. */
  readonly time: number;
  readonly payload: Uint8Array;
}

/**
 * SHA-256 of a record, 64 hexadecimal digits. When two logs have the same digest at a sequence,
 * they have the same history there.
 */
export function recordDigest({ first, last, time, payload }: LogRecord): string {
  const head = JSON.stringify([first, last, time]);
  return createHash('sha256').update(head).update(payload).digest('hex');
}

/** The digest of the record that holds a sequence; undefined when the log no longer has it. */
export async function digestAt(
  log: Pick<CommitLog, 'firstSequence' | 'lastSequence' | 'read'>,
  sequence: number,
): Promise<string | undefined> {
  if (sequence < log.firstSequence || sequence > log.lastSequence) return undefined;
  for await (const record of log.read(sequence)) return recordDigest(record);
  return undefined;
}
