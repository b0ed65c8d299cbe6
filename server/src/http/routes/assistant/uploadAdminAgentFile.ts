import { UPLOAD_BYTES_MAX } from '#base/admin-agent-limits.ts';
import { uploadAdminAgentFile as operation } from '@trellis/contract/operations/admin-agent.ts';
import { uploadRoute } from '../../upload-route.ts';

export const uploadAdminAgentFile = uploadRoute(operation, {
  bytesMax: UPLOAD_BYTES_MAX,
  admit: ({ caller, params }, { adminAgent }) => adminAgent.checkOwn(caller, params.id),
  begin: ({ caller, params, address }, file, { adminAgent }) =>
    adminAgent.upload(caller, params.id, file, address),
});
