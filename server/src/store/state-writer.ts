import type { Clock } from '#base/clock.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { CommitPipeline } from './commit-pipeline.ts';
import type { StateWriter } from './key-value.ts';
import { freeSpaceCheck } from './free-space.ts';
import type { SpaceCheck } from './free-space.ts';
import { openReplayed } from './open-replayed.ts';

export interface StateOptions {
  readonly storage: string;
  /** Opened by the caller, and closed by it after the state. */
  readonly log: CommitLog;
  readonly masterKey?: string | undefined;
  readonly clock: Clock;
  /** Before each commit; by default `freeSpaceCheck` of the storage folder. */
  readonly checkSpace?: SpaceCheck;
  /** Who is told how far the state is, before anybody is told that a commit is taken; nobody where nobody follows. */
  readonly applied?: Publication | undefined;
}

/** Where the state says how far it is: see `AppliedSequence`. */
export interface Publication {
  /** Readers see everything up to the sequence; `commits` is how many more than the last time. */
  publish(sequence: number, commits: number): void;
}

/** The state of a workspace, opened for writing; there is one in a process. */
export interface State extends StateWriter {
  /**
   * Everything up to it is in LMDB and flushed to the device, so that even a loss of power does not take it back: the
   * log may be trimmed up to here. 0 until something was written since the start.
   */
  readonly flushedSequence: number;
}

/**
 * Opens the state read-write and brings it up to the end of the log. See `openReplayed` for
 * the problems.
 */
export async function openState(options: StateOptions): Promise<State> {
  const { storage, log, checkSpace = freeSpaceCheck(storage), applied } = options;
  return new CommitPipeline({
    ...(await openReplayed(options)),
    log,
    checkSpace,
    published: applied,
  });
}
