import type { Clock } from '#base/clock.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { Applier, type LoggedCommit } from './apply.ts';
import { CommitPipeline, type Publication, type State } from './commit-pipeline.ts';
import { type Environment, openEnvironments } from './environment.ts';
import type { SteadyRule } from './steady/steady-points.ts';
import { freeSpaceCheck, type SpaceCheck } from './storage-problem.ts';
import type { TierRule } from './tiered-store.ts';
import { openStoreKeys } from './master-key.ts';
import { Problem } from '#base/problem.ts';

export interface StateOptions {
  readonly storage: string;
  /** The caller opens the log, and closes it after the state. */
  readonly log: CommitLog;
  readonly masterKey?: string | undefined;
  readonly clock: Clock;
  /** Called before each commit. The default is `freeSpaceCheck` of the storage folder. */
  readonly checkSpace?: SpaceCheck;
  /**
   * Learns how far the state is, before a commit is acknowledged. Absent when there are no
   * followers.
   */
  readonly applied?: Publication | undefined;
  /** When the state is flushed; the default is `STEADY_RULE`. */
  readonly steadyRule?: SteadyRule | undefined;
  /** The default is `TIER_RULE`. */
  readonly tierRule?: TierRule | undefined;
}

/**
 * Environments that are open for writing and at the end of the log, and the applier that writes to
 * them.
 */
export interface ReplayedState {
  readonly graph: Environment;
  readonly vault: Environment;
  readonly applier: Applier;
}

/**
 * Opens the state read-write and brings it up to the end of the log. Throws the problems of
 * `openReplayed`.
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
  const applier = new Applier(graph, vault, log.epoch, options);
  try {
    await replayLog(log, applier);
    return { graph, vault, applier };
  } catch (error) {
    await applier.close();
    throw error;
  }
}

const GROUP_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Brings the environments up to the end of the log. Throws the problem `state_log_mismatch` when
 * the two cannot belong together, `log_trimmed` when the log no longer has what the state lacks.
 */
export async function replayLog(log: CommitLog, applier: Applier): Promise<void> {
  checkHistory(log, applier);
  const from = applier.nextSequence;
  if (from < Math.min(log.firstSequence, log.lastSequence + 1)) {
    throw new Problem(
      'log_trimmed',
      `the state ends before sequence ${from}, and the log begins at ${log.firstSequence}`,
      { hint: 'Restore a snapshot at or after the beginning of the log into an empty folder.' },
    );
  }
  await applier.adoptEpoch();
  if (from > log.lastSequence) return;
  let group: LoggedCommit[] = [];
  let bytes = 0;
  for await (const { last, payload } of log.read(from)) {
    group.push({ last, payload });
    bytes += payload.length;
    if (bytes < GROUP_BYTES_MAX) continue;
    await applier.apply(group);
    group = [];
    bytes = 0;
  }
  if (group.length > 0) await applier.apply(group);
}

function checkHistory(log: CommitLog, { epoch, writtenSequence: sequence }: Applier): void {
  const isOther = epoch !== '' && epoch !== log.epoch;
  if (!isOther && sequence <= log.lastSequence) return;
  throw new Problem(
    'state_log_mismatch',
    isOther
      ? `the state follows a log of epoch ${epoch}, this one has ${log.epoch}`
      : `the state is at sequence ${sequence}, the log ends at ${log.lastSequence}`,
    {
      hint: 'Put the log folder and the state folders of the same backup together.',
      details: { epoch, sequence, logEpoch: log.epoch, logLastSequence: log.lastSequence },
    },
  );
}
