import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isRestoreUnfinished } from '#backup/restore-mark.ts';
import type { WorkProgress } from '#backup/work-progress.ts';
import { systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { Environment } from '#config/config-error.ts';
import { lockFolder } from '#log/folder-lock.ts';
import { catchUp } from '#log/mirrored-log.ts';
import type { ReadableLog } from '#log/postgres/log-reader.ts';
import { readHistory } from '#store/history.ts';
import { STORE_FILE } from '#store/master-key.ts';
import { openState } from '#store/state-writer.ts';
import { type CommandOutcome, outcomeOf } from '../command-outcome.ts';
import { createStorageFolder } from '../read-settings.ts';
import { beginNewHistory, ReplicaStore } from '../replication/replica-store.ts';
import { claimUnused, restoreInto } from '../restore.ts';
import { openStoreLog } from '../writer/store-log.ts';
import { memberSettings, type MemberSettings, openToRead, stateDigest } from './member-settings.ts';

export interface ExportRequest {
  /** An empty folder, or that of a member that is stopped. */
  readonly to: string;
  /** As MSK_GRAPH_BACKUP_FOLDER, which counts when this is not given. */
  readonly backups: string | undefined;
  readonly isDryRun: boolean;
}

/** Where what comes before the common log is from. */
type ExportSource = 'log' | 'member' | 'backup';

export interface ExportedFolder {
  readonly storage: string;
  readonly workspace: string;
  readonly source: ExportSource;
  /** The newest sequence. */
  readonly sequence: number;
  /** As `ImportedFolder` has it, before the new history; null after a dry run. */
  readonly stateDigest: string | null;
  readonly isDryRun: boolean;
}

/**
 * `trellis cluster export`: makes a workspace with its log in its own folder of one in PostgreSQL,
 * which stays as it is; members may run. It begins a new history, since that of the members may go
 * on. What a kill leaves, the next run goes on from. The variables are those of a member.
 */
export function exportFolder(
  env: Environment,
  { to, backups, isDryRun }: ExportRequest,
  progress: WorkProgress,
): Promise<CommandOutcome<ExportedFolder>> {
  const from = backups === undefined ? {} : { MSK_GRAPH_BACKUP_FOLDER: backups };
  return outcomeOf(() => run(memberSettings({ ...env, ...from }), { to, isDryRun }, progress));
}

async function run(
  settings: MemberSettings,
  { to, isDryRun }: Pick<ExportRequest, 'to' | 'isDryRun'>,
  progress: WorkProgress,
): Promise<ExportedFolder> {
  const { place, masterKey } = settings;
  const storage = createStorageFolder(resolve(to));
  await using shared = await openToRead(settings);
  using _claim = ReplicaStore.isIn(storage) ? lockFolder(storage) : await claimUnused(storage);
  const source = await sourceOf(settings, storage, shared.log);
  const { workspace } = place;
  const told = { storage, workspace, source, sequence: shared.log.lastSequence, isDryRun };
  if (isDryRun) return { ...told, stateDigest: null };
  if (source === 'backup') {
    const { epoch } = shared.log;
    const restoring = { ...settings, storage, wish: NEWEST, keepsHistory: true, epoch };
    await restoreInto(restoring, progress);
  }
  await ReplicaStore.mark(storage);
  progress.report(0.95, 'Reading commits from PostgreSQL');
  await follow(settings, storage, shared.log);
  const digest = await stateDigest(storage, masterKey);
  progress.report(0.99, 'Beginning a new history');
  await beginNewHistory({ storage, masterKey });
  return { ...told, stateDigest: digest };
}

const NEWEST = { kind: 'newest' } as const;

async function sourceOf(
  { config, masterKey }: MemberSettings,
  storage: string,
  log: ReadableLog,
): Promise<ExportSource> {
  const isHalf = await isRestoreUnfinished(storage);
  if (!isHalf && existsSync(join(storage, STORE_FILE))) {
    const options = { storage, masterKey: masterKey ?? undefined, clock: systemClock };
    const { epoch, sequence } = await readHistory(options);
    const isOther = epoch !== '' && epoch !== log.epoch;
    if (isOther || sequence > log.lastSequence) {
      throw new Problem('state_log_mismatch', `${storage} is not of the workspace in MSK_LOG`, {
        hint: 'Name an empty folder, or that of a member.',
      });
    }
    if (sequence >= log.firstSequence - 1) return 'member';
    throw new Problem(
      'log_trimmed',
      `${storage} ends at sequence ${sequence}, and PostgreSQL has the log from ${log.firstSequence} on`,
      { hint: 'Name an empty folder, and where the backups are: --backups.' },
    );
  }
  if (!isHalf && log.firstSequence === 1) return 'log';
  if (config.backup.target !== null) return 'backup';
  throw new Problem(
    'log_trimmed',
    `PostgreSQL has the log from sequence ${log.firstSequence} on only`,
    {
      hint: 'Say where the backups are (--backups), or name the folder of a member that is stopped.',
    },
  );
}

/** The log and the state of the folder have what PostgreSQL has. */
async function follow(
  { config, masterKey }: MemberSettings,
  storage: string,
  authority: ReadableLog,
): Promise<void> {
  const isNew = !existsSync(join(storage, STORE_FILE));
  const options = { storage, masterKey: masterKey ?? undefined, clock: systemClock };
  const after = isNew ? 0 : (await readHistory(options)).sequence;
  const beginning = { epoch: authority.epoch, after };
  await using log = await openStoreLog({
    storage,
    masterKey,
    lowMemory: config.lowMemory,
    beginning,
  });
  await catchUp({ authority, copy: log });
  const state = await openState({ ...options, log });
  await state[Symbol.asyncDispose]();
}
