import { cancelAgentRun as operation } from '@trellis/contract/operations/agents.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const cancelAgentRun = jsonRoute(operation, async ({ caller, params }, { agentRuns }) =>
  answer(200, await agentRuns.cancel(caller, params.uid)),
);
