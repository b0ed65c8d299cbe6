import { operations } from '@trellis/contract/operations/agents.ts';
import { disconnectSignal } from '../live-answers.ts';
import { forwardedHeaders } from '../headers.ts';
import { answer, readInput, type Route, routesOf, sendJson } from '../route.ts';

/** A run of an agent. It ends when the client leaves, unless it runs in the background. */
function agentRunRoute(operation: typeof operations.runAgent): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, { services }) {
      const { caller, address, params, body } = readInput(operation, request);
      const origin = {
        address,
        headers: forwardedHeaders(request.headers),
        authorization: request.headers.authorization,
        signal: disconnectSignal(reply),
      };
      const begin = body.async === true ? 'start' : 'run';
      const run = await services.agentRuns[begin](caller, params.name, body, origin);
      return sendJson(reply.code(begin === 'start' ? 202 : 200), services, run);
    },
  };
}

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
