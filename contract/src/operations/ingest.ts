import { z } from 'zod';
import { INGEST_COMMIT_OPERATIONS_MAX, JSON_BODY_BYTES_MAX } from '../limits.ts';
import { type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import { EXPORT_FORMATS, exportFormats, exportQuery } from '../shapes/graph-export.ts';
import { graphOperation, ingestSummary } from '../shapes/graph-operation.ts';

export const operations = withIds({
  ingest: {
    sdk: 'graph.ingest',
    area: 'ingest',
    method: 'POST',
    path: '/api/ingest',
    auth: 'admin-write',
    scope: 'ingestion',
    /**
     * The operations of one atomic commit, each a `graphOperation`; as NDJSON one a line, committed
     * every 10,000 lines.
     */
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: z.strictObject({ operations: z.array(z.unknown()).max(INGEST_COMMIT_OPERATIONS_MAX) }),
    documentedBody: z.strictObject({
      operations: z.array(graphOperation).max(INGEST_COMMIT_OPERATIONS_MAX),
    }),
    consumes: ['application/json', 'application/x-ndjson'],
    gzip: true,
    responses: {
      200: { description: 'What was changed, and the sequence it has.', body: ingestSummary },
    },
    errors: [
      'invalid_operation',
      'version_conflict',
      'team_in_use',
      'line_too_large',
      'commit_too_large',
      'malformed_encoding',
      ...STORE_ERRORS,
    ],
    onReplica: 'redirect',
    summary: 'Create, change, delete and link nodes.',
  },

  exportGraph: {
    sdk: 'graph.export',
    area: 'ingest',
    method: 'POST',
    path: '/api/graph/export',
    auth: 'admin',
    query: exportQuery,
    responses: {
      200: {
        description:
          'All nodes, each once, then the edges between them, without those of system types; it is sent while it is made.',
        contentType: EXPORT_FORMATS.jsonl.mediaType,
        furtherTypes: exportFormats.map((format) => EXPORT_FORMATS[format].mediaType).slice(1),
        headers: ['Content-Disposition'],
      },
    },
    errors: ['user_not_found', 'schema_conflict'],
    onReplica: 'serve',
    summary: 'Download the whole graph, as it is or as one user sees it.',
  },
} as const satisfies Rows);
