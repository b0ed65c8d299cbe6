import { rejectAdminAgentCommit as operation } from '@trellis/contract/operations/admin-agent.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const rejectAdminAgentCommit = jsonRoute(
  operation,
  async ({ caller, params, address }, { adminAgent }) => {
    await adminAgent.reject(caller, params.id, address);
    return answer(204);
  },
);
