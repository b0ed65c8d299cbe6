import { operations } from '@trellis/contract/operations/admin-agent.ts';
import { UPLOAD_BYTES_MAX } from '@trellis/contract/limits.ts';
import type { AdminAgentAsked } from '#assistant/admin-agent/admin-agent-turn.ts';
import { uploadRoute } from '../upload-route.ts';
import { acceptsEvents, answerInEvents } from '../event-stream.ts';
import { disconnectSignal } from '../live-answers.ts';
import { answer, readInput, type Route, routesOf, sendJson } from '../route.ts';

/**
 * A turn with the admin agent, answered as one JSON body or as events. Both stop when the client
 * leaves.
 */
function adminAgentTurnRoute(operation: typeof operations.sendAdminAgentMessage): Route {
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
      const said = await ask({ signal: disconnectSignal(reply) });
      return sendJson(reply, services, said);
    },
  };
}

/**
 * Carries out the proposal and sends its steps as events (specification, section 6.1). It goes on
 * when the client leaves.
 */
function adminAgentCommitRoute(operation: typeof operations.approveAdminAgentCommit): Route {
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

export const adminAgentRoutes = routesOf(operations, {
  createAdminAgentSession: async ({ caller }, { adminAgent }) =>
    answer(201, await adminAgent.create(caller)),
  listAdminAgentSessions: async ({ caller, query }, { adminAgent }) =>
    answer(200, await adminAgent.list(caller, query)),
  getAdminAgentSession: async ({ caller, params }, { adminAgent }) =>
    answer(200, await adminAgent.get(caller, params.id)),
  deleteAdminAgentSession: async ({ caller, params, address }, { adminAgent }) => {
    await adminAgent.delete(caller, params.id, address);
    return answer(204);
  },
  sendAdminAgentMessage: adminAgentTurnRoute(operations.sendAdminAgentMessage),
  uploadAdminAgentFile: uploadRoute(operations.uploadAdminAgentFile, {
    bytesMax: UPLOAD_BYTES_MAX,
    admit: ({ caller, params }, { adminAgent }) => adminAgent.checkOwn(caller, params.id),
    begin: ({ caller, params, address }, file, { adminAgent }) =>
      adminAgent.upload(caller, params.id, file, address),
  }),
  approveAdminAgentCommit: adminAgentCommitRoute(operations.approveAdminAgentCommit),
  rejectAdminAgentCommit: async ({ caller, params, address }, { adminAgent }) => {
    await adminAgent.reject(caller, params.id, address);
    return answer(204);
  },
});
