import { withIds, type Rows } from '../operation.ts';
import { memberOverview } from '../shapes/member.ts';
import {
  replicaAdmission,
  replicaOverview,
  replicaRegistration,
  replicaRole,
  replicaVerification,
} from '../shapes/replica.ts';

export const operations = withIds({
  getReplicaRole: {
    sdk: 'replicas.getRole',
    area: 'replicas',
    method: 'GET',
    path: '/api/graph/replica',
    auth: 'admin',
    responses: { 200: { description: 'The role of the server that answers.', body: replicaRole } },
    errors: [],
    onReplica: 'serve',
    summary: 'Tell whether this server is a replica.',
  },

  listReplicas: {
    sdk: 'replicas.list',
    area: 'replicas',
    method: 'GET',
    path: '/api/replicas',
    auth: 'admin',
    responses: { 200: { description: 'The primary and its replicas.', body: replicaOverview } },
    errors: ['replication_off'],
    onReplica: 'redirect',
    summary: 'List the replicas of this primary, with how far each is.',
  },

  verifyReplicas: {
    sdk: 'replicas.verify',
    area: 'replicas',
    method: 'POST',
    path: '/api/replicas/verify',
    auth: 'admin',
    responses: { 200: { description: 'How they compare.', body: replicaVerification } },
    errors: ['replication_off', 'verification_running', 'job_cancelled'],
    onReplica: 'redirect',
    summary: 'Compare the state of every replica with that of the primary, at one sequence.',
  },

  listMembers: {
    sdk: 'members.list',
    area: 'replicas',
    method: 'GET',
    path: '/api/graph/members',
    auth: 'admin',
    responses: { 200: { description: 'The members, and the log.', body: memberOverview } },
    errors: ['members_off', 'log_unreachable'],
    onReplica: 'serve',
    summary: 'List the members of this workspace, and how far each is.',
  },

  stepDown: {
    sdk: 'members.stepDown',
    area: 'replicas',
    method: 'POST',
    path: '/api/graph/members/step-down',
    auth: 'admin-write',
    responses: { 204: { description: 'The primary steps down, and another member takes over.' } },
    errors: ['members_off', 'no_other_member'],
    onReplica: 'redirect',
    summary: 'Let another member become the primary.',
  },

  registerReplica: {
    area: 'replicas',
    method: 'POST',
    path: '/api/replicas/register',
    // The proof in the body is what lets it in.
    auth: 'none',
    body: replicaRegistration,
    responses: { 200: { description: 'The replica may follow.', body: replicaAdmission } },
    errors: [
      'replication_not_authenticated',
      'replication_master_key_differs',
      'replication_off',
      'replication_busy',
    ],
    onReplica: 'redirect',
    summary: 'Register a read-only replica with its primary.',
  },
} as const satisfies Rows);
