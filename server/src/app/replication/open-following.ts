import { join } from 'node:path';
import { systemClock } from '#base/clock.ts';
import type { Followers } from '#log/followers.ts';
import { digestAt } from '#log/commit-log.ts';
import { openSegmentLog } from '#log/segment-log.ts';
import { readHistory } from '#store/history.ts';
import { openStoreKeys } from '#store/master-key.ts';
import { openStateFollower } from '#store/state-follower.ts';
import { archiveRule } from '../writer/archive-rule.ts';
import { keepTrimming } from '../writer/keep-trimming.ts';
import type { FollowedState } from './replica-run.ts';

export interface FollowingOptions {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly lowMemory: boolean;
}

/** Opens the store of a replica; after a copy its log begins where the snapshot ends. */
export async function openFollowing(
  options: FollowingOptions & { readonly followers: Followers },
  onNote: (text: string) => void,
): Promise<FollowedState> {
  const { storage, lowMemory, followers } = options;
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
    await openStateFollower({
      storage,
      log,
      masterKey,
      clock: systemClock,
      applied: followers.applied,
    }),
  );
  opened.use(keepTrimming({ storage, lowMemory, log, state: follower, followers }, onNote));
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
