import type { BackupTarget } from '#backup/backup-target.ts';
import { FolderTarget } from '#backup/folder-target.ts';

/** Where backups are kept. */
export interface TargetSettings {
  /** Absolute. */
  readonly folder: string;
}

export function openTarget({ folder }: TargetSettings): BackupTarget {
  return new FolderTarget(folder);
}
