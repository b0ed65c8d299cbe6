import type { HttpServices } from '#http/services.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { Followers } from '#log/followers.ts';
import { OFF } from '#observe/health.ts';
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
  | 'settled'
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
 * section 2.9).
 */
export function openReplication(
  { storage, config, secrets, replicationLogger: logger }: WorkspaceOptions,
  { followers, jobs, frontEnd }: ReplicationArguments,
): ReplicationRole {
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
  return new PrimaryReplication(options, { logger, jobs });
}

/** The role of a primary that serves no replicas. */
export function withoutReplication(): ReplicationRole {
  const refuse = (): Promise<never> =>
    Promise.reject(new Problem('replication_off', 'This server serves no replicas.'));
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
    settled: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
