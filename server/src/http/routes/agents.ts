import { operations } from '@trellis/contract/operations/agents.ts';
import { agentRunRoute } from '../agent-run-route.ts';
import { answer } from '../answer.ts';
import { routesOf } from '../routes-of.ts';

export const agentsRoutes = routesOf(operations, {
  listAgents: async ({ caller, query }, { agents }) =>
    answer(200, await agents.list(caller, query)),
  createAgent: async ({ caller, body, address }, { agents }) =>
    answer(201, await agents.create(caller, body, address)),
  getAgent: async ({ caller, params }, { agents }) =>
    answer(200, await agents.get(caller, params.name)),
  putAgent: async ({ caller, params, body, address }, { agents }) =>
    answer(200, await agents.put(caller, params.name, body, address)),
  deleteAgent: async ({ caller, params, address }, { agents }) => {
    await agents.delete(caller, params.name, address);
    return answer(204);
  },
  runAgent: agentRunRoute(operations.runAgent),
  listAgentRuns: async ({ caller, query }, { agentRuns }) =>
    answer(200, await agentRuns.list(caller, query)),
  getAgentRun: async ({ caller, params }, { agentRuns }) =>
    answer(200, await agentRuns.get(caller, params.uid)),
  cancelAgentRun: async ({ caller, params }, { agentRuns }) =>
    answer(200, await agentRuns.cancel(caller, params.uid)),
});
