import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
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

export const operations = withIds({
  listNodeFiles: {
    sdk: 'files.list',
    area: 'files',
    method: 'GET',
    path: '/api/node/{uid}/files',
    auth: 'session',
    scope: 'read',
    params: fileInPath,
    query: pageQuery,
    responses: { 200: { description: 'Files, by name.', body: listOf(nodeFile) } },
    errors: ['node_not_found'],
    onReplica: 'serve',
    summary: 'List the files of a node.',
  },

  /**
   * The one part of the form that has a file name is the file; there must be nothing else in it.
   */
  uploadNodeFile: {
    sdk: 'files.upload',
    area: 'files',
    method: 'POST',
    path: '/api/node/{uid}/files',
    auth: 'admin-write',
    scope: 'ingestion',
    params: fileInPath,
    body: z.file(),
    consumes: ['multipart/form-data'],
    responses: { 201: { description: 'The file as it is kept.', body: namedFileEntry } },
    errors: ['node_not_found', 'file_exists', 'too_many_files', 'storage_failed', 'storage_full'],
    onReplica: 'redirect',
    summary: 'Upload a file to a node.',
  },

  getFile: {
    sdk: 'files.get',
    area: 'files',
    method: 'GET',
    path: '/api/files/{uid}',
    auth: 'session',
    scope: 'read',
    params: fileInPath,
    responses: { 200: { description: 'What is known of the file.', body: nodeFile } },
    errors: ['file_not_found'],
    onReplica: 'serve',
    summary: 'Read what is known of a file, without its content.',
  },

  /** With `Range` one range of bytes; with `If-None-Match`, nothing when it is the same. */
  downloadFile: {
    sdk: 'files.download',
    area: 'files',
    method: 'GET',
    path: '/api/files/{uid}/content',
    auth: 'session',
    scope: 'read',
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
    onReplica: 'serve',
    summary: 'Download a file, or a part of it.',
  },

  deleteFile: {
    sdk: 'files.delete',
    area: 'files',
    method: 'DELETE',
    path: '/api/files/{uid}',
    auth: 'admin-write',
    scope: 'ingestion',
    params: fileInPath,
    responses: { 204: { description: 'It is gone.' } },
    errors: ['file_not_found', 'storage_failed', 'storage_full'],
    onReplica: 'redirect',
    summary: 'Delete a file.',
  },

  createFileUpload: {
    sdk: 'files.createUpload',
    area: 'files',
    method: 'POST',
    path: '/api/node/{uid}/uploads',
    auth: 'admin-write',
    scope: 'ingestion',
    params: fileInPath,
    body: newFileUpload,
    responses: { 201: { description: 'The upload, to send bytes to.', body: fileUpload } },
    errors: ['node_not_found', 'file_exists', 'too_many_files', 'storage_failed', 'storage_full'],
    onReplica: 'redirect',
    summary: 'Begin an upload to a node that may be interrupted.',
  },

  getFileUpload: {
    sdk: 'files.getUpload',
    area: 'files',
    method: 'GET',
    path: '/api/uploads/{id}',
    auth: 'admin-write',
    scope: 'ingestion',
    params: uploadInPath,
    responses: { 200: { description: 'Where it is.', body: fileUpload } },
    errors: ['upload_not_found'],
    onReplica: 'redirect',
    summary: 'Read how far an upload of your own is.',
  },

  appendFileUpload: {
    sdk: 'files.appendUpload',
    area: 'files',
    method: 'PATCH',
    path: '/api/uploads/{id}',
    auth: 'admin-write',
    scope: 'ingestion',
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
      'storage_failed',
      'storage_full',
    ],
    onReplica: 'redirect',
    summary: 'Send the next bytes of an upload, any number of them; the last one makes the file.',
  },

  deleteFileUpload: {
    sdk: 'files.deleteUpload',
    area: 'files',
    method: 'DELETE',
    path: '/api/uploads/{id}',
    auth: 'admin-write',
    scope: 'ingestion',
    params: uploadInPath,
    responses: { 204: { description: 'It is given up, and nothing of it is left.' } },
    errors: ['upload_not_found', 'storage_failed', 'storage_full'],
    onReplica: 'redirect',
    summary: 'Give up an upload of your own.',
  },
} as const satisfies Rows);
