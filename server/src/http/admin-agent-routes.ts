import type { AdminAgentAsked } from '#assistant/admin-agent/admin-agent-turn.ts';
import type { operations } from '@trellis/contract/operations/admin-agent.ts';
import { acceptsEvents, answerInEvents } from './answer-events.ts';
import { disconnectSignal } from './disconnect.ts';
import { readInput, sendJson, type Route } from './route.ts';

/** A turn of a conversation with the admin agent: one JSON answer, or the events of it; either stops when the client leaves. */
export function adminAgentTurnRoute(operation: typeof operations.sendAdminAgentMessage): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, context) {
      const { services } = context;
      const { caller, params, body, address } = readInput(operation, request);
      const ask = (more: Pick<AdminAgentAsked, 'signal' | 'onBegin' | 'onEvent'>) =>
        services.adminAgent.ask(params.id, { ...body, caller, address, ...more });
      if (acceptsEvents(request)) {
        return answerInEvents({ operation, request, reply, context }, ({ signal, open, tell }) =>
          ask({ signal, onBegin: open, onEvent: ({ event, data }) => tell(event, data) }),
        );
      }
      const answer = await ask({ signal: disconnectSignal(reply) });
      return sendJson(reply, services, answer);
    },
  };
}

/** What was proposed is done while its steps are told (specification, section 6.1); it is done as well when the client leaves. */
export function adminAgentCommitRoute(operation: typeof operations.approveAdminAgentCommit): Route {
  return {
    operation,
    intake: 'json',
    handle(request, reply, context) {
      const { caller, params, body, address } = readInput(operation, request);
      return answerInEvents({ operation, request, reply, context }, ({ open, tell }) =>
        context.services.adminAgent.approve(caller, params.id, body ?? {}, {
          address,
          onAccepted: open,
          log: (text) => tell('log', { text }),
        }),
      );
    },
  };
}
