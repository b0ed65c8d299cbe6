import { getAdminAgentSession as operation } from '@trellis/contract/operations/admin-agent.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getAdminAgentSession = jsonRoute(
  operation,
  async ({ caller, params }, { adminAgent }) =>
    answer(200, await adminAgent.get(caller, params.id)),
);
