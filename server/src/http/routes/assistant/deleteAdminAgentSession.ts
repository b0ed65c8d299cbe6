import { deleteAdminAgentSession as operation } from '@trellis/contract/operations/admin-agent.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const deleteAdminAgentSession = jsonRoute(
  operation,
  async ({ caller, params, address }, { adminAgent }) => {
    await adminAgent.delete(caller, params.id, address);
    return answer(204);
  },
);
