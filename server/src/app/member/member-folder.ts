import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { lockFolder } from '#log/folder-lock.ts';
import type { LogReport } from '#log/postgres/member-registry.ts';
import { type History, readHistory } from '#store/history.ts';
import { STORE_FILE } from '#store/master-key.ts';
import { ReplicaStore } from '../replication/replica-store.ts';

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
  const history = await historyIn(options);
  const isOther = history !== undefined && history.epoch !== '' && history.epoch !== epoch;
  if (
    history !== undefined &&
    (!ReplicaStore.isIn(storage) || (isOther && log.lastSequence === 0))
  ) {
    throw new Problem('storage_not_empty', `${storage} holds a workspace that is not in MSK_LOG`, {
      hint: 'Give the member an empty folder in MSK_GRAPH_STORAGE.',
    });
  }
  await ReplicaStore.mark(storage);
  return history;
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
