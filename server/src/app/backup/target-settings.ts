import { resolve } from 'node:path';
import { must } from '#base/assert.ts';
import type { Config } from '#config/config.ts';
import type { TargetSettings } from './open-target.ts';

/** Of a configuration that has a target; a relative folder begins at `startFolder`. */
export function targetSettings({ target }: Config['backup'], startFolder: string): TargetSettings {
  return { folder: resolve(startFolder, must(target, 'a target of backups')) };
}
