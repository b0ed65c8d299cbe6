import * as operations from '@trellis/contract/operations/files.ts';
import { FILE_BYTES_MAX } from '@trellis/contract/limits.ts';
import { answer } from '../answer.ts';
import { fileAppendRoute, fileDownloadRoute } from '../file-route.ts';
import { routesOf } from '../routes-of.ts';
import { uploadRoute } from '../upload-route.ts';

export const filesRoutes = routesOf(operations, {
  listNodeFiles: async ({ caller, params, query }, { nodeFiles }) =>
    answer(200, await nodeFiles.list(caller, params.uid, query)),
  uploadNodeFile: uploadRoute(operations.uploadNodeFile, {
    bytesMax: FILE_BYTES_MAX,
    admit: ({ caller, params }, { nodeFiles }) => nodeFiles.checkTarget(caller, params.uid),
    begin: ({ caller, params, address }, file, { nodeFiles }) =>
      nodeFiles.upload(caller, params.uid, file, address),
  }),
  getFile: async ({ caller, params }, { nodeFiles }) =>
    answer(200, await nodeFiles.get(caller, params.uid)),
  downloadFile: fileDownloadRoute(operations.downloadFile),
  deleteFile: async ({ caller, params, address }, { nodeFiles }) => {
    await nodeFiles.delete(caller, params.uid, address);
    return answer(204);
  },
  createFileUpload: async ({ caller, params, body }, { nodeFiles }) =>
    answer(201, await nodeFiles.beginUpload(caller, params.uid, body)),
  getFileUpload: async ({ caller, params }, { nodeFiles }) =>
    answer(200, await nodeFiles.getUpload(caller, params.id)),
  appendFileUpload: fileAppendRoute(operations.appendFileUpload),
  deleteFileUpload: async ({ caller, params }, { nodeFiles }) => {
    await nodeFiles.deleteUpload(caller, params.id);
    return answer(204);
  },
});
