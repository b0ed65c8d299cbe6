import { withIds, type Rows } from '../operation.ts';
import { auditEvent, auditQuery } from '../shapes/audit.ts';
import { listOf } from '../shapes/list.ts';

export const operations = withIds({
  listAudit: {
    sdk: 'audit.list',
    area: 'audit',
    method: 'GET',
    path: '/api/audit',
    auth: 'admin',
    query: auditQuery,
    responses: { 200: { description: 'Events, newest first.', body: listOf(auditEvent) } },
    errors: [],
    onReplica: 'serve',
    summary: 'List who signed in, and who changed users, teams, tokens, access and settings.',
  },
} as const satisfies Rows);
