import { operations } from '@trellis/contract/operations/admin-agent.ts';
import { UPLOAD_BYTES_MAX } from '@trellis/contract/limits.ts';
import { adminAgentCommitRoute, adminAgentTurnRoute } from '../admin-agent-routes.ts';
import { answer } from '../answer.ts';
import { routesOf } from '../routes-of.ts';
import { uploadRoute } from '../upload-route.ts';

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
