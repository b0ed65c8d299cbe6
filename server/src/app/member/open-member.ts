import { hostname } from 'node:os';
import { HEALTH_ADVICE } from '@trellis/contract/health-advice.ts';
import { must } from '#base/assert.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import { databaseProblem } from '#log/postgres/database-problem.ts';
import { MemberRegistry } from '#log/postgres/member-registry.ts';
import { deriveReplicationSecret } from '#replication/session-keys.ts';
import { proofOfMember } from '../replication/registration.ts';
import type { Workspace, WorkspaceOptions } from '../workspace.ts';
import { addressOf, openSharedDatabase } from '../writer/shared-log.ts';
import { claimMemberFolder } from './member-folder.ts';
import { Member } from './member.ts';

/**
 * One of the processes that share a log in PostgreSQL: it follows the one of them that holds the
 * lease, or holds it (design, section 7; decision 0032). Listens, so that it can be asked how it
 * is; not ready yet. Rejects with `log_database_unsuitable`, `storage_failed` when PostgreSQL does
 * not answer, `storage_in_use`, `storage_not_empty`, `wrong_master_key`, `member_name_taken`,
 * `replication_not_authenticated`.
 */
export async function openMember(options: WorkspaceOptions): Promise<Workspace> {
  const { config, secrets, storage, logger } = options;
  const { workspace, name } = must(config.member, 'the settings of a member');
  const masterKey = secrets.graphMasterKey;
  const jwtKey = must(secrets.jwtKey, 'MSK_JWT_KEY of a member');
  const place = { url: must(secrets.sharedLog, 'MSK_LOG of a member'), workspace };
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await openSharedDatabase(place, masterKey));
  const registry = opened.use(new MemberRegistry(addressOf(place), workspace));
  const log = await registry.report().catch((error: unknown) => {
    throw databaseProblem('reading the commit log in PostgreSQL', error);
  });
  const { epoch } = await database.readManifest();
  const inFolder = await claimMemberFolder({ storage, masterKey }, { epoch, log });
  const run = formatUid(randomUid());
  const member = opened.use(
    new Member(options, {
      place,
      database,
      registry,
      epoch,
      inFolder,
      name: name ?? `${hostname()}:${config.http.port || run}`,
      run,
      keyProof: proofOfMember(deriveReplicationSecret(Buffer.from(jwtKey))),
    }),
  );
  await member.open();
  if (!member.isSynchronous) {
    const { meaning, remedy } = HEALTH_ADVICE.no_standby;
    logger.warn(`${meaning} ${remedy}`);
  }
  const resources = opened.move();
  return {
    get url() {
      return member.url;
    },
    get role() {
      return member.role;
    },
    get uid() {
      return member.uid;
    },
    crashed: member.crashed,
    makeReady: () => member.ready,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
