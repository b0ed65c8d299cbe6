import { getReplicaRole as operation } from '@trellis/contract/operations/replicas.ts';
import type { ReplicaHealth, ReplicaRole } from '@trellis/contract/shapes/replica.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getReplicaRole = jsonRoute(operation, async (_input, { status }) =>
  answer(200, roleOf(await status.replication())),
);

/** What anybody may know is more than what this tells: the lag is left out (specification, section 2.7). */
function roleOf(health: ReplicaHealth): ReplicaRole {
  if (health.isReplica) return health;
  const { isReplica, hasReplicas } = health;
  return { isReplica, hasReplicas };
}
