import { resolve } from 'node:path';
import { KEY_BYTES_MIN } from '#base/sign-in-limits.ts';
import { readConfig, type Environment } from '#config/read-config.ts';
import { olderStore } from '#store/master-key.ts';
import { remedyOfFormat } from './older-format.ts';

/** A short master key opens a store that an older version has made with it, and no other one. */
export function readSettings(env: Environment): ReturnType<typeof readConfig> {
  const storage = resolve((env['MSK_GRAPH_STORAGE'] ?? '').trim() || './data');
  const older = olderStore(storage);
  const opensOlder = older?.isOfOlderKey === true;
  const read = opensOlder ? readConfig(env, { opensOlder }) : readConfig(env);
  const warnings = [...read.warnings];
  if (opensOlder) warnings.push(warningOfKey(read.secrets.graphMasterKey ?? ''));
  const format = remedyOfFormat(older);
  if (format !== undefined) warnings.push(`${format.finding} ${format.remedy}`);
  return { ...read, warnings };
}

function warningOfKey(masterKey: string): string {
  const bytes = Buffer.byteLength(masterKey);
  return bytes < KEY_BYTES_MIN
    ? `MSK_GRAPH_MASTER_KEY has ${bytes} bytes, fewer than ${KEY_BYTES_MIN}, so that it can be guessed. Give the store another one: trellis storage rotate-key.`
    : 'The master key of this store is not stretched. A rewrite stretches it: trellis storage rotate-key.';
}
