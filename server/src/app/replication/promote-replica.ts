import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { openSegmentLog, removeLog } from '#log/segment-log.ts';
import type { Logger } from '#observe/logger.ts';
import { promoteStore } from '#store/history.ts';
import { openStoreKeys, STORE_FILE } from '#store/master-key.ts';
import { archiveRule } from '../writer/archive-rule.ts';
import { ReplicaStore } from './replica-store.ts';

export interface PromotionOptions {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Makes the folder that a replica left behind a primary's, with a new epoch (specification, section
 * 3.2); a folder that never was a replica's is left as it is. Throws `replica_unfinished` when the
 * replica never had the whole graph.
 */
export async function promoteReplica(options: PromotionOptions): Promise<void> {
  const { storage, logger } = options;
  if (!ReplicaStore.isIn(storage)) return;
  if (!existsSync(join(storage, STORE_FILE))) {
    throw new Problem('replica_unfinished', `${storage} holds a replica that was never complete`, {
      hint: 'Promote another replica, or empty the folder to begin a new workspace.',
    });
  }
  const masterKey = options.masterKey ?? undefined;
  const { logKey } = openStoreKeys({ storage, masterKey, clock: systemClock });
  const folder = join(storage, 'log');
  const epoch = await promoteStore({
    storage,
    masterKey,
    clock: systemClock,
    log: {
      open: (after) =>
        openSegmentLog({
          folder,
          clock: systemClock,
          ...(logKey === undefined ? {} : { encryptionKey: logKey }),
          archive: archiveRule(false),
          beginning: { after },
        }),
      remove: () => removeLog(folder),
    },
  });
  await ReplicaStore.unmark(storage);
  logger.warn(
    `this replica is a primary now, of the new epoch ${epoch}: the old primary must stay stopped, and other replicas copy this one`,
  );
}
