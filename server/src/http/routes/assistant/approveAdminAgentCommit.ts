import { approveAdminAgentCommit as operation } from '@trellis/contract/operations/admin-agent.ts';
import { adminAgentCommitRoute } from '../../admin-agent-routes.ts';

export const approveAdminAgentCommit = adminAgentCommitRoute(operation);
