import { listAgentRuns as operation } from '@trellis/contract/operations/agents.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listAgentRuns = jsonRoute(operation, async ({ caller, query }, { agentRuns }) =>
  answer(200, await agentRuns.list(caller, query)),
);
