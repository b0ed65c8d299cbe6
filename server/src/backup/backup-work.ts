import type { Clock } from '#base/clock.ts';
import { BackupPool } from './backup-pool.ts';
import { headerPath, listHeaders, readHeader, type BackupHeader } from './backup-header.ts';
import type { BackupSource } from './backup-source.ts';
import type { BackupTarget } from './backup-target.ts';
import { openPoolSecret } from './pool-description.ts';
import { expired, type RetentionRule } from './retention.ts';
import { sweep } from './sweep.ts';
import { takeBackup } from './take-backup.ts';
import { verifyBackup } from './verify-backup.ts';
import type { WorkProgress } from './work-progress.ts';

/** What a thread that works for backups is given. */
export interface BackupWorkParts {
  readonly target: BackupTarget;
  readonly masterKey: string | undefined;
  readonly clock: Clock;
  readonly version: string;
  readonly retention: RetentionRule;
  /** For what is restored to be compared. */
  readonly scratch: string;
  /** 8 hexadecimal digits, others at each call. */
  readonly suffix: () => string;
  readonly openSource: () => Promise<BackupSource & Disposable>;
}

/** Makes a backup, then removes those that the rule does not keep. What fails behind the backup is told, and leaves it good. */
export async function runBackup(
  parts: BackupWorkParts,
  progress: WorkProgress,
): Promise<BackupHeader> {
  const { target, masterKey, retention } = parts;
  await using _claim = await target.claim(progress.log);
  using source = await parts.openSource();
  const header = await takeBackup({ ...parts, ...progress, source, suffix: parts.suffix() });
  progress.report(0.99, 'Removing what need not be kept');
  try {
    const gone = expired(await listHeaders(target), retention);
    for (const { id } of gone) await target.remove(headerPath(id));
    if (gone.length > 0) {
      await target.sync();
      await sweep(target, new BackupPool(target, await openPoolSecret(target, masterKey)));
      progress.log(`${gone.length} older backups were removed.`);
    }
  } catch (error) {
    progress.log(`Older backups could not be removed: ${String(error)}`);
  }
  return header;
}

/** Throws as `verifyBackup`, and `backup_target_in_use`: what is damaged is removed. */
export async function runVerification(
  parts: BackupWorkParts,
  id: string,
  progress: WorkProgress,
): Promise<void> {
  await using _claim = await parts.target.claim(progress.log);
  await verifyBackup({ ...parts, ...progress, id });
}

/** The backup goes first, then what only it needed: a kill in between leaves pieces that the next removal takes. */
export async function removeBackup(
  { target, masterKey }: BackupWorkParts,
  id: string,
): Promise<void> {
  await using _claim = await target.claim(() => undefined);
  const pool = new BackupPool(target, await openPoolSecret(target, masterKey));
  await readHeader(target, id);
  await target.remove(headerPath(id));
  await target.sync();
  await sweep(target, pool);
}
