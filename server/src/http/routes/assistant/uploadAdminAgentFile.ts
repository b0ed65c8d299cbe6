import { uploadAdminAgentFile as operation } from '@trellis/contract/operations/admin-agent.ts';
import { uploadRoute } from '../../upload-route.ts';

export const uploadAdminAgentFile = uploadRoute(operation, {
  admit: ({ caller, params }, { adminAgent }) => adminAgent.checkOwn(caller, params.id),
  begin: ({ caller, params, address }, file, { adminAgent }) =>
    adminAgent.upload(caller, params.id, file, address),
});
