import type { Config } from '#config/config.ts';
import type { HttpServices } from '#http/services.ts';
import type { Logger } from '#observe/logger.ts';
import { failed, OFF, OK, type PartState } from '#observe/health.ts';
import { Problem } from '#base/problem.ts';
import type { Notice } from '#replication/message-shapes.ts';
import { deriveReplicationSecret } from '#replication/session-keys.ts';
import type { FrontEndFiles } from '../front-end/front-end-files.ts';
import type { OpenStorage } from '../open-storage.ts';
import { VERSION } from '../server-status.ts';
import { PrimaryReplication } from './primary-replication.ts';

export interface PrimaryParts {
  readonly storage: string;
  readonly opened: OpenStorage;
  readonly config: Config;
  readonly masterKey: string | null;
  readonly logger: Logger;
  readonly frontEnd: FrontEndFiles;
}

/** What HTTP tells of replication, and how replicas get in. */
export interface ReplicationRole extends AsyncDisposable {
  readonly replicas: HttpServices['replicas'];
  readonly health: HttpServices['status']['replication'];
  /** How the channel is. */
  readonly condition: () => PartState;
  readonly publicUrls: PrimaryReplication['publicUrls'];
  readonly onReplicas: PrimaryReplication['onReplicas'];
  readonly embedWith: PrimaryReplication['embedWith'];
  readonly reportTo: PrimaryReplication['reportTo'];
  /** To every replica, also to those that connect later. */
  announce(notice: Notice): void;
}

/**
 * Lets replicas follow this primary. A port that is taken is in the log and keeps nothing else from
 * working: the workspace is worth more than its replicas.
 */
export async function openReplication(
  { storage, opened, config, masterKey, logger, frontEnd }: PrimaryParts,
  jwtKey: string,
): Promise<ReplicationRole> {
  const options = {
    storage,
    masterKey,
    host: config.replication.host,
    port: config.replication.port,
    secret: deriveReplicationSecret(Buffer.from(jwtKey)),
    version: VERSION,
    frontEnd: new Map([...frontEnd.values()].map(({ digest, bytes }) => [digest, bytes])),
    followers: opened.followers.buffer,
  };
  try {
    const replication = await PrimaryReplication.open(options, logger);
    return {
      replicas: replication,
      health: () => replication.health(),
      condition: () => (replication.isEnded ? failed('thread_ended') : OK),
      publicUrls: () => replication.publicUrls(),
      onReplicas: (listener) => replication.onReplicas(listener),
      embedWith: (embed) => replication.embedWith(embed),
      reportTo: (jobs) => replication.reportTo(jobs),
      announce: (notice) => {
        replication
          .announce(notice)
          .catch((err: unknown) => logger.warn({ err }, `replicas do not hear of ${notice.kind}`));
      },
      [Symbol.asyncDispose]: () => replication[Symbol.asyncDispose](),
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    logger.error({ err: error }, 'replicas cannot follow this server');
    return { ...withoutReplication(), condition: () => failed('port_not_open') };
  }
}

/** The role of a primary that has no key in common with anybody (specification, section 2.9). */
export function withoutReplication(): ReplicationRole {
  const refuse = (): Promise<never> =>
    Promise.reject(new Problem('replication_off', 'This server serves no replicas.'));
  return {
    replicas: { register: refuse, list: refuse, verify: refuse },
    health: () => ({ isReplica: false, hasReplicas: false }),
    condition: () => OFF,
    publicUrls: () => [],
    onReplicas: () => undefined,
    embedWith: () => undefined,
    reportTo: () => undefined,
    announce: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
