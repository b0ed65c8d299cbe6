import { sendAdminAgentMessage as operation } from '@trellis/contract/operations/admin-agent.ts';
import { adminAgentTurnRoute } from '../../admin-agent-routes.ts';

export const sendAdminAgentMessage = adminAgentTurnRoute(operation);
