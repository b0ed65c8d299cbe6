import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { listHeaders, type BackupHeader } from '#backup/backup-header.ts';
import { repeatBackup } from '#backup/repeat-backup.ts';
import { expired } from '#backup/retention.ts';
import { systemClock } from '#base/clock.ts';
import { readManifest } from '#log/manifest.ts';
import { PublishedSequence } from '../writer/published-sequence.ts';
import type { BackupTask } from './backup-messages.ts';
import { openTarget } from './open-target.ts';
import { sourceFiles } from './source-files.ts';

export interface RepeatedBackup {
  readonly header: BackupHeader;
  /** Whether there is a backup now that need not be kept. */
  readonly isOneTooMany: boolean;
}

/** Makes a backup when nothing has changed since the one before; undefined when it takes a thread. */
export async function repeatUnchanged(
  task: Omit<BackupTask, 'request'>,
  signal: AbortSignal,
): Promise<RepeatedBackup | undefined> {
  const { storage, masterKey, retention } = task;
  const target = openTarget(task.target);
  const sequence = new PublishedSequence(task.sequence).get();
  const epoch = (await readManifest(join(storage, 'log')))?.epoch;
  if (epoch === undefined) return undefined;
  using _claim = await target.claim();
  const header = await repeatBackup({
    target,
    signal,
    masterKey: masterKey ?? undefined,
    clock: systemClock,
    suffix: randomBytes(4).toString('hex'),
    version: task.version,
    sequence,
    epoch,
    files: () => sourceFiles(storage, masterKey !== null),
  });
  if (header === undefined) return undefined;
  return { header, isOneTooMany: expired(await listHeaders(target), retention).length > 0 };
}
