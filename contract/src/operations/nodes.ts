import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
import { listOf, pageQuery } from '../shapes/list.ts';
import {
  downloadQuery,
  manyFields,
  manyNodes,
  nodeObject,
  nodeQuery,
  nodeSelection,
  nodeVersion,
  syntheticNodes,
} from '../shapes/node.ts';
import { uidText } from '../bounded-shapes.ts';
import { JSON_BODY_BYTES_MAX } from '../limits.ts';
import { LONG_BODY_BYTES_MAX } from '../request-limits.ts';

const reads = { area: 'nodes', auth: 'session', scope: 'read', onReplica: 'serve' } as const;

export const operations = withIds({
  getNode: {
    ...reads,
    sdk: 'nodes.get',
    method: 'GET',
    path: '/api/node/{uid}',
    params: z.object({ uid: uidText.min(1) }),
    responses: {
      200: {
        description: 'The node as the caller may see it.',
        body: nodeObject,
        headers: ['ETag'],
      },
    },
    errors: ['node_not_found'],
    summary: 'Read one node.',
  },

  getNodeHistory: {
    ...reads,
    sdk: 'nodes.listHistory',
    method: 'GET',
    path: '/api/node/{uid}/history',
    params: z.object({ uid: uidText.min(1) }),
    query: pageQuery,
    responses: {
      200: {
        description: 'Versions, newest first; fields that the caller may not read are in none.',
        body: listOf(nodeVersion),
      },
    },
    errors: ['node_not_found'],
    summary: 'List what has been changed in a node.',
  },

  queryNodes: {
    ...reads,
    sdk: 'nodes.query',
    method: 'POST',
    path: '/api/node/query',
    body: nodeQuery,
    responses: {
      200: {
        description: 'Those that the caller may see; `total` counts them all.',
        body: listOf(nodeObject),
      },
    },
    errors: [],
    summary: 'List nodes by their UIDs, in that order, or of one type, newest first.',
  },

  getManyNodes: {
    ...reads,
    sdk: 'nodes.getMany',
    method: 'POST',
    path: '/api/node/many/full',
    body: manyNodes,
    responses: {
      200: {
        description: 'In the order of the UIDs; null for what the caller may not see.',
        body: z.array(nodeObject.nullable()),
      },
    },
    errors: [],
    summary: 'Read several nodes at once.',
  },

  getManyFields: {
    ...reads,
    sdk: 'nodes.getManyFields',
    method: 'POST',
    path: '/api/node/many/field',
    body: manyFields,
    responses: {
      200: {
        description:
          'A value for each UID: "BLOCKED" where the caller may not read the field, null where there is none, or no node.',
        body: z.record(z.string(), z.unknown()),
      },
    },
    errors: [],
    summary: 'Read one field of several nodes, or a text made of several.',
  },

  downloadCsv: {
    ...reads,
    sdk: 'nodes.downloadCsv',
    method: 'POST',
    path: '/api/node/download/csv',
    query: downloadQuery,
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: nodeSelection,
    responses: {
      200: {
        description:
          'A table with the columns Link, UID, Type, EdgeCount, Timestamp and the fields; a field that the caller may not read is blank.',
        contentType: 'text/csv',
        headers: ['Content-Disposition'],
      },
    },
    errors: [],
    summary: 'Download nodes as CSV.',
  },

  downloadJsonl: {
    ...reads,
    sdk: 'nodes.downloadJsonl',
    method: 'POST',
    path: '/api/node/download/jsonl',
    query: downloadQuery,
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: nodeSelection,
    responses: {
      200: {
        description:
          'An object on each line, with the names of the columns; what the caller may not read is absent.',
        contentType: 'application/x-ndjson',
        headers: ['Content-Disposition'],
      },
    },
    errors: [],
    summary: 'Download nodes as JSON, one on each line.',
  },

  downloadZip: {
    ...reads,
    sdk: 'nodes.downloadZip',
    method: 'POST',
    path: '/api/node/download/zip',
    query: downloadQuery,
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: nodeSelection,
    responses: {
      200: {
        description: 'A CSV file for each type of node.',
        contentType: 'application/zip',
        headers: ['Content-Disposition'],
      },
    },
    errors: [],
    summary: 'Download nodes as CSV, one file for each type.',
  },

  downloadSyntheticCsv: {
    sdk: 'nodes.downloadSyntheticCsv',
    area: 'nodes',
    method: 'POST',
    path: '/api/node/download/synthetic/csv',
    auth: 'session',
    noGuests: true,
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: syntheticNodes,
    responses: {
      200: {
        description: 'A table of Timestamp and the fields that any of the nodes has.',
        contentType: 'text/csv',
        headers: ['Content-Disposition'],
      },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'Turn nodes that are stored nowhere into CSV.',
  },

  downloadSyntheticJsonl: {
    sdk: 'nodes.downloadSyntheticJsonl',
    area: 'nodes',
    method: 'POST',
    path: '/api/node/download/synthetic/jsonl',
    auth: 'session',
    noGuests: true,
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: syntheticNodes,
    responses: {
      200: {
        description: 'An object on each line.',
        contentType: 'application/x-ndjson',
        headers: ['Content-Disposition'],
      },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'Turn nodes that are stored nowhere into JSON, one on each line.',
  },
} as const satisfies Rows);
