import { resolve } from 'node:path';
import { mkdirSync } from 'node:fs';
import { KEY_BYTES_MIN } from '#base/sign-in-limits.ts';
import { type Environment, readConfig } from '#config/read-config.ts';
import { olderStore, type OlderStore } from '#store/master-key.ts';
import { Problem } from '#base/problem.ts';

/** The storage folder that the variables name. Absolute. */
export function storageFolderOf(env: Environment): string {
  return resolve((env['MSK_GRAPH_STORAGE'] ?? '').trim() || './data');
}

/** A short master key opens a store that an older version has made with it, and no other one. */
export function readSettings(env: Environment): ReturnType<typeof readConfig> {
  const older = olderStore(storageFolderOf(env));
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

/** The absolute path of the storage folder (`MSK_GRAPH_STORAGE`), made when it is missing. */
export function createStorageFolder(folder: string): string {
  const storage = resolve(folder);
  try {
    mkdirSync(storage, { recursive: true });
  } catch (cause) {
    throw new Problem('storage_failed', `the storage folder ${storage} cannot be made`, {
      hint: 'Set MSK_GRAPH_STORAGE to a folder that this user may write.',
      cause,
    });
  }
  return storage;
}

interface FormatRemedy {
  readonly finding: string;
  readonly remedy: string;
}

/**
 * What is told of a store that an older version has written; undefined of one in the newest format.
 */
export function remedyOfFormat(store: OlderStore | undefined): FormatRemedy | undefined {
  if (store === undefined || !store.isOfOlderFormat) return undefined;
  if (!store.isEncrypted) {
    return {
      finding: 'The values of this store have no check by which damage is told when they are read.',
      remedy: 'Stop the server and rewrite the store: trellis storage compact.',
    };
  }
  return {
    finding:
      'This store is encrypted page by page, so that who has two of its files, or two copies of one, can read text in them.',
    remedy:
      'Stop the server and rewrite the store: trellis storage rotate-key, or trellis storage compact to keep the key. Destroy old copies of graph/ and vault/.',
  };
}
