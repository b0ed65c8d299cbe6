import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackupTarget } from '#backup/backup-target.ts';
import { FolderTarget } from '#backup/folder-target.ts';
import type { S3Place } from '#backup/s3-client.ts';
import { S3Target } from '#backup/s3-target.ts';
import { systemClock, systemTimers } from '#base/clock.ts';

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
