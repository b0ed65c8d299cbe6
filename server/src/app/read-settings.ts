import { resolve } from 'node:path';
import { KEY_BYTES_MIN } from '#base/sign-in-limits.ts';
import { readConfig, type Environment } from '#config/read-config.ts';
import { isOfOlderKey } from '#store/master-key.ts';

/** A short master key opens a store that an older version has made with it, and no other one. */
export function readSettings(env: Environment): ReturnType<typeof readConfig> {
  const storage = resolve((env['MSK_GRAPH_STORAGE'] ?? '').trim() || './data');
  if (!isOfOlderKey(storage)) return readConfig(env);
  const read = readConfig(env, { opensOlder: true });
  const bytes = Buffer.byteLength(read.secrets.graphMasterKey ?? '');
  const warnings = [
    ...read.warnings,
    bytes < KEY_BYTES_MIN
      ? `MSK_GRAPH_MASTER_KEY has ${bytes} bytes, fewer than ${KEY_BYTES_MIN}, so that it can be guessed. Give the store another one: trellis storage rotate-key.`
      : 'The master key of this store is not stretched. A rewrite stretches it: trellis storage rotate-key.',
  ];
  return { ...read, warnings };
}
