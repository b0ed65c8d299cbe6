import { resolve } from 'node:path';
import { must } from '#base/assert.ts';
import type { Config, Secrets } from '#config/config.ts';
import type { TargetSettings } from './open-target.ts';

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
