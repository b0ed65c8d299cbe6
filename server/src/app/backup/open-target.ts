import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { resolve } from 'node:path';
import type { BackupTarget } from '#backup/backup-target.ts';
import { FolderTarget } from '#backup/folder-target.ts';
import type { S3Place } from '#backup/s3-client.ts';
import { S3Target } from '#backup/s3-target.ts';
import { systemClock, systemTimers } from '#base/clock.ts';
import { must } from '#base/assert.ts';
import type { Config, Secrets } from '#config/config.ts';

/** Where backups are kept. */
export type TargetSettings =
  /** Absolute. */
  | { readonly kind: 'folder'; readonly folder: string }
  | {
      readonly kind: 's3';
      readonly place: S3Place;
      readonly accessKey: string;
      readonly secretKey: string;
    };

export function openTarget(settings: TargetSettings): BackupTarget {
  if (settings.kind === 'folder') return new FolderTarget(settings.folder);
  return new S3Target({
    ...settings,
    clock: systemClock,
    timers: systemTimers,
    newHolder: randomUUID,
    fetch,
    pause: (ms) => sleep(ms, undefined),
  });
}

/**
 * The settings in a checked configuration that has a target; a relative folder begins at
 * `startFolder`.
 */
export function targetSettings(
  { backup: { target, s3 } }: Config,
  { backupAccessKey, backupSecretKey }: Secrets,
  startFolder: string,
): TargetSettings {
  const place = must(target, 'a target of backups');
  if (place.kind === 'folder')
    return { kind: 'folder', folder: resolve(startFolder, place.folder) };
  const { bucket, prefix } = place;
  return {
    kind: 's3',
    place: { bucket, prefix, ...s3 },
    accessKey: must(backupAccessKey, 'MSK_GRAPH_BACKUP_S3_ACCESS_KEY'),
    secretKey: must(backupSecretKey, 'MSK_GRAPH_BACKUP_S3_SECRET_KEY'),
  };
}
