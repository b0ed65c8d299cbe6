import type { Clock } from '#base/clock.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { Applier } from './apply.ts';
import { CommitPipeline, type Publication, type State } from './commit-pipeline.ts';
import { openEnvironments, type Environment } from './environment.ts';
import { freeSpaceCheck, type SpaceCheck } from './free-space.ts';
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
  /** Who is told how far the state is, before anybody is told that a commit is taken; nobody where nobody follows. */
  readonly applied?: Publication | undefined;
}

/** Environments that are open for writing and stand at the end of the log, and what applies to them. */
export interface ReplayedState {
  readonly graph: Environment;
  readonly vault: Environment;
  readonly applier: Applier;
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

/** Throws the problems of `openStoreKeys` and `replayLog` before anything is changed. */
export async function openReplayed(options: StateOptions): Promise<ReplayedState> {
  const { storage, log } = options;
  const keys = openStoreKeys(options);
  const { graph, vault } = openEnvironments({ storage, readOnly: false, ...keys });
  try {
    const applier = new Applier(graph, vault, log.epoch);
    await replayLog(log, applier);
    return { graph, vault, applier };
  } catch (error) {
    await Promise.all([graph, vault].map(closeWritten));
    throw error;
  }
}
