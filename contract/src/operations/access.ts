import { z } from 'zod';
import { CHANGE_ERRORS, type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import {
  accessExplanation,
  nodeAccess,
  nodeAccessChange,
  principalNames,
  principals,
  typeAccess,
} from '../shapes/access.ts';
import { uidText } from '../bounded-shapes.ts';
import { USER_TEXT_CHARACTERS_MAX } from '../limits.ts';
import { LONG_BODY_BYTES_MAX } from '../request-limits.ts';

const params = z.object({ uid: uidText.min(1) });

export const operations = withIds({
  getTypeAccess: {
    sdk: 'access.getTypes',
    area: 'access',
    method: 'GET',
    path: '/api/access/types',
    auth: 'admin',
    responses: { 200: { description: 'The rules of all types that have some.', body: typeAccess } },
    errors: [],
    onReplica: 'serve',
    summary: 'Read who may see the nodes and fields of each type.',
  },

  putTypeAccess: {
    sdk: 'access.putTypes',
    area: 'access',
    method: 'PUT',
    path: '/api/access/types',
    auth: 'admin-write',
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: typeAccess,
    responses: { 200: { description: 'The rules from now on.', body: typeAccess } },
    errors: [...CHANGE_ERRORS],
    onReplica: 'redirect',
    summary: 'Replace the rules of all types.',
  },

  explainAccess: {
    sdk: 'access.explain',
    area: 'access',
    method: 'GET',
    path: '/api/access/explain',
    auth: 'admin',
    query: z.object({
      user: z.string().min(1).max(USER_TEXT_CHARACTERS_MAX),
      node: uidText.min(1),
    }),
    responses: { 200: { description: 'Whether, and every reason why.', body: accessExplanation } },
    errors: ['user_not_found', 'node_not_found'],
    onReplica: 'serve',
    summary: 'Explain why a user, by UID or name, sees a node or does not.',
  },

  getNodeAccess: {
    sdk: 'access.getNode',
    area: 'access',
    method: 'GET',
    path: '/api/access/nodes/{uid}',
    auth: 'session',
    params,
    responses: { 200: { description: 'Whom the node is restricted to.', body: nodeAccess } },
    errors: ['node_not_found'],
    onReplica: 'serve',
    summary: 'Read whom a node is restricted to: as its owner or an administrator.',
  },

  putNodeAccess: {
    sdk: 'access.putNode',
    area: 'access',
    method: 'PUT',
    path: '/api/access/nodes/{uid}',
    auth: 'session',
    params,
    body: nodeAccessChange,
    responses: { 200: { description: 'Whom it is restricted to from now on.', body: nodeAccess } },
    errors: ['node_not_found', ...STORE_ERRORS],
    onReplica: 'redirect',
    summary: 'Say whom a node is restricted to: as its owner or an administrator.',
  },

  resolvePrincipals: {
    sdk: 'access.resolvePrincipals',
    area: 'access',
    method: 'POST',
    path: '/api/access/principals',
    auth: 'admin',
    scope: 'ingestion:acl',
    body: principalNames,
    responses: { 200: { description: 'The UID behind each name, or null.', body: principals } },
    errors: [],
    onReplica: 'serve',
    summary:
      'Find the UIDs of users, by name or address, and of teams, by name, to restrict nodes to.',
  },
} as const satisfies Rows);
