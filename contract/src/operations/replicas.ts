import type { Operation } from '../operation.ts';
import { replicaRole } from '../shapes/replica.ts';

export const getReplicaRole = {
  id: 'getReplicaRole',
  area: 'replicas',
  method: 'GET',
  path: '/api/graph/replica',
  auth: 'admin',
  responses: { 200: { description: 'The role of the server that answers.', body: replicaRole } },
  errors: [],
  onReplica: 'serve',
  summary: 'Tell whether this server is a replica.',
} as const satisfies Operation;
