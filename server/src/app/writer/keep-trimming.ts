import { LOG_TRIM_INTERVAL_MS } from '#base/limits.ts';
import type { CommitLog } from '#log/commit-log.ts';
import type { Followers } from '#log/followers.ts';
import { trimLog } from '#log/retention.ts';
import { roomBytes } from '#store/storage-problem.ts';
import { archiveRule } from './archive-rule.ts';

export interface TrimmedLog {
  readonly storage: string;
  readonly lowMemory: boolean;
  readonly log: CommitLog;
  readonly state: { readonly flushedSequence: number };
  readonly followers: Followers;
}

/**
 * Removes what the state and those who follow it have of the log, every so often until it is
 * disposed. `onNote` hears of what an operator should know.
 */
export function keepTrimming(
  { storage, lowMemory, log, state, followers }: TrimmedLog,
  onNote: (text: string) => void,
): Disposable {
  const parts = {
    log,
    followers,
    archive: archiveRule(lowMemory),
    flushedSequence: () => state.flushedSequence,
    roomBytes: () => roomBytes(storage),
    onDropped: ({ kind, reached, neededAfter }: ReturnType<Followers['needing']>[number]) =>
      onNote(
        `the log takes too much room to be kept after sequence ${neededAfter} for the follower "${kind}", which is at ${reached}`,
      ),
  };
  const trimming = setInterval(() => {
    trimLog(parts).catch((error: unknown) => onNote(`trimming the log: ${error}`));
  }, LOG_TRIM_INTERVAL_MS);
  return { [Symbol.dispose]: () => clearInterval(trimming) };
}
