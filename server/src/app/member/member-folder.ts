import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isRestoreUnfinished, unmarkRestore } from '#backup/restore-mark.ts';
import { systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { lockFolder } from '#log/folder-lock.ts';
import type { LogReport } from '#log/postgres/member-registry.ts';
import { type History, readHistory } from '#store/history.ts';
import { STORE_FILE } from '#store/master-key.ts';
import { ReplicaStore } from '../replication/replica-store.ts';
import type { WorkspaceOptions } from '../workspace.ts';

interface MemberFolderOptions {
  readonly storage: string;
  readonly masterKey: string | null;
}

/**
 * How far a folder is; undefined when it holds no store. Throws `storage_in_use` when another
 * process has it: to open its state meanwhile would harm it (decision 0002).
 */
export async function historyIn(options: MemberFolderOptions): Promise<History | undefined> {
  const { storage, masterKey } = options;
  const log = join(storage, 'log');
  await mkdir(log, { recursive: true, mode: 0o700 });
  using claims = new DisposableStack();
  for (const folder of [storage, log]) claims.use(lockFolder(folder));
  if (!existsSync(join(storage, STORE_FILE))) return undefined;
  return await readHistory({ storage, masterKey: masterKey ?? undefined, clock: systemClock });
}

/**
 * Takes a folder for a member: it is empty, or of a member already. What a member has is a copy of
 * the log in PostgreSQL, as what a replica has is one of its primary's: it has the mark of one.
 * Started without MSK_LOG it becomes a workspace of its own. Throws `storage_not_empty`. Resolves
 * with how far it is.
 */
export async function claimMemberFolder(
  options: MemberFolderOptions,
  { epoch, log }: { readonly epoch: string; readonly log: LogReport },
): Promise<History | undefined> {
  const { storage } = options;
  await clearHalfBackup(storage);
  const history = await historyIn(options);
  // An import that ended before its last step: nobody else may have what is here.
  const wasMoving = await ReplicaStore.isMoving(storage);
  const isOther = history !== undefined && history.epoch !== '' && history.epoch !== epoch;
  if (
    history !== undefined &&
    (!ReplicaStore.isIn(storage) || (isOther && (log.lastSequence === 0 || wasMoving)))
  ) {
    throw new Problem('storage_not_empty', `${storage} holds a workspace that is not in MSK_LOG`, {
      hint: 'Give the member an empty folder in MSK_GRAPH_STORAGE.',
    });
  }
  await ReplicaStore.mark(storage);
  return history;
}

/**
 * Puts the newest backup in the place of what the folder of a member has, which nobody has open.
 * What a kill leaves is cleared away when the folder is claimed again. Resolves with how far it is.
 * Rejects with `backup_point_unreachable` when the log in PostgreSQL would not follow on it.
 */
export async function takeNewestBackup(
  { config, secrets, storage, logger }: WorkspaceOptions,
  { epoch, reaches }: { readonly epoch: string; readonly reaches: number },
  signal: AbortSignal,
): Promise<History> {
  // No other member has to load so much.
  const { restoreInto } = await import('../restore.ts');
  using _claim = lockFolder(storage);
  const { id, sequence } = await restoreInto(
    { config, secrets, storage, wish: { kind: 'newest' }, keepsHistory: true, epoch, reaches },
    { signal, report: () => {}, log: (text) => logger.info(text) },
  );
  logger.info(`this member goes on from the backup ${id}, at sequence ${sequence}`);
  return { epoch, sequence };
}

/** Removes what an unfinished `takeNewestBackup` has left. */
async function clearHalfBackup(storage: string): Promise<void> {
  if (!(await isRestoreUnfinished(storage))) return;
  if (!ReplicaStore.isIn(storage)) {
    throw new Problem('restore_unfinished', `${storage} has an unfinished restore`);
  }
  await ReplicaStore.clear(storage);
  await unmarkRestore(storage);
}

/**
 * Whether a folder can become the primary's: what it lacks is in PostgreSQL. Of an empty folder
 * that is so as long as PostgreSQL has the whole log.
 */
export function canLead(history: History | undefined, epoch: string, log: LogReport): boolean {
  if (history === undefined || history.epoch === '') return log.firstSequence === 1;
  const { sequence } = history;
  return (
    history.epoch === epoch && sequence >= log.firstSequence - 1 && sequence <= log.lastSequence
  );
}
