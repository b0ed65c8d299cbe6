import { join } from 'node:path';
import { systemClock } from '#base/clock.ts';
import {
  LOG_ARCHIVE_BYTES_MAX,
  LOG_ARCHIVE_LOW_MEMORY_BYTES_MAX,
  LOG_ARCHIVE_LOW_MEMORY_TTL_MS,
  LOG_ARCHIVE_TTL_MS,
  LOG_TRIM_INTERVAL_MS,
} from '#base/limits.ts';
import type { CommitLog } from '#log/commit-log.ts';
import type { Followers } from '#log/followers.ts';
import { type ArchiveRule, trimLog } from '#log/retention.ts';
import { openSegmentLog, type SegmentLogOptions } from '#log/segment-log.ts';
import { openStoreKeys } from '#store/master-key.ts';
import { roomBytes } from '#store/storage-problem.ts';

export interface StoreLogOptions extends Pick<SegmentLogOptions, 'beginning' | 'onRecovery'> {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly lowMemory: boolean;
}

/**
 * Opens the log of a storage folder for writing, with the key that the store has for it. The keys
 * come first: a wrong one must not touch the log either.
 */
export async function openStoreLog(options: StoreLogOptions): Promise<CommitLog> {
  const { storage, masterKey, lowMemory, ...more } = options;
  const keys = openStoreKeys({ storage, masterKey: masterKey ?? undefined, clock: systemClock });
  const { logKey } = keys;
  return openSegmentLog({
    ...more,
    folder: join(storage, 'log'),
    clock: systemClock,
    ...(logKey === undefined ? {} : { encryptionKey: logKey }),
    archive: archiveRule(lowMemory),
  });
}

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

/** How much of the log stays (specification, section 8). */
export function archiveRule(lowMemory: boolean): ArchiveRule {
  return lowMemory
    ? { ttlMs: LOG_ARCHIVE_LOW_MEMORY_TTL_MS, bytesMax: LOG_ARCHIVE_LOW_MEMORY_BYTES_MAX }
    : { ttlMs: LOG_ARCHIVE_TTL_MS, bytesMax: LOG_ARCHIVE_BYTES_MAX };
}
