import { getAgentRun as operation } from '@trellis/contract/operations/agents.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getAgentRun = jsonRoute(operation, async ({ caller, params }, { agentRuns }) =>
  answer(200, await agentRuns.get(caller, params.uid)),
);
