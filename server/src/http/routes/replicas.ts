import { operations } from '@trellis/contract/operations/replicas.ts';
import { answer, routesOf } from '../route.ts';
import type { ReplicaHealth, ReplicaRole } from '@trellis/contract/shapes/replica.ts';

export const replicasRoutes = routesOf(operations, {
  getReplicaRole: async (_input, { status }) => answer(200, roleOf(await status.replication())),
  listReplicas: async (_input, { replicas }) => answer(200, await replicas.list()),
  verifyReplicas: async (_input, { replicas }) => answer(200, await replicas.verify()),
  listMembers: async (_input, { members }) => answer(200, await members.list()),
  stepDown: async (_input, { members }) => {
    await members.stepDown();
    return answer(204);
  },
  registerReplica: async ({ body, address }, { replicas }) =>
    answer(200, await replicas.register(body, address)),
});

/** The role without the lag, which is left out here (specification, section 2.7). */
function roleOf(health: ReplicaHealth): ReplicaRole {
  if (health.isReplica) return health;
  const { isReplica, hasReplicas } = health;
  return { isReplica, hasReplicas };
}
