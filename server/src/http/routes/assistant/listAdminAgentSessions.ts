import { listAdminAgentSessions as operation } from '@trellis/contract/operations/admin-agent.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listAdminAgentSessions = jsonRoute(
  operation,
  async ({ caller, query }, { adminAgent }) => answer(200, await adminAgent.list(caller, query)),
);
