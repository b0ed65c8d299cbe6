import { runAgent as operation } from '@trellis/contract/operations/agents.ts';
import { agentRunRoute } from '../../agent-run-route.ts';

export const runAgent = agentRunRoute(operation);
