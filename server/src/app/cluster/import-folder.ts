import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isRestoreUnfinished } from '#backup/restore-mark.ts';
import type { WorkProgress } from '#backup/work-progress.ts';
import { systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { Environment } from '#config/config-error.ts';
import { type CommitLog, digestAt } from '#log/commit-log.ts';
import { lockFolder } from '#log/folder-lock.ts';
import { databaseProblem } from '#log/postgres/database-problem.ts';
import { DatabaseFault } from '#log/postgres/log-database.ts';
import { type ImportedLog, importLog } from '#log/postgres/log-import.ts';
import { STORE_FILE } from '#store/master-key.ts';
import { openState } from '#store/state-writer.ts';
import { type CommandOutcome, outcomeOf } from '../command-outcome.ts';
import { ReplicaStore } from '../replication/replica-store.ts';
import { addressOf, secretOf } from '../writer/shared-log.ts';
import { archiveRule, openStoreLog } from '../writer/store-log.ts';
import { memberSettings, type MemberSettings, openToRead, stateDigest } from './member-settings.ts';

export interface ImportRequest {
  /** The storage folder; MSK_GRAPH_STORAGE when not given. */
  readonly from: string | undefined;
  /** Does everything, and takes it back. */
  readonly isDryRun: boolean;
}

export interface ImportedFolder {
  readonly storage: string;
  readonly workspace: string;
  readonly epoch: string;
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** SHA-256 over the commits as PostgreSQL has them; null when an earlier run copied them. */
  readonly logDigest: string | null;
  /** SHA-256 of the state, as of a manifest: an export of the same sequence has the same. */
  readonly stateDigest: string;
  readonly isDryRun: boolean;
}

/**
 * `trellis cluster import`: puts the log of a folder into PostgreSQL while no server runs there.
 * The folder then is that of the first member. The variables are those of a member.
 */
export function importFolder(
  env: Environment,
  request: ImportRequest,
  progress: WorkProgress,
): Promise<CommandOutcome<ImportedFolder>> {
  return outcomeOf(() => run(memberSettings(env), request, progress));
}

async function run(
  settings: MemberSettings,
  { from, isDryRun }: ImportRequest,
  progress: WorkProgress,
): Promise<ImportedFolder> {
  const { config, place, masterKey } = settings;
  const storage = resolve(from ?? config.storageFolder);
  await requireWorkspace(storage);
  using _claim = lockFolder(storage);
  const wasMoving = await ReplicaStore.isMoving(storage);
  if (ReplicaStore.isIn(storage) && !wasMoving) throw isReplica(storage);
  await using log = await openStoreLog({ storage, masterKey, lowMemory: config.lowMemory });
  progress.report(0, 'Reading the state');
  const state = await openState({
    storage,
    masterKey: masterKey ?? undefined,
    clock: systemClock,
    log,
  });
  await state[Symbol.asyncDispose]();
  const digest = await stateDigest(storage, masterKey);
  const copied = await copy({ settings, storage, log, isDryRun, wasMoving }, progress);
  if (!isDryRun) await ReplicaStore.mark(storage);
  return {
    storage,
    workspace: place.workspace,
    epoch: log.epoch,
    firstSequence: log.firstSequence,
    lastSequence: log.lastSequence,
    logDigest: copied?.digest ?? null,
    stateDigest: digest,
    isDryRun,
  };
}

interface Copying {
  readonly settings: MemberSettings;
  readonly storage: string;
  readonly log: CommitLog;
  readonly isDryRun: boolean;
  /** An earlier run was about to commit when it ended. */
  readonly wasMoving: boolean;
}

/** Undefined when an earlier run had copied it. */
async function copy(
  { settings, storage, log, isDryRun, wasMoving }: Copying,
  { signal, report }: WorkProgress,
): Promise<ImportedLog | undefined> {
  const { place, masterKey, config } = settings;
  const count = Math.max(1, log.lastSequence - log.firstSequence + 1);
  try {
    return await importLog({
      address: addressOf(place),
      workspace: place.workspace,
      log,
      ...secretOf(masterKey),
      archive: archiveRule(config.lowMemory),
      isDryRun,
      signal,
      onProgress: (sequence, doing) => {
        const share = (sequence - log.firstSequence + 1) / count;
        const isCopying = doing === 'copying';
        report(isCopying ? share * 0.7 : 0.7 + share * 0.3, STEPS[doing]);
      },
      beforeCommit: () => ReplicaStore.markMoving(storage),
    });
  } catch (error) {
    const isOpen = error instanceof DatabaseFault && error.outcome === 'open';
    if (wasMoving && isUnsuitable(error) && (await isCopied(settings, log))) return undefined;
    // Nothing is there: the folder is what it was.
    if (!isOpen && !wasMoving) await ReplicaStore.unmark(storage);
    if (isOpen) throw outcomeOpen(error);
    throw databaseProblem('copying the commit log to PostgreSQL', error);
  }
}

const STEPS = { copying: 'Copying commits', verifying: 'Verifying commits' };

/** Whether PostgreSQL has what the folder has. */
async function isCopied(settings: MemberSettings, log: CommitLog): Promise<boolean> {
  await using shared = await openToRead(settings);
  const { lastSequence } = log;
  const { log: there } = shared;
  if (there.epoch !== log.epoch || there.lastSequence < lastSequence) return false;
  return (await digestAt(there, lastSequence)) === (await digestAt(log, lastSequence));
}

async function requireWorkspace(storage: string): Promise<void> {
  if (!existsSync(join(storage, STORE_FILE))) {
    throw new Problem('store_format_unknown', `${storage} holds no workspace`, {
      hint: 'Name the storage folder of a server.',
    });
  }
  if (await isRestoreUnfinished(storage)) {
    throw new Problem('restore_unfinished', `${storage} has an unfinished restore`);
  }
}

function isReplica(storage: string): Problem {
  return new Problem('read_only_replica', `${storage} is the folder of a replica or a member`, {
    hint: 'Start it once without MSK_PRIMARY_ADDRESS and MSK_LOG: it becomes a workspace of its own.',
  });
}

function isUnsuitable(error: unknown): boolean {
  return error instanceof Problem && error.code === 'log_database_unsuitable';
}

function outcomeOpen(cause: unknown): Problem {
  const message = 'the connection to PostgreSQL broke at the last step: it may be done';
  return new Problem('storage_failed', message, {
    hint: 'Run the same command again: it finds out, and finishes.',
    cause,
  });
}
