import type { operations } from '@trellis/contract/operations/agents.ts';
import { disconnectSignal } from './disconnect.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import { readInput, sendJson, type Route } from './route.ts';

/** A run of an agent, which ends when the client leaves; unless it goes on by itself. */
export function agentRunRoute(operation: typeof operations.runAgent): Route {
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
