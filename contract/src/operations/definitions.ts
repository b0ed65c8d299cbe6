import { z } from 'zod';
import { CHANGE_ERRORS, withIds, type Rows } from '../operation.ts';
import { definitionsImportQuery } from '../shapes/definitions.ts';

export const operations = withIds({
  exportDefinitions: {
    sdk: 'definitions.export',
    area: 'workspace',
    method: 'GET',
    path: '/api/graph/export-definitions',
    auth: 'admin',
    scope: 'deploy',
    responses: {
      200: {
        description: 'Files that people read; the same workspace is the same bytes.',
        contentType: 'application/zip',
      },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'Export everything custom of the workspace as a zip: schema, endpoints, settings.',
  },

  /**
   * Server-Sent Events (specification, section 6.1): `log` has one step as `{text}`, `result` what
   * was done, as `definitionsImport`, and `done`, which is empty, is the last. An import goes on
   * when the client leaves; a dry run ends.
   */
  importDefinitions: {
    sdk: 'definitions.import',
    area: 'workspace',
    method: 'POST',
    path: '/api/graph/import-definitions',
    auth: 'admin-write',
    scope: 'deploy',
    query: definitionsImportQuery,
    /** What an export answers; as the body, or as the one file of a form. */
    body: z.file(),
    consumes: ['application/zip', 'multipart/form-data'],
    responses: {
      200: {
        description: 'Events until all is done.',
        body: z.string(),
        contentType: 'text/event-stream',
      },
    },
    errors: [
      'not_a_zip',
      'invalid_definitions',
      'import_running',
      'too_many_requests',
      ...CHANGE_ERRORS,
    ],
    onReplica: 'redirect',
    summary: 'Import what was exported, all of it or nothing: creates and changes what differs.',
  },
} as const satisfies Rows);
