import { operations } from '@trellis/contract/operations/files.ts';
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
  createFileUpload: async ({ caller, params, body }, { fileUploads }) => {
    const { contentType = '', ...upload } = body;
    return answer(201, await fileUploads.create(caller, params.uid, { ...upload, contentType }));
  },
  getFileUpload: async ({ caller, params }, { fileUploads }) =>
    answer(200, fileUploads.get(caller, params.id)),
  appendFileUpload: fileAppendRoute(operations.appendFileUpload),
  deleteFileUpload: async ({ caller, params }, { fileUploads }) => {
    await fileUploads.delete(caller, params.id);
    return answer(204);
  },
});
