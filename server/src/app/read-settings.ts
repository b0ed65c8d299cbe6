import { resolve } from 'node:path';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { KEY_BYTES_MIN } from '#base/sign-in-limits.ts';
import type { ConfigFault, Environment } from '#config/config-error.ts';
import { readConfig } from '#config/read-config.ts';
import { layerSettings, type SettingFlag } from '#config/setting-layers.ts';
import { parseSettingsFile, type SettingsFile } from '#config/settings-file.ts';
import { type Variable, variables } from '#config/variables.ts';
import { olderStore, type OlderStore } from '#store/master-key.ts';
import { parsePostgresAddress } from '#log/postgres/postgres-address.ts';
import { Problem } from '#base/problem.ts';

/** The storage folder that the variables name. Absolute. */
export function storageFolderOf(env: Environment): string {
  return resolve((env['MSK_GRAPH_STORAGE'] ?? '').trim() || './data');
}

/** What goes with the environment. */
export interface SettingSources {
  readonly flags?: readonly SettingFlag[];
  /** Path of a file of settings (`parseSettingsFile`). */
  readonly file?: string | undefined;
}

export interface Settings extends ReturnType<typeof readConfig> {
  /** The variables of all sources together. */
  readonly env: Environment;
}

/** A short master key opens a store that an older version has made with it, and no other one. */
export function readSettings(given: Environment, sources: SettingSources = {}): Settings {
  const { flags = [], file: path = '' } = sources;
  const file = path === '' ? NO_FILE : readSettingsFile(path);
  const { env, origins } = layerSettings(given, flags, path, file);
  const older = olderStore(storageFolderOf(env));
  const opensOlder = older?.isOfOlderKey === true;
  const faults = [...file.faults, ...faultsOfLog(env)];
  const read = readConfig(env, { opensOlder, origins, faults });
  const warnings = [...read.warnings];
  if (path !== '' && isSecretOfEverybody(path, file)) {
    warnings.push(`${path} has secrets, and every user of this machine can read it: chmod 600 it.`);
  }
  if (opensOlder) warnings.push(warningOfKey(read.secrets.graphMasterKey ?? ''));
  const format = remedyOfFormat(older);
  if (format !== undefined) warnings.push(`${format.finding} ${format.remedy}`);
  return { ...read, warnings, env };
}

/** The part that reads the address of PostgreSQL says more of it than the table of variables. */
export function faultsOfLog(env: Environment): ConfigFault[] {
  const text = (env['MSK_LOG'] ?? '').trim();
  // What is no such address at all is found with the other variables.
  const address = text.startsWith('postgres') ? parsePostgresAddress(text) : '';
  if (typeof address !== 'string' || address === '') return [];
  const remedy = 'Set it to postgres://user:password@host/database, as docs/cluster.md shows.';
  return [{ variable: 'MSK_LOG', problem: `cannot be used: ${address}`, remedy }];
}

const NO_FILE: SettingsFile = { values: {}, lines: new Map(), faults: [] };

function readSettingsFile(path: string): SettingsFile {
  try {
    return parseSettingsFile(path, readFileSync(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    const problem = `cannot be read (${String(error.code)})`;
    const remedy = 'Name a file with one NAME=value on each line.';
    return { ...NO_FILE, faults: [{ variable: path, problem, remedy }] };
  }
}

const READABLE_BY_OTHERS = 0o004;

function isSecretOfEverybody(path: string, { values }: SettingsFile): boolean {
  const secrets = Object.entries<Variable>(variables).filter(([, { secret }]) => secret === true);
  return (
    secrets.some(([name]) => name in values) && (statSync(path).mode & READABLE_BY_OTHERS) !== 0
  );
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
