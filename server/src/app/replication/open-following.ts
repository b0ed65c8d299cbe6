import { join } from 'node:path';
import { systemClock } from '#base/clock.ts';
import { LOG_TRIM_INTERVAL_MS } from '#base/limits.ts';
import { digestAt } from '#log/record-digest.ts';
import { openSegmentLog } from '#log/segment-log.ts';
import { readHistory } from '#store/history.ts';
import { openStoreKeys } from '#store/master-key.ts';
import { openStateFollower } from '#store/state-follower.ts';
import { archiveRule } from '../writer/archive-rule.ts';
import type { FollowedState } from './replica-run.ts';

export interface FollowingOptions {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly lowMemory: boolean;
}

/** Opens the store of a replica; after a copy its log begins where the snapshot ends. */
export async function openFollowing(options: FollowingOptions): Promise<FollowedState> {
  const { storage, lowMemory } = options;
  const masterKey = options.masterKey ?? undefined;
  const { logKey } = openStoreKeys({ storage, masterKey, clock: systemClock });
  const { epoch, sequence } = await readHistory({ storage, masterKey, clock: systemClock });
  await using opened = new AsyncDisposableStack();
  const log = opened.use(
    await openSegmentLog({
      folder: join(storage, 'log'),
      clock: systemClock,
      ...(logKey === undefined ? {} : { encryptionKey: logKey }),
      archive: archiveRule(lowMemory),
      beginning: { epoch, after: sequence },
    }),
  );
  const follower = opened.use(
    await openStateFollower({ storage, log, masterKey, clock: systemClock }),
  );
  const trimming = setInterval(() => {
    // What is not trimmed now is so the next time.
    log.trim(follower.flushedSequence).catch(() => undefined);
  }, LOG_TRIM_INTERVAL_MS);
  opened.defer(() => clearInterval(trimming));
  const resources = opened.move();
  return {
    epoch: log.epoch,
    get sequence() {
      return follower.sequence;
    },
    lastDigest: () => digestAt(log, follower.sequence),
    apply: (records) => follower.apply(records),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
