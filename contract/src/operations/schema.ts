import { CHANGE_ERRORS, type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import { listOf, pageQuery } from '../shapes/list.ts';
import {
  schemaChangeInPath,
  schemaChangeOutcome,
  schemaChangeRecord,
  schemaChangeRequest,
} from '../shapes/schema-change.ts';
import { indexReference, schemaAlias, schemaDocument } from '../shapes/schema-document.ts';
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

  deleteSchemaAlias: {
    sdk: 'schema.removeAlias',
    area: 'schema',
    method: 'DELETE',
    path: '/api/schema/aliases',
    auth: 'admin-write',
    body: schemaAlias,
    responses: { 204: { description: 'Removed. Reads by the former name are refused.' } },
    errors: ['schema_alias_not_found', ...STORE_ERRORS],
    onReplica: 'redirect',
    summary: 'Remove a former name of a type, an edge type or a field.',
  },

  changeSchema: {
    sdk: 'schema.change',
    area: 'schema',
    method: 'POST',
    path: '/api/schema/changes',
    auth: 'admin-write',
    body: schemaChangeRequest,
    responses: {
      200: {
        description: 'What was changed; of a dry run, what would be.',
        body: schemaChangeOutcome,
      },
    },
    errors: ['schema_in_use', 'schema_conflict', ...CHANGE_ERRORS],
    onReplica: 'redirect',
    summary: 'Rename, drop and retype types, edge types and fields that are in use, as one commit.',
  },

  listSchemaChanges: {
    sdk: 'schema.changes',
    area: 'schema',
    method: 'GET',
    path: '/api/schema/changes',
    auth: 'admin',
    query: pageQuery,
    responses: {
      200: { description: 'The newest first.', body: listOf(schemaChangeRecord) },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'List the changes of the schema that were made, the newest first.',
  },

  undoSchemaChange: {
    sdk: 'schema.undoChange',
    area: 'schema',
    method: 'POST',
    path: '/api/schema/changes/{id}/undo',
    auth: 'admin-write',
    params: schemaChangeInPath,
    responses: { 200: { description: 'What was changed back.', body: schemaChangeOutcome } },
    errors: ['schema_change_not_found', 'schema_conflict', ...CHANGE_ERRORS],
    onReplica: 'redirect',
    summary: 'Take a change of the schema back, as one commit.',
  },
} as const satisfies Rows);
