import { operations } from '@trellis/contract/operations/audit.ts';
import { answer, routesOf } from '../route.ts';

export const auditRoutes = routesOf(operations, {
  listAudit: async ({ caller, query }, { audit }) => answer(200, await audit.list(caller, query)),
});
