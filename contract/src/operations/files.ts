import { z } from 'zod';
import { type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import {
  fileInPath,
  fileUpload,
  HARMLESS_MEDIA_TYPES,
  namedFileEntry,
  newFileUpload,
  nodeFile,
  uploadInPath,
  uploadOffset,
} from '../shapes/file.ts';
import { listOf, pageQuery } from '../shapes/list.ts';

const reads = { area: 'files', auth: 'session', scope: 'read', onReplica: 'serve' } as const;
const writes = {
  area: 'files',
  auth: 'admin-write',
  scope: 'ingestion',
  onReplica: 'redirect',
} as const;

export const operations = withIds({
  listNodeFiles: {
    ...reads,
    sdk: 'files.list',
    method: 'GET',
    path: '/api/node/{uid}/files',
    params: fileInPath,
    query: pageQuery,
    responses: { 200: { description: 'Files, by name.', body: listOf(nodeFile) } },
    errors: ['node_not_found'],
    summary: 'List the files of a node.',
  },

  /**
   * The one part of the form that has a file name is the file; there must be nothing else in it.
   */
  uploadNodeFile: {
    ...writes,
    sdk: 'files.upload',
    method: 'POST',
    path: '/api/node/{uid}/files',
    params: fileInPath,
    body: z.file(),
    consumes: ['multipart/form-data'],
    responses: { 201: { description: 'The file as it is kept.', body: namedFileEntry } },
    errors: ['node_not_found', 'file_exists', 'too_many_files', ...STORE_ERRORS],
    summary: 'Upload a file to a node.',
  },

  getFile: {
    ...reads,
    sdk: 'files.get',
    method: 'GET',
    path: '/api/files/{uid}',
    params: fileInPath,
    responses: { 200: { description: 'What is known of the file.', body: nodeFile } },
    errors: ['file_not_found'],
    summary: 'Read what is known of a file, without its content.',
  },

  /** With `Range` one range of bytes; with `If-None-Match`, nothing when it is the same. */
  downloadFile: {
    ...reads,
    sdk: 'files.download',
    method: 'GET',
    path: '/api/files/{uid}/content',
    params: fileInPath,
    responses: {
      200: {
        description:
          'The bytes; under their own media type where that is known to be harmless in a browser.',
        contentType: 'application/octet-stream',
        furtherTypes: HARMLESS_MEDIA_TYPES,
      },
      206: {
        description: 'Those of them that `Range` asks for.',
        contentType: 'application/octet-stream',
        furtherTypes: HARMLESS_MEDIA_TYPES,
      },
      304: { description: 'The same as the one that `If-None-Match` names.' },
    },
    errors: ['file_not_found', 'range_not_satisfiable'],
    summary: 'Download a file, or a part of it.',
  },

  deleteFile: {
    ...writes,
    sdk: 'files.delete',
    method: 'DELETE',
    path: '/api/files/{uid}',
    params: fileInPath,
    responses: { 204: { description: 'It is gone.' } },
    errors: ['file_not_found', ...STORE_ERRORS],
    summary: 'Delete a file.',
  },

  createFileUpload: {
    ...writes,
    sdk: 'files.createUpload',
    method: 'POST',
    path: '/api/node/{uid}/uploads',
    params: fileInPath,
    body: newFileUpload,
    responses: { 201: { description: 'The upload, to send bytes to.', body: fileUpload } },
    errors: ['node_not_found', 'file_exists', 'too_many_files', ...STORE_ERRORS],
    summary: 'Begin an upload to a node that may be interrupted.',
  },

  getFileUpload: {
    ...writes,
    sdk: 'files.getUpload',
    method: 'GET',
    path: '/api/uploads/{id}',
    params: uploadInPath,
    responses: { 200: { description: 'Where it is.', body: fileUpload } },
    errors: ['upload_not_found'],
    summary: 'Read how far an upload of your own is.',
  },

  appendFileUpload: {
    ...writes,
    sdk: 'files.appendUpload',
    method: 'PATCH',
    path: '/api/uploads/{id}',
    params: uploadInPath,
    headers: uploadOffset,
    body: z.file(),
    consumes: ['application/octet-stream'],
    responses: { 200: { description: 'Where it is now.', body: fileUpload } },
    errors: [
      'upload_not_found',
      'upload_conflict',
      'node_not_found',
      'file_exists',
      'too_many_files',
      ...STORE_ERRORS,
    ],
    summary: 'Send the next bytes of an upload, any number of them; the last one makes the file.',
  },

  deleteFileUpload: {
    ...writes,
    sdk: 'files.deleteUpload',
    method: 'DELETE',
    path: '/api/uploads/{id}',
    params: uploadInPath,
    responses: { 204: { description: 'It is given up, and nothing of it is left.' } },
    errors: ['upload_not_found', ...STORE_ERRORS],
    summary: 'Give up an upload of your own.',
  },
} as const satisfies Rows);
