import { FILE_BYTES_MAX } from '#base/file-limits.ts';
import { uploadNodeFile as operation } from '@trellis/contract/operations/files.ts';
import { uploadRoute } from '../../upload-route.ts';

export const uploadNodeFile = uploadRoute(operation, {
  bytesMax: FILE_BYTES_MAX,
  admit: ({ caller, params }, { nodeFiles }) => nodeFiles.checkTarget(caller, params.uid),
  begin: ({ caller, params, address }, file, { nodeFiles }) =>
    nodeFiles.upload(caller, params.uid, file, address),
});
