import { HEALTH_ADVICE } from '@trellis/contract/health-advice.ts';
import type { HttpServices } from '#http/services.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { Followers } from '#log/followers.ts';
import { failed, OFF } from '#observe/health.ts';
import { Problem } from '#base/problem.ts';
import { deriveReplicationSecret } from '#replication/session-keys.ts';
import type { FrontEndFiles } from '../front-end/front-end-files.ts';
import { VERSION } from '../server-status.ts';
import type { WorkspaceOptions } from '../workspace.ts';
import { PrimaryReplication } from './primary-replication.ts';

/** The side of a primary that its replicas see, whether it serves any or not. */
export type ReplicationRole = Pick<
  PrimaryReplication,
  | keyof HttpServices['replicas']
  | 'health'
  | 'condition'
  | 'publicUrls'
  | 'onReplicas'
  | 'onReports'
  | 'embedWith'
  | 'announce'
  | typeof Symbol.asyncDispose
>;

interface ReplicationArguments {
  readonly followers: Followers;
  readonly jobs: JobRegistry;
  /** The built-in one. */
  readonly frontEnd: FrontEndFiles;
}

/**
 * Lets replicas follow this primary, unless it has no key in common with anybody (specification,
 * section 2.9). A port that is taken is in the log and keeps nothing else from working: the
 * workspace is worth more than its replicas.
 */
export async function openReplication(
  { storage, config, secrets, replicationLogger: logger }: WorkspaceOptions,
  { followers, jobs, frontEnd }: ReplicationArguments,
): Promise<ReplicationRole> {
  const { jwtKey, graphMasterKey: masterKey } = secrets;
  if (jwtKey === null) return withoutReplication();
  const options = {
    storage,
    masterKey,
    host: config.replication.host,
    port: config.replication.port,
    secret: deriveReplicationSecret(Buffer.from(jwtKey)),
    version: VERSION,
    frontEnd: new Map([...frontEnd.values()].map(({ digest, bytes }) => [digest, bytes])),
    followers: followers.buffer,
  };
  try {
    return await PrimaryReplication.open(options, { logger, jobs });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    logger.error({ err: error }, 'replicas cannot follow this server');
    const { meaning, remedy } = HEALTH_ADVICE.port_not_open;
    const refusal = (): Problem => new Problem('replication_off', meaning, { hint: remedy });
    return { ...withoutReplication(refusal), condition: () => failed('port_not_open') };
  }
}

/** The role of a primary that serves no replicas, and why not. */
export function withoutReplication(
  refusal = () => new Problem('replication_off', 'This server serves no replicas.'),
): ReplicationRole {
  const refuse = (): Promise<never> => Promise.reject(refusal());
  return {
    register: refuse,
    list: refuse,
    verify: refuse,
    health: async () => ({ isReplica: false, hasReplicas: false }),
    condition: () => OFF,
    publicUrls: () => [],
    onReplicas: () => undefined,
    onReports: () => undefined,
    embedWith: () => undefined,
    announce: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
