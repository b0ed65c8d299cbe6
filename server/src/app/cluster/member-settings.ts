import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import type { Environment } from '#config/config-error.ts';
import { readConfig } from '#config/read-config.ts';
import { databaseProblem } from '#log/postgres/database-problem.ts';
import { type ReadableLog, readDatabaseLog } from '#log/postgres/log-reader.ts';
import { PostgresDatabase } from '#log/postgres/postgres-database.ts';
import { digestState } from '#store/snapshot.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { faultsOfLog } from '../read-settings.ts';
import { addressOf, secretOf, type SharedLogPlace } from '../writer/shared-log.ts';

/** The variables of a member, for commands that need no server. */
export interface MemberSettings extends ReturnType<typeof readConfig> {
  readonly place: SharedLogPlace;
  readonly masterKey: string | null;
}

/** Throws a `ConfigError`, and `members_off` without MSK_LOG. */
export function memberSettings(env: Environment): MemberSettings {
  const read = readConfig(env, { opensOlder: true, faults: faultsOfLog(env) });
  const { config, secrets } = read;
  if (config.member === null) {
    throw new Problem('members_off', 'MSK_LOG is not set', {
      hint: 'Set the variables of a member: MSK_LOG, MSK_JWT_KEY, and MSK_WORKSPACE if it has one.',
    });
  }
  const url = must(secrets.sharedLog, 'MSK_LOG of a member');
  const place = { url, workspace: config.member.workspace };
  return { ...read, place, masterKey: secrets.graphMasterKey };
}

interface SharedLogReading extends AsyncDisposable {
  /** What messages call it. */
  readonly place: string;
  readonly log: ReadableLog;
}

/** Throws `log_database_unsuitable` when PostgreSQL does not have the workspace. */
export async function openToRead({ place, masterKey }: MemberSettings): Promise<SharedLogReading> {
  await using opened = new AsyncDisposableStack();
  const { workspace } = place;
  const options = { address: addressOf(place), workspace, begin: undefined };
  const database = await PostgresDatabase.open(options).catch((error: unknown) => {
    throw databaseProblem('opening the commit log in PostgreSQL', error);
  });
  opened.use(database);
  const log = await readDatabaseLog(database, secretOf(masterKey).encryptionKey);
  const resources = opened.move();
  return {
    place: database.place,
    log,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Of a folder that nobody has open. */
export async function stateDigest(storage: string, masterKey: string | null): Promise<string> {
  const environments = ['graph', 'vault'] as const;
  using reader = openSnapshotReader({ storage, masterKey: masterKey ?? undefined, environments });
  return (await digestState(reader)).digest;
}
