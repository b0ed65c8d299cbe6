import type { Clock } from '#base/clock.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { Applier } from './apply.ts';
import { CommitPipeline } from './commit-pipeline.ts';
import { openEnvironments } from './environment.ts';
import type { StateWriter } from './key-value.ts';
import { freeSpaceCheck } from './free-space.ts';
import type { SpaceCheck } from './free-space.ts';
import { openStoreKeys } from './master-key.ts';
import { replayLog } from './replay.ts';
import { closeWritten } from './write-transaction.ts';

export interface StateOptions {
  readonly storage: string;
  /** Opened by the caller, and closed by it after the state. */
  readonly log: CommitLog;
  readonly masterKey?: string | undefined;
  readonly clock: Clock;
  /** Before each commit; by default `freeSpaceCheck` of the storage folder. */
  readonly checkSpace?: SpaceCheck;
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
 * Opens the state read-write and brings it up to the end of the log. Throws the problems of `openStoreKeys` and `replayLog`
 * before anything is changed.
 */
export async function openState(options: StateOptions): Promise<State> {
  const { storage, log, checkSpace = freeSpaceCheck(storage) } = options;
  const encryptionKey = openStoreKeys(options).environmentKey;
  const { graph, vault } = openEnvironments({ storage, readOnly: false, encryptionKey });
  try {
    const applier = new Applier(graph, vault, log.epoch);
    await replayLog(log, applier);
    return new CommitPipeline({ graph, vault, log, applier, checkSpace });
  } catch (error) {
    await Promise.all([graph, vault].map(closeWritten));
    throw error;
  }
}
