import { type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import { indexReference, schemaDocument } from '../shapes/schema-document.ts';
import { JSON_BODY_BYTES_MAX } from '../limits.ts';

export const operations = withIds({
  getSchema: {
    sdk: 'schema.get',
    area: 'schema',
    method: 'GET',
    path: '/api/schema',
    auth: 'admin',
    scope: 'ingestion',
    responses: { 200: { description: 'The schema.', body: schemaDocument } },
    errors: [],
    onReplica: 'serve',
    summary: 'Read the types of nodes and edges and their fields.',
  },

  putSchema: {
    sdk: 'schema.put',
    area: 'schema',
    method: 'PUT',
    path: '/api/schema',
    auth: 'admin-write',
    scope: 'ingestion',
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: schemaDocument,
    responses: { 200: { description: 'The whole schema after the change.', body: schemaDocument } },
    errors: ['schema_conflict', ...STORE_ERRORS],
    onReplica: 'redirect',
    summary:
      'Add types, fields and indexes, or widen fields; the same document twice changes nothing.',
  },

  deleteSchemaIndex: {
    sdk: 'schema.removeIndex',
    area: 'schema',
    method: 'DELETE',
    path: '/api/schema/indexes',
    auth: 'admin-write',
    scope: 'ingestion',
    body: indexReference,
    responses: { 204: { description: 'Removed. Its entries are deleted afterwards.' } },
    errors: ['index_not_found', 'storage_failed', 'storage_full'],
    onReplica: 'redirect',
    summary: 'Remove a field index; the nodes stay as they are.',
  },
} as const satisfies Rows);
